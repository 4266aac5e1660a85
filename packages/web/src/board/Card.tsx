import { Clock, Link2 } from "lucide-react"
import { memo, useState } from "react"
import { useNow } from "../agents/use-now.ts"
import { Avatar, Badge, classes, SessionBadge } from "../design/index.ts"
import { useFormat, useText } from "../i18n/language.ts"
import { DueDay } from "../items/DueDay.tsx"
import { LabelChip } from "../items/LabelChip.tsx"
import { LandedMark } from "../landings/LandedMark.tsx"
import { PullRequestMark } from "../landings/PullRequest.tsx"
import { InlineCode } from "../markdown/InlineCode.tsx"
import { RunMark } from "../runs/RunMark.tsx"
import type { Task } from "./columns.ts"
import { type BoardStay, silentSince } from "./follow-board.ts"
import { PriorityIcon } from "./PriorityIcon.tsx"
import { hasJustMoved } from "./recent-moves.ts"

/** An agent on it waits for an answer, or its work came back. */
export type CardMark = "asks" | "returned"

interface CardProps {
  readonly task: Task
  readonly mark?: CardMark | undefined
  readonly stays: readonly BoardStay[]
  /** Reached by Tab; the arrows lead on from there. */
  readonly tabbable: boolean
  readonly lifted: boolean
}

/** Every card of a kind is equally high, so that a board of thousands needs no measuring. */
export function cardHeight(stays: number, labels = 0): number {
  return 84 + (stays === 0 ? 0 : 28) + (labels === 0 ? 0 : 24)
}

export const NO_STAYS: readonly BoardStay[] = []
export const CARD_HINT_ID = "board-card-hint"

/** A plain link: thousands of them come and go while a board is scrolled. The board follows it without loading the page anew. */
export const Card = memo(function Card({ task, mark, stays, tabbable, lifted }: CardProps) {
  const [arrived] = useState(() => hasJustMoved(task.uuid))
  return (
    <a
      href={`/projects/${task.projectUuid}/board?task=${task.uuid}`}
      draggable={false}
      data-card={task.uuid}
      tabIndex={tabbable ? 0 : -1}
      aria-describedby={CARD_HINT_ID}
      style={{ height: cardHeight(stays.length, task.labels.length) }}
      className={classes(
        "flex flex-col overflow-hidden rounded-lg border bg-raised px-3 py-2.5 shadow-(--shadow-card) transition-[border-color,opacity] duration-100 select-none [-webkit-touch-callout:none] hover:border-line-strong focus-visible:outline-offset-0",
        lifted ? "border-accent" : "border-line",
        arrived && "animate-arrive",
        task.status === "closed" && "opacity-60",
      )}
    >
      <span className="flex items-start gap-2">
        <span className="mt-0.5">
          <PriorityIcon priority={task.priority} />
        </span>
        <span className="line-clamp-2 min-w-0 flex-1 text-sm font-medium break-words">
          <InlineCode text={task.title} />
        </span>
        {task.assignee !== null && <Avatar actor={task.assignee} size="sm" />}
      </span>
      {task.labels.length > 0 && (
        <span className="mt-1 flex h-4.5 flex-wrap gap-1 overflow-hidden">
          {task.labels.map((name) => (
            <LabelChip key={name} name={name} />
          ))}
        </span>
      )}
      <Facts task={task} mark={mark} />
      {stays.length > 0 && <Stays stays={stays} />}
    </a>
  )
})

