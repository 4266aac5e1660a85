import { describe, expect, it } from "vitest"
import { type Claimant, holds } from "./ownership.ts"

const ada: Claimant = { type: "user", uuid: "ada", ownerUuid: null }
const bot: Claimant = { type: "agent", uuid: "bot", ownerUuid: "ada" }
const stray: Claimant = { type: "agent", uuid: "stray", ownerUuid: null }

describe("who holds what is assigned", () => {
  it.each<[who: string, claimant: Claimant, assigneeType: string | null, assigneeUuid: string | null, held: boolean]>([
    ["a person what is theirs", ada, "user", "ada", true],
    ["a person not another's", ada, "user", "eve", false],
    ["a person not their agent's", ada, "agent", "bot", false],
    ["an agent what is its own", bot, "agent", "bot", true],
    ["an agent what is its owner's", bot, "user", "ada", true],
    ["an agent not another person's", bot, "user", "eve", false],
    ["an agent not another agent's", bot, "agent", "stray", false],
    ["nobody what is nobody's", ada, null, null, false],
    ["an agent without an owner not what is nobody's", stray, null, null, false],
    ["an agent without an owner not what was assigned to a person without a name", stray, "user", null, false],
    ["a person not what an agent of the same id holds", { ...ada, uuid: "bot" }, "agent", "bot", false],
  ])("is: %s", (_, claimant, assigneeType, assigneeUuid, held) => {
    expect(holds(claimant, { assigneeType, assigneeUuid })).toBe(held)
  })
})
