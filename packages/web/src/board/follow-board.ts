import type { OutputOf, work } from "@chorus/contracts"
import { followAll, followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

export type BoardAnswer = OutputOf<typeof work.getBoard>

/** Keeps the cards of one project, and who is at work on them, in step with the log. */
export function followBoard(projectUuid: string): Follow<BoardAnswer> {
  return followAll<BoardAnswer>(
    followRows({ entity: "task", rows: "tasks", append: true, belongs: (task) => task.projectUuid === projectUuid }),
    followRows({
      entity: "checkin",
      rows: "checkins",
      append: true,
      belongs: (stay, event) => stay.checkoutAt === null && event.projectUuid === projectUuid,
    }),
  )
}