/** What there is no room for is left out whole, the least important first. */
function Facts({ task, mark }: Pick<CardProps, "task" | "mark">) {
  const text = useText()
  const { ac, storyPoints, openDependencies, status } = task
  const waits = openDependencies > 0 && (status === "open" || status === "assigned")
  const asks = mark === "asks"
  return (
    <span
      data-facts
      className="@container mt-auto flex h-4 flex-wrap items-center gap-x-2.5 gap-y-2 overflow-hidden text-xs whitespace-nowrap text-faint *:max-h-4"
    >
      <span className="leading-4 tabular-nums">{task.shortId}</span>
      {asks && <Badge tone="waiting">{text("board.asks")}</Badge>}
      {mark === "returned" && mayHaveRun(status) && <Badge tone="waiting">{text("board.returned")}</Badge>}
      <DueDay task={task} />
      {!asks && mayHaveRun(status) && <RunMark projectUuid={task.projectUuid} taskUuid={task.uuid} />}
      {status === "done" && <LandedMark projectUuid={task.projectUuid} taskUuid={task.uuid} />}
      {isUnderWay(status) && <PullRequestMark projectUuid={task.projectUuid} taskUuid={task.uuid} />}
      {status === "closed" && <Badge>{text("board.closedTag")}</Badge>}
      {ac.total > 0 && <Criteria ac={ac} />}
      {waits && (
        <span
          className="inline-flex items-center gap-1 tabular-nums"
          title={text("board.blocked", { count: openDependencies })}
        >
          <Link2 aria-hidden className="size-3" />
          <span aria-hidden>{openDependencies}</span>
          <span className="sr-only">{text("board.blocked", { count: openDependencies })}</span>
        </span>
      )}
      {storyPoints !== null && (
        <span
          className="inline-flex items-center gap-1 tabular-nums"
          title={text("board.pointsLong", { count: storyPoints })}
        >
          <Clock aria-hidden className="size-3" />
          {text("board.points", { count: storyPoints })}
        </span>
      )}
    </span>
  )
}

/** Whether a run on it says more than where it stands. */
function mayHaveRun(status: Task["status"]): boolean {
  return status === "open" || status === "assigned" || status === "in_progress"
}

/** Whether there may be work of it at a forge. */
function isUnderWay(status: Task["status"]): boolean {
  return status === "in_progress" || status === "to_verify" || status === "done"
}

/** The verifier's verdicts as a solid bar, the developer's own checks as a pale one behind it. */
function Criteria({ ac }: { readonly ac: Task["ac"] }) {
  const text = useText()
  const share = (count: number) => `${(count / ac.total) * 100}%`
  return (
    <span
      className="inline-flex items-center gap-1.5"
      title={text("board.criteria", { passed: ac.passed, total: ac.total })}
    >
      <span aria-hidden className="relative hidden h-1 w-8 overflow-hidden rounded-full @[14rem]:block bg-line">
        <span
          className="absolute inset-y-0 left-0 bg-line-strong"
          style={{ width: share(Math.max(ac.checked, ac.passed)) }}
        />
        <span className="absolute inset-y-0 left-0 bg-done" style={{ width: share(ac.passed) }} />
      </span>
      <span className="tabular-nums">
        {ac.passed}/{ac.total}
      </span>
    </span>
  )
}

const SHOWN = 2

/** Who is at work here, or is not heard from any more; beyond a few only how many more. */
function Stays({ stays }: { readonly stays: readonly BoardStay[] }) {
  const text = useText()
  const format = useFormat()
  const now = useNow()
  const rest = stays.slice(SHOWN)
  return (
    <span className="mt-2 flex h-5 gap-1">
      {stays.slice(0, SHOWN).map((stay) => {
        const since = silentSince(stay, now)
        return (
          <span key={stay.uuid} data-stay={stay.uuid} className="flex min-w-0 items-center gap-1">
            <SessionBadge
              session={{ uuid: stay.sessionUuid, name: stay.sessionName }}
              agent={stay.agent}
              live={since === undefined}
            />
            {since !== undefined && (
              <span className="truncate text-xs text-waiting">
                {text("agents.silentSince", { when: format.time(since) })}
              </span>
            )}
          </span>
        )
      })}
      {rest.length > 0 && (
        <span
          className="shrink-0 self-center text-xs text-faint"
          title={rest.map(({ sessionName }) => sessionName).join(", ")}
        >
          +{rest.length}
        </span>
      )}
    </span>
  )
}
