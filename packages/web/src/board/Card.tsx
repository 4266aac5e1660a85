import type { sessions } from "@chorus/contracts"
import { Link } from "@tanstack/react-router"
import { Clock, Link2 } from "lucide-react"
import { memo, useState } from "react"
import { Avatar } from "../design/Avatar.tsx"
import { Badge } from "../design/Badge.tsx"
import { classes } from "../design/classes.ts"
import { SessionBadge } from "../design/SessionBadge.tsx"
import { useText } from "../i18n/language.ts"
import type { Task } from "./columns.ts"
import { PriorityIcon } from "./PriorityIcon.tsx"
import { hasJustMoved } from "./recent-moves.ts"
import { useDeparting } from "./use-departing.ts"

interface CardProps {
  readonly task: Task
  readonly stays: readonly sessions.CheckinRow[]
  /** Reached by Tab; the arrows lead on from there. */
  readonly tabbable: boolean
  readonly lifted: boolean
}

export const NO_STAYS: readonly sessions.CheckinRow[] = []
export const CARD_HINT_ID = "board-card-hint"

export const Card = memo(function Card({ task, stays, tabbable, lifted }: CardProps) {
  const [arrived] = useState(() => hasJustMoved(task.uuid))
  return (
    <Link
      from="/projects/$projectUuid/board"
      to="."
      search={(search) => ({ ...search, task: task.uuid })}
      preload={false}
      draggable={false}
      data-card={task.uuid}
      tabIndex={tabbable ? 0 : -1}
      aria-describedby={CARD_HINT_ID}
      className={classes(
        "block rounded-lg border bg-raised px-3 py-2.5 shadow-(--shadow-card) transition-[border-color,opacity] duration-100 select-none hover:border-line-strong focus-visible:outline-offset-0",
        lifted ? "border-accent" : "border-line",
        arrived && "animate-arrive",
        task.status === "closed" && "opacity-60",
      )}
    >
      <span className="flex items-start gap-2">
        <span className="mt-0.5">
          <PriorityIcon priority={task.priority} />
        </span>
        <span className="line-clamp-2 min-w-0 flex-1 text-sm font-medium break-words">{task.title}</span>
        {task.assignee !== null && <Avatar actor={task.assignee} size="sm" />}
      </span>
      <Facts task={task} />
      <Stays stays={stays} />
    </Link>
  )
})

function Facts({ task }: { readonly task: Task }) {
  const text = useText()
  const { ac, storyPoints, openDependencies, status } = task
  const waits = openDependencies > 0 && (status === "open" || status === "assigned")
  if (ac.total === 0 && storyPoints === null && !waits && status !== "closed") return null
  return (
    <span className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 pl-5.5 text-xs text-faint">
      {ac.total > 0 && <Criteria ac={ac} />}
      {storyPoints !== null && (
        <span className="inline-flex items-center gap-1 tabular-nums" title={text("board.pointsLong", { count: storyPoints })}>
          <Clock aria-hidden className="size-3" />
          {text("board.points", { count: storyPoints })}
        </span>
      )}
      {waits && (
        <span className="inline-flex items-center gap-1">
          <Link2 aria-hidden className="size-3" />
          {text("board.blocked", { count: openDependencies })}
        </span>
      )}
      {status === "closed" && <Badge>{text("board.closedTag")}</Badge>}
    </span>
  )
}

/** The verifier's verdicts as a solid bar, the developer's own checks as a pale one behind it. */
function Criteria({ ac }: { readonly ac: Task["ac"] }) {
  const text = useText()
  const share = (count: number) => `${(count / ac.total) * 100}%`
  return (
    <span className="inline-flex items-center gap-1.5" title={text("board.criteria", { passed: ac.passed, total: ac.total })}>
      <span aria-hidden className="relative h-1 w-10 overflow-hidden rounded-full bg-line">
        <span className="absolute inset-y-0 left-0 bg-line-strong" style={{ width: share(Math.max(ac.checked, ac.passed)) }} />
        <span className="absolute inset-y-0 left-0 bg-done" style={{ width: share(ac.passed) }} />
      </span>
      <span className="tabular-nums">
        {ac.passed}/{ac.total}
      </span>
    </span>
  )
}

function Stays({ stays }: { readonly stays: readonly sessions.CheckinRow[] }) {
  const seen = useDeparting(stays)
  if (seen.length === 0) return null
  return (
    <span className="mt-2 flex flex-wrap gap-1 pl-5.5">
      {seen.map(({ item, leaving }) => (
        <span key={item.uuid} className={classes("max-w-full transition-opacity duration-150", leaving && "opacity-0")}>
          <SessionBadge session={{ uuid: item.sessionUuid, name: item.sessionName }} agentName={item.agent.name} live={!leaving} />
        </span>
      ))}
    </span>
  )
}
