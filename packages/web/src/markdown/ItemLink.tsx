import type { LogEvent, OutputOf, search } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useContext, useMemo } from "react"
import { StatusIcon, type Tone } from "../design/index.ts"
import { type TextKey, useText } from "../i18n/language.ts"
import { LiveContext, useOperation } from "../live/use-operation.ts"
import { placeOfResult } from "../palette/place-of-result.ts"
import { useProjects } from "../projects/use-projects.ts"
import { PROPOSAL_LABEL, PROPOSAL_TONE } from "../proposals/proposal-status.ts"
import { TASK_LABEL, TASK_TONE } from "../tasks/task-status.ts"

interface ItemLinkProps {
  /** What was written: a short id, or the uuid a link names. */
  readonly named: string
  /** Shown until it is known what that is, and for good where it is nothing of ours. */
  readonly children: ReactNode
}

/** `SHOP-12` in a text: the task or idea of that name, where a project has that key. */
export function ShortIdLink({ named, children }: ItemLinkProps) {
  const live = useContext(LiveContext)
  return live === undefined ? children : <OfProject named={named}>{children}</OfProject>
}

function OfProject({ named, children }: ItemLinkProps) {
  const projects = useProjects().answer?.projects ?? []
  const key = named.slice(0, named.indexOf("-"))
  return projects.some((project) => project.key === key) ? <Found named={named}>{children}</Found> : children
}

/** `[Title](task:uuid)` in a text, by the title and in the state it has now. */
export function ItemLink({ named, children }: ItemLinkProps) {
  const live = useContext(LiveContext)
  return live === undefined ? children : <Found named={named}>{children}</Found>
}

type Answer = OutputOf<typeof search.search>

/** Asked for anew when it changes what it is called or how it stands. */
const follow = {
  apply(answer: Answer, { entityUuid, patch }: LogEvent) {
    if (answer.results[0]?.uuid !== entityUuid) return answer
    return "status" in patch || "title" in patch ? undefined : answer
  },
}

function Found({ named, children }: ItemLinkProps) {
  const text = useText()
  const input = useMemo(() => ({ query: named, entityTypes: [...KINDS] }), [named])
  const [found] = useOperation("chorus_search", input, follow).answer?.results ?? []
  const place = found === undefined ? undefined : placeOfResult(found)
  // Words that merely hold the name are not what it names.
  if (found === undefined || place === undefined || (!SHORT_ID.test(named) && found.uuid !== named)) return children
  const state = stateOf(found)
  return (
    <Link
      {...(place as { to: string })}
      data-item={found.uuid}
      className="relative inline-flex max-w-full items-baseline gap-1 rounded-sm bg-sunken px-1 font-medium no-underline hover:underline"
    >
      {state !== undefined && (
        <span title={text(state.label)} className="self-center">
          <StatusIcon tone={state.tone} />
          <span className="sr-only">{text(state.label)}</span>
        </span>
      )}
      {SHORT_ID.test(named) && <span className="text-muted">{named}</span>}
      <span className="truncate">{found.title}</span>
    </Link>
  )
}

const KINDS = ["task", "idea", "proposal", "document"] as const
const SHORT_ID = /^[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8}$/

function stateOf({ entityType, status }: search.SearchResult): { tone: Tone; label: TextKey } | undefined {
  if (entityType === "task" && status !== null && status in TASK_TONE) {
    const known = status as keyof typeof TASK_TONE
    return { tone: TASK_TONE[known], label: TASK_LABEL[known] }
  }
  if (entityType === "proposal" && status !== null && status in PROPOSAL_TONE) {
    const known = status as keyof typeof PROPOSAL_TONE
    return { tone: PROPOSAL_TONE[known], label: PROPOSAL_LABEL[known] }
  }
  return undefined
}
