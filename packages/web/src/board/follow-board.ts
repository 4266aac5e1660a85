import type { OutputOf, work } from "@chorus/contracts"
import { followAll, followRows, reloadWhen } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

export type BoardAnswer = OutputOf<typeof work.getBoard>

const rows = followAll<BoardAnswer>(
  // A label that is called otherwise, or gone, may be on any card.
  reloadWhen(({ kind }) => kind === "label.updated" || kind === "label.deleted"),
  followRows({ entity: "task", rows: "tasks", append: true }),
  followRows({ entity: "checkin", rows: "checkins", append: true, belongs: ({ checkoutAt }) => checkoutAt === null }),
)

/** Keeps the cards of one project, and who is at work on them, in step with the log. */
export function followBoard(projectUuid: string): Follow<BoardAnswer> {
  return { apply: (answer, event) => (event.projectUuid === projectUuid ? rows.apply(answer, event) : answer) }
}
