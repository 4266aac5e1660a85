import { Link, useParams } from "@tanstack/react-router"
import { GitMerge, Power } from "lucide-react"
import { useId, useMemo, useState } from "react"
import { Asking } from "../attention/Asking.tsx"
import { Composer } from "../comments/Composer.tsx"
import {
  AskDialog,
  classes,
  Dot,
  IconButton,
  Page,
  Problem,
  ReasonDialog,
  Section,
  Select,
  SkeletonRows,
} from "../design/index.ts"
import { useNow } from "../agents/use-now.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { useAction } from "../live/use-action.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { Conversation } from "./Conversation.tsx"
import { MemberName } from "./MemberName.tsx"
import { Orders } from "./Orders.tsx"
import { TeamTasks } from "./TeamTasks.tsx"
import {
  followTeam,
  lastLineOf,
  type Member,
  MEMBER_LABEL,
  MEMBER_TONE,
  stalledFor,
  type Team,
  threadOf,
} from "./team.ts"

/** A team's room: who is in it, what they say to each other, what they work on; a person can join in. */
export function TeamPage() {
  const text = useText()
  const { teamUuid } = useParams({ from: "/teams/$teamUuid" })
  const follow = useMemo(() => followTeam(teamUuid), [teamUuid])
  const { answer: team, status, error, reload } = useOperation("chorus_get_team", { teamUuid, messages: 100 }, follow)
  return (
    <Page
      title={
        <>
          <Link to="/teams" className="font-normal text-muted hover:text-ink">
            {text("teams.title")}
          </Link>
          <span aria-hidden className="px-1.5 text-faint">
            /
          </span>
          {team?.name ?? text("app.loading")}
        </>
      }
      beside={team !== undefined && <span className="text-sm text-faint">{team.machine}</span>}
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {team !== undefined && <Room team={team} />}
    </Page>
  )
}

function Room({ team }: { readonly team: Team }) {
  const text = useText()
  const { person } = useSignedIn()
  const [chosen, setChosen] = useState<string>()
  const may = mayChange(person) && team.goneAt === null
  return (
    <div className="grid grid-cols-1 gap-8">
      {team.goneAt !== null && (
        <p className="rounded-lg bg-canvas px-4 py-2 text-sm text-muted">{text("teams.goneLead")}</p>
      )}
      {team.description !== null && <p className="text-muted">{team.description}</p>}
      <Asking about={({ detail }) => detail["team"] === team.name && detail["machine"] === team.machine} />
      <div className="grid grid-cols-1 gap-8 lg:grid-cols-[260px_minmax(0,1fr)]">
        <Section title={text("teams.members")} count={team.members.filter(({ leftAt }) => leftAt === null).length}>
          <Members
            team={team}
            chosen={chosen}
            may={may}
            onChoose={(name) => setChosen(name === chosen ? undefined : name)}
          />
        </Section>
        <Section title={chosen === undefined ? text("teams.messages") : text("teams.messagesWith", { name: chosen })}>
          <div className="grid grid-cols-1 gap-4">
            <Conversation key={chosen} messages={threadOf(team.messages, chosen)} members={team.members} />
            {may && <Write team={team} chosen={chosen} />}
            <Orders orders={team.orders} />
          </div>
        </Section>
      </div>
      <Section title={text("ideas.tasks")} count={team.tasks.length}>
        <TeamTasks team={team} />
      </Section>
    </div>
  )
}

interface MembersProps {
  readonly team: Team
  readonly chosen: string | undefined
  readonly may: boolean
  onChoose(name: string): void
}

