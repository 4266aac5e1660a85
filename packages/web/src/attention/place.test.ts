import { describe, expect, it } from "vitest"
import { waitingItem } from "../../test/rows.ts"
import type { Item } from "./decide.ts"
import { placeOf } from "./place.ts"

const item = (changes: Partial<Item>) => waitingItem({ uuid: "u1", projectUuid: "p1", ...changes })

describe("the place of what waits", () => {
  it.each([
    [
      "a task",
      item({}),
      { to: "/projects/$projectUuid/tasks/$taskUuid", params: { projectUuid: "p1", taskUuid: "u1" } },
    ],
    [
      "a proposal",
      item({ kind: "proposal" }),
      { to: "/projects/$projectUuid/proposals/$proposalUuid", params: { projectUuid: "p1", proposalUuid: "u1" } },
    ],
    [
      "a round of questions, at its idea",
      item({ kind: "elaboration", ideaUuid: "i1" }),
      {
        to: "/projects/$projectUuid/ideas/$ideaUuid",
        params: { projectUuid: "p1", ideaUuid: "i1" },
        hash: "round-u1",
      },
    ],
    ["an agent that asks", item({ kind: "attention" }), { to: "/agents" }],
    ["an agent that asks outside of any project", item({ kind: "attention", projectUuid: null }), { to: "/agents" }],
  ])("is known of %s", (_, waiting, place) => {
    expect(placeOf(waiting)).toEqual(place)
  })

  it.each([
    ["a task without a project", item({ projectUuid: null })],
    ["a round without an idea", item({ kind: "elaboration" })],
  ])("is not made up for %s", (_, waiting) => {
    expect(placeOf(waiting)).toBeUndefined()
  })
})
