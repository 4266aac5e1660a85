import type { LogEvent, OutputOf, work } from "@chorus/contracts"
import type { Follow } from "../live/live-store.ts"
import type { Task } from "./columns.ts"

export type BoardAnswer = OutputOf<typeof work.getBoard>

/** Keeps the cards of one project, and who is at work on them, in step with the log. */
export function followBoard(projectUuid: string): Follow<BoardAnswer> {
  return {
    apply(answer, event) {
      if (event.projectUuid !== projectUuid) return answer
      if (event.entityType === "task") return withTask(answer, event)
      if (event.entityType === "checkin") return withCheckin(answer, event)
      return answer
    },
  }
}

function withTask(answer: BoardAnswer, { entityUuid, action, patch }: LogEvent): BoardAnswer {
  const at = answer.tasks.findIndex(({ uuid }) => uuid === entityUuid)
  const task = answer.tasks[at]
  if (action === "deleted")
    return task === undefined ? answer : { ...answer, tasks: answer.tasks.filter((each) => each !== task) }
  if (task !== undefined) return { ...answer, tasks: answer.tasks.with(at, { ...task, ...patch }) }
  return action === "created" ? { ...answer, tasks: [...answer.tasks, patch as unknown as Task] } : answer
}

function withCheckin(answer: BoardAnswer, { entityUuid, patch }: LogEvent): BoardAnswer {
  const stay = patch as unknown as BoardAnswer["checkins"][number]
  const others = answer.checkins.filter(({ uuid }) => uuid !== entityUuid)
  if (stay.checkoutAt !== null)
    return others.length === answer.checkins.length ? answer : { ...answer, checkins: others }
  return { ...answer, checkins: [...others, stay] }
}
