import type { OutputOf, proposals } from "@chorus/contracts"
import { followRows } from "../live/follow.ts"
import type { Follow } from "../live/live-store.ts"

type Answer = OutputOf<typeof proposals.getProposals>

/** Keeps the proposals of one project in step with the log. */
export function followProposals(projectUuid: string): Follow<Answer> {
  return followRows<Answer>({
    entity: "proposal",
    rows: "proposals",
    belongs: (row) => row.projectUuid === projectUuid,
  })
}
