import type { EventOf, LogEvent, OutputOf, work } from "@chorus/contracts"
import { SILENT_MS } from "../agents/use-now.ts"
import { changesLabels } from "../items/label-names.ts"
import { followAll, followRows, reloadWhen } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

export type BoardAnswer = OutputOf<typeof work.getBoard>
export type BoardStay = work.BoardStay

const rows = followAll<BoardAnswer>(
  reloadWhen(changesLabels),
  followRows({ entity: "task", rows: "tasks", append: true }),
  followRows({ entity: "checkin", rows: "checkins", append: true, belongs: isShown, extra: {} }),
)

/** Keeps the cards of one project, and who is at work on them, in step with the log. */
export function followBoard(projectUuid: string): Follow<BoardAnswer> {
  return {
    apply: (answer, event) => {
      if (event.entityType === "session") return withSign(answer, event)
      if (event.projectUuid !== projectUuid) return answer
      return rows.apply(withReturns(withoutLost(answer, event), event), event)
    },
  }
}

/** Who is at work, and who was when their program died: a card would look at work that nobody is at. */
function isShown({ checkoutAt, checkoutReason }: BoardStay): boolean {
  return checkoutAt === null || checkoutReason === "session_lost"
}

function withSign(answer: BoardAnswer, { entityUuid, patch: { lastActiveAt } }: EventOf<"session">): BoardAnswer {
  // The answer may have it already, or a later sign.
  const heard = ({ sessionUuid, heardAt = "" }: BoardStay) =>
    lastActiveAt !== undefined && sessionUuid === entityUuid && heardAt < lastActiveAt
  if (!answer.checkins.some(heard)) return answer
  const checkins = answer.checkins.map((stay) => (heard(stay) ? { ...stay, heardAt: lastActiveAt } : stay))
  return { ...answer, checkins }
}

/** The task is another's now, or nobody's: who was lost with it is no longer of interest. */
function withoutLost(answer: BoardAnswer, event: LogEvent): BoardAnswer {
  const taskUuid = takenOver(event)
  const lost = (stay: BoardStay) => stay.checkoutAt !== null && stay.taskUuid === taskUuid
  return answer.checkins.some(lost) ? { ...answer, checkins: answer.checkins.filter((stay) => !lost(stay)) } : answer
}

/** What comes back is marked until it is handed in again. */
function withReturns(answer: BoardAnswer, event: LogEvent): BoardAnswer {
  if (event.entityType !== "task") return answer
  const { entityUuid: uuid, kind, action, patch } = event
  const others = answer.returned.filter((each) => each !== uuid)
  if (kind === "task.reopened" && "returned" in patch) return { ...answer, returned: [...others, uuid].toSorted() }
  const isOver = kind === "task.submitted" || action === "deleted"
  return isOver && others.length < answer.returned.length ? { ...answer, returned: others } : answer
}

function takenOver(event: LogEvent): string | undefined {
  if (event.entityType === "checkin") return event.action === "created" ? event.patch.taskUuid : undefined
  return event.entityType === "task" && event.patch.status !== undefined ? event.entityUuid : undefined
}

/** Since when nobody has heard from who is at a card; undefined where that is not long ago. */
export function silentSince({ checkoutAt, heardAt, checkinAt }: BoardStay, now: number): string | undefined {
  const heard = heardAt !== undefined && heardAt > checkinAt ? heardAt : checkinAt
  return checkoutAt ?? (now - Date.parse(heard) > SILENT_MS ? heard : undefined)
}
