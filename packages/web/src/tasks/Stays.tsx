import type { OutputOf, work } from "@chorus/contracts"
import { OctagonPause } from "lucide-react"
import { Badge, Nothing, Rows, SessionBadge, When } from "../design/index.ts"
import { type TextKey, useFormat, useText } from "../i18n/language.ts"

type TaskHistory = OutputOf<typeof work.getTaskHistory>

/** The words for why a session left. */
const WHY_LEFT: { readonly [reason: string]: TextKey } = {
  task_submitted: "tasks.left.submitted",
  task_done: "tasks.left.done",
  task_closed: "tasks.left.closed",
  task_released: "tasks.left.released",
  task_reassigned: "tasks.left.reassigned",
  task_reclaimed: "tasks.left.reclaimed",
  session_closed: "tasks.left.session",
  session_lost: "tasks.left.lost",
}

/** Who worked on it, from when to when. */
export function Stays({ history }: { readonly history: TaskHistory }) {
  const text = useText()
  const format = useFormat()
  if (history.checkins.length === 0) return <Nothing>{text("tasks.noSessions")}</Nothing>
  const sessions = new Map(history.sessions.map((session) => [session.uuid, session]))
  /** What the session reported then. Its last words are those of its last stay: it may have come back since an earlier one. */
  const wordsAt = ({ sessionUuid, checkinAt, checkoutAt }: TaskHistory["checkins"][number]): string | null => {
    const reported = history.reports.findLast(
      (report) =>
        report.sessionUuid === sessionUuid &&
        report.createdAt >= checkinAt &&
        (checkoutAt === null || report.createdAt <= checkoutAt),
    )
    const cameBack = history.checkins.some((other) => other.sessionUuid === sessionUuid && other.checkinAt > checkinAt)
    return reported?.content ?? (cameBack ? null : (sessions.get(sessionUuid)?.lastWords ?? null))
  }
  const kept = keptFor(history)
  return (
    <Rows label={text("tasks.sessions")}>
      {history.checkins.map((stay) => {
        const words = wordsAt(stay)
        const until = stay.checkoutAt === null ? Date.now() : Date.parse(stay.checkoutAt)
        return (
          <li key={stay.uuid} className="px-3 py-2 text-sm">
            <div className="flex flex-wrap items-center gap-2">
              <SessionBadge
                session={{ uuid: stay.sessionUuid, name: stay.sessionName }}
                agent={stay.agent}
                live={stay.checkoutAt === null}
              />
              <span className="text-muted">{stay.agent.name}</span>
              {stay.checkoutAt === null && <Badge tone="progress">{text("tasks.atWork")}</Badge>}
              <span className="ml-auto text-xs text-faint tabular-nums">
                {format.dateTime(stay.checkinAt)}
                {" – "}
                {stay.checkoutAt === null ? text("tasks.now") : format.time(stay.checkoutAt)}
                {" · "}
                {format.duration(until - Date.parse(stay.checkinAt))}
              </span>
            </div>
            {stay.checkoutReason !== null && (
              <p className="mt-1 text-xs text-faint">
                {text(WHY_LEFT[stay.checkoutReason] ?? "tasks.left")}
                {stay === kept && text("tasks.keptUntil", { time: format.time(history.lease.at ?? "") })}
              </p>
            )}
            {words !== null && <p className="mt-1 line-clamp-3 text-xs text-muted">{words}</p>}
          </li>
        )
      })}
    </Rows>
  )
}

/** The newest stay, where its program died and nobody may take the task up in its place yet. */
function keptFor({ checkins: [newest], lease }: TaskHistory): TaskHistory["checkins"][number] | undefined {
  return lease.state === "held" && newest?.checkoutReason === "session_lost" ? newest : undefined
}

/** Says of a task whose program died until when it is kept: it looks like one at work otherwise. */
export function Lost({ history }: { readonly history: TaskHistory }) {
  const text = useText()
  const format = useFormat()
  if (keptFor(history) === undefined) return null
  return (
    <p className="flex items-center gap-2 rounded-lg bg-waiting-soft px-3 py-2 text-sm text-waiting">
      <OctagonPause aria-hidden className="size-4 shrink-0" />
      <span>
        {text("tasks.left.lost")}
        {text("tasks.keptUntil", { time: format.time(history.lease.at ?? "") })}
      </span>
    </p>
  )
}

/** Paths kept for this task so that nobody else writes there. */
export function Reservations({ history }: { readonly history: TaskHistory }) {
  const text = useText()
  const format = useFormat()
  return (
    <Rows label={text("tasks.reservations")}>
      {history.reservations.map((reservation) => (
        <li key={reservation.uuid} className="flex flex-wrap items-center gap-2 px-3 py-2 text-sm">
          <code className="min-w-0 flex-1 font-mono text-xs break-all">{reservation.glob}</code>
          {reservation.releasedAt === null && Date.parse(reservation.expiresAt) > Date.now() ? (
            <Badge tone="progress">{text("tasks.heldUntil", { time: format.time(reservation.expiresAt) })}</Badge>
          ) : (
            <Badge>{text("tasks.freed")}</Badge>
          )}
          <span className="text-xs text-faint">{reservation.agent.name}</span>
          <When at={reservation.createdAt} />
        </li>
      ))}
    </Rows>
  )
}
