import { Link, useLocation, useNavigate, useParams } from "@tanstack/react-router"
import { FolderTree, Layers, Lightbulb, ListTree, Plus } from "lucide-react"
import { useMemo, useState } from "react"
import {
  Avatar,
  Badge,
  Button,
  EmptyState,
  Input,
  Nothing,
  Page,
  Problem,
  RowFacts,
  Rows,
  Section,
  Segmented,
  SkeletonRows,
  StatusIcon,
} from "../design/index.ts"
import { useText } from "../i18n/language.ts"
import { useOperation } from "../live/use-operation.ts"
import { mayChange } from "../shell/rights.ts"
import { useSignedIn } from "../sign-in/signed-in.ts"
import { NewIdea } from "./NewIdea.tsx"
import { BADGE_LABEL, followIdeas, groupsOf, STANDING_TONE, type TreeIdea, treeOf } from "./standing.ts"

type Look = "standing" | "tree"

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Somebody comes to the ideas to write one. */
    readonly newIdea?: boolean
  }
}

/** All ideas of a project: by where they stand, or as a tree of themes. */
export function IdeasPage() {
  const text = useText()
  const { person } = useSignedIn()
  const { projectUuid } = useParams({ from: "/projects/$projectUuid/ideas" })
  const follow = useMemo(() => followIdeas(projectUuid), [projectUuid])
  const { answer, status, error, reload } = useOperation("chorus_get_idea_tree", { projectUuid }, follow)
  const [look, setLook] = useState<Look>("standing")
  const [find, setFind] = useState("")
  const [adding, setAdding] = useState(false)
  const navigate = useNavigate()
  const came = useLocation({ select: ({ state }) => state.newIdea === true })
  const all = answer?.ideas ?? []
  const may = mayChange(person)
  const close = () => {
    setAdding(false)
    if (came) void navigate({ to: "/projects/$projectUuid/ideas", params: { projectUuid }, replace: true })
  }
  const add = may && (
    <Button tone="primary" icon={Plus} onClick={() => setAdding(true)}>
      {text("ideas.new")}
    </Button>
  )
  return (
    <Page
      title={text("nav.ideas")}
      beside={all.length > 0 && <span className="text-sm text-faint tabular-nums">{all.length}</span>}
      actions={all.length > 0 && add}
      toolbar={
        all.length > 0 ? (
          <>
            <Input
              compact
              type="search"
              value={find}
              aria-label={text("ideas.find")}
              placeholder={text("ideas.find")}
              onChange={(event) => setFind(event.target.value)}
              className="w-auto max-w-56 min-w-32 flex-1"
            />
            <Segmented<Look>
              label={text("ideas.look")}
              value={look}
              onChange={setLook}
              options={[
                { value: "standing", label: text("ideas.byStanding"), icon: Layers },
                { value: "tree", label: text("ideas.asTree"), icon: ListTree },
              ]}
            />
          </>
        ) : undefined
      }
    >
      {status === "loading" && <SkeletonRows />}
      {status === "failed" && <Problem error={error} onRetry={reload} />}
      {status === "ready" && all.length === 0 && (
        <EmptyState icon={Lightbulb} title={text("ideas.empty")} action={add === false ? undefined : add}>
          {text("ideas.emptyLead")}
        </EmptyState>
      )}
      {all.length > 0 && (look === "standing" ? <Standings all={all} find={find} /> : <Tree all={treeOf(all, find)} />)}
      {may && (adding || came) && (
        <NewIdea projectUuid={projectUuid} themes={all.filter(({ isContainer }) => isContainer)} onClose={close} />
      )}
    </Page>
  )
}

function Standings({ all, find }: { readonly all: readonly TreeIdea[]; readonly find: string }) {
  const text = useText()
  const groups = groupsOf(all, find)
  const titles = new Map(all.map(({ uuid, title }) => [uuid, title]))
  if (groups.length === 0) return <Nothing>{text("ideas.noMatch")}</Nothing>
  const sections = groups.map(({ standing, ideas }) => (
    <Section key={standing} title={text(`ideas.standing.${standing}`)} count={ideas.length}>
      <Rows label={text(`ideas.standing.${standing}`)}>
        {ideas.map((idea) => (
          <IdeaItem
            key={idea.uuid}
            idea={idea}
            theme={idea.parentUuid === null ? undefined : titles.get(idea.parentUuid)}
          />
        ))}
      </Rows>
    </Section>
  ))
  return <div className="grid grid-cols-1 gap-6">{sections}</div>
}

function Tree({ all }: { readonly all: readonly TreeIdea[] }) {
  const text = useText()
  return all.length === 0 ? (
    <Nothing>{text("ideas.noMatch")}</Nothing>
  ) : (
    <Rows label={text("nav.ideas")}>
      {all.map((idea) => (
        <IdeaItem key={idea.uuid} idea={idea} depth={idea.depth} />
      ))}
    </Rows>
  )
}

function IdeaItem({
  idea,
  theme,
  depth = 0,
}: {
  readonly idea: TreeIdea
  readonly theme?: string | undefined
  readonly depth?: number
}) {
  const text = useText()
  const tone = STANDING_TONE[idea.derivedStatus]
  return (
    <li className="@container transition-colors duration-100 hover:bg-hover" style={{ paddingLeft: depth * 20 }}>
      <Link
        to="/projects/$projectUuid/ideas/$ideaUuid"
        params={{ projectUuid: idea.projectUuid, ideaUuid: idea.uuid }}
        className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2"
      >
        {idea.isContainer ? (
          <FolderTree aria-hidden className="size-3.5 shrink-0 text-muted" />
        ) : (
          <StatusIcon tone={tone} />
        )}
        <span className="min-w-0 flex-1 basis-48">
          <span className="block truncate font-medium">{idea.title}</span>
          {theme !== undefined && <span className="block truncate text-xs text-faint">{theme}</span>}
        </span>
        <RowFacts at={idea.updatedAt} className="@max-2xl:pl-6.5">
          <Badge tone={tone}>{text(idea.isContainer ? "ideas.theme" : BADGE_LABEL[idea.badgeHint])}</Badge>
          {idea.assignee !== null && <Avatar actor={idea.assignee} size="sm" />}
        </RowFacts>
      </Link>
    </li>
  )
}