function Members({ team, chosen, may, onChoose }: MembersProps) {
  const text = useText()
  const [leaving, setLeaving] = useState<Member>()
  const [landing, setLanding] = useState<Member>()
  const shutdown = useAction("chorus_ask_shutdown")
  const format = useFormat()
  const spent = ({ costUsd, tokens }: Member) =>
    costUsd !== null ? format.money(costUsd) : tokens !== null && text("teams.tokens", { count: format.number(tokens) })
  return (
    <>
      <ul className="grid grid-cols-1 gap-1">
        {team.members.map((member) => (
          <li
            key={member.name}
            className={classes(
              "flex items-center gap-1 rounded-md pr-1",
              member.name === chosen ? "bg-hover" : "hover:bg-hover",
            )}
          >
            <button
              type="button"
              aria-pressed={member.name === chosen}
              onClick={() => onChoose(member.name)}
              className="grid min-w-0 flex-1 cursor-pointer gap-0.5 px-2 py-1.5 text-left"
            >
              <span className="flex items-center gap-2">
                <MemberName member={member} />
                {showsState(member) && <State member={member} />}
              </span>
              <span className="truncate text-xs text-faint">
                {member.leftAt === null
                  ? [member.agentType, member.model, spent(member)].filter(Boolean).join(" · ")
                  : text("teams.left")}
              </span>
              {member.leftAt === null && lastLineOf(member, team.messages) !== "" && (
                <span className="truncate font-mono text-xs text-muted" title={lastLineOf(member, team.messages)}>
                  {lastLineOf(member, team.messages)}
                </span>
              )}
            </button>
            {may && member.branch !== null && (
              <IconButton
                icon={GitMerge}
                size="sm"
                label={text("teams.merge", { name: member.name })}
                onClick={() => setLanding(member)}
              />
            )}
            {may && !member.lead && member.leftAt === null && (
              <IconButton
                icon={Power}
                size="sm"
                label={text(member.state === "dead" ? "teams.takeOff" : "teams.askShutdown", { name: member.name })}
                onClick={() => setLeaving(member)}
              />
            )}
          </li>
        ))}
      </ul>
      {landing !== undefined && <Merge team={team} member={landing} onClose={() => setLanding(undefined)} />}
      <ReasonDialog
        open={leaving !== undefined && leaving.state !== "dead"}
        draft={`shutdown.${team.uuid}.${leaving?.name ?? ""}`}
        title={text("teams.shutdownTitle", { name: leaving?.name ?? "" })}
        lead={text("teams.shutdownLead")}
        confirm={text("teams.shutdown")}
        onClose={() => setLeaving(undefined)}
        onConfirm={async (reason) =>
          leaving === undefined
            ? undefined
            : shutdown.run({ teamUuid: team.uuid, member: leaving.name, ...(reason === "" ? {} : { reason }) })
        }
      />
      <AskDialog
        open={leaving?.state === "dead"}
        title={text("teams.takeOffTitle", { name: leaving?.name ?? "" })}
        confirm={text("teams.takeOffConfirm")}
        onClose={() => setLeaving(undefined)}
        onConfirm={() => {
          setLeaving(undefined)
          if (leaving !== undefined) void shutdown.run({ teamUuid: team.uuid, member: leaving.name })
        }}
      >
        <p className="text-sm text-muted">{text("teams.takeOffLead")}</p>
      </AskDialog>
    </>
  )
}

/** Asks before a member's branch goes into another; what it says then is among the orders. */
function Merge({ team, member, onClose }: { readonly team: Team; readonly member: Member; onClose(): void }) {
  const text = useText()
  const land = useAction("chorus_land_member")
  return (
    <AskDialog
      open
      title={text("teams.mergeTitle", { name: member.name })}
      confirm={text("landings.merge")}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        void land.run({ teamUuid: team.uuid, member: member.name })
      }}
    >
      <p className="text-sm text-muted">{text("teams.mergeLead", { branch: member.branch ?? "" })}</p>
    </AskDialog>
  )
}

/** What it does; of one that works, also how long it has given no sign. */
function State({ member }: { readonly member: Member }) {
  const text = useText()
  const format = useFormat()
  const silent = stalledFor(member, useNow())
  return (
    <span className="flex items-center gap-1 text-xs text-muted">
      <Dot tone={silent === undefined ? MEMBER_TONE[member.state] : "waiting"} pulse={member.state === "working"} />
      {silent === undefined
        ? text(MEMBER_LABEL[member.state])
        : text("teams.stalled", { time: format.duration(silent) })}
    </span>
  )
}

/** A lead that is no program, but a person at a command line, has no state to tell. */
function showsState({ lead, leftAt, state }: Member): boolean {
  return leftAt === null && !(lead && state === "unknown")
}

function Write({ team, chosen }: { readonly team: Team; readonly chosen: string | undefined }) {
  const text = useText()
  const id = useId()
  const write = useAction("chorus_write_to_member")
  const present = team.members.filter(({ leftAt }) => leftAt === null)
  const [to, setTo] = useState<{ readonly name: string; readonly beside: string | undefined }>()
  const here = (name: string | undefined) => present.find((member) => member.name === name)
  const target = (
    here(to?.beside === chosen ? to?.name : undefined) ??
    here(chosen) ??
    present.find(({ lead }) => lead) ??
    present[0]
  )?.name
  if (target === undefined) return null
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="flex items-center gap-2 text-sm text-muted">
        <label htmlFor={id}>{text("teams.writeTo")}</label>
        <Select
          id={id}
          className="w-48"
          value={target}
          onChange={(event) => setTo({ name: event.target.value, beside: chosen })}
        >
          {present.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <Composer
        draft={`team.${team.uuid}`}
        mentions={false}
        placeholder={text("teams.writePlaceholder")}
        send={text("teams.send")}
        onSend={async (words) => (await write.run({ teamUuid: team.uuid, to: target, text: words })) !== undefined}
      />
    </div>
  )
}
