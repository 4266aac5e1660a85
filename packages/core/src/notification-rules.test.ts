import { notifications } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { bondsOf, NOTIFICATION_RULES, type NotificationRule, type Party, recipientsOf } from "./notification-rules.ts"

const ann: Party = { type: "user", uuid: "ann" }
const bob: Party = { type: "user", uuid: "bob" }
const bot: Party = { type: "agent", uuid: "bot" }

function rule(kind: string): NotificationRule {
  const found = NOTIFICATION_RULES[kind]
  if (found === undefined) throw new Error(`no rule for ${kind}`)
  return found
}

describe("notification rules", () => {
  it("never tell who did it, and nobody twice", () => {
    expect(recipientsOf(rule("task.started"), { assignee: [bot], creator: [ann] }, "bot")).toEqual([ann])
    expect(recipientsOf(rule("elaboration.started"), { creator: [ann], actorOwner: [ann] }, "bot")).toEqual([ann])
  })

  it("tell a person that a proposal waits, whatever happens", () => {
    expect(recipientsOf(rule("proposal.submitted"), { actorOwner: [ann], ideaPeople: [bob, bot] }, "bot")).toEqual([ann, bob])
    expect(recipientsOf(rule("proposal.submitted"), { ideaPeople: [bot], stewards: [ann] }, "bot")).toEqual([ann])
    expect(recipientsOf(rule("proposal.submitted"), { ideaPeople: [ann], stewards: [ann, bob] }, "ann")).toEqual([bob])
  })

  it("tell the agents of the same proposal about a free task only when nobody holds it", () => {
    expect(recipientsOf(rule("task.unblocked"), { assignee: [bot], teammates: [{ type: "agent", uuid: "other" }] }, "x")).toEqual([bot])
    expect(recipientsOf(rule("task.unblocked"), { teammates: [bot] }, "x")).toEqual([bot])
  })

  it.each(Object.keys(NOTIFICATION_RULES))("%s says what happened in one sentence", (kind) => {
    const text = rule(kind).says("Ann", "Login", { preview: "hi", reviewNote: "because", reason: "why", verdict: "pass_with_notes" })
    expect(text).toMatch(/Login/)
    expect(text).not.toMatch(/undefined|\n/)
    expect(bondsOf(rule(kind)).size).toBeGreaterThan(0)
  })

  it("cover every kind of notification but the mention, which has its own source", () => {
    const covered = new Set(Object.values(NOTIFICATION_RULES).map(({ action }) => action))
    expect(notifications.NotificationAction.options.filter((action) => !covered.has(action))).toEqual(["mentioned"])
  })
})
