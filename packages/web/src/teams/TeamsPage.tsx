import { Link } from "@tanstack/react-router"
import { Users } from "lucide-react"
import { useState } from "react"
import { Badge, EmptyState, Page, Problem, Rows, SkeletonRows, Switch, When } from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { MemberName } from "./MemberName.tsx"
import { followTeams, type TeamList } from "./team.ts"

/** The teams of agents on all machines. */
export function TeamsPage() {
  const text = useText()
  const [includeGone, setIncludeGone] = useState(false)
  const { answer, status, error, reload } = useOperation("chorus_list_teams", { includeGone }, followTeams)
  const teams = (answer?.teams ?? []).filter(({ goneAt }) => includeGone || goneAt === null)
  return (
    <Page
      title={text("teams.title")}
      beside={teams.length > 0 && <span className="text-sm text-faint tabular-nums">{teams.length}</span>}
      actions={<Switch checked={includeGone} onChange={setIncludeGone} label={text("teams.showGone")} />}
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && teams.length === 0 && (
        <EmptyState icon={Users} title={text("teams.empty")}>
          <InlineCode text={text("teams.emptyLead")} />
        </EmptyState>
      )}
      {teams.length > 0 && (
        <Rows label={text("teams.title")}>
          {teams.map((team) => (
            <TeamItem key={team.uuid} team={team} />
          ))}
        </Rows>
      )}
    </Page>
  )
}

function TeamItem({ team }: { readonly team: TeamList["teams"][number] }) {
  const text = useText()
  const present = team.members.filter(({ leftAt }) => leftAt === null)
  return (
    <li className="transition-colors duration-100 hover:bg-hover">
      <Link to="/teams/$teamUuid" params={{ teamUuid: team.uuid }} className="grid grid-cols-1 gap-1.5 px-4 py-3">
        <span className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 truncate font-medium">{team.name}</span>
          {team.ledByChorus && <Badge>{text("teams.ledByChorus")}</Badge>}
          {team.goneAt !== null && <Badge>{text("teams.gone")}</Badge>}
          <span className="text-xs text-faint">{team.machine}</span>
          <When at={team.lastFactAt} className="ml-auto text-xs text-faint" />
        </span>
        {team.description !== null && <span className="truncate text-sm text-muted">{team.description}</span>}
        <span className="flex flex-wrap gap-1.5">
          {present.map((member) => (
            <MemberName key={member.name} member={member} />
          ))}
        </span>
      </Link>
    </li>
  )
}
