import type { attentions, LogEvent, OutputOf } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { logEvent, waitingItem } from "../../test/rows.ts"
import type { Item } from "./decide.ts"
import { followNeedsYou, without } from "./use-needs-you.ts"

type Queue = OutputOf<typeof attentions.needsYou>
const KINDS = ["elaboration", "proposal", "task", "attention"] as const

function queue(...items: readonly (readonly [kind: Item["kind"], uuid: string])[]): Queue {
  const counts = Object.fromEntries(
    KINDS.map((kind) => [kind, items.filter(([each]) => each === kind).length]),
  ) as Queue["counts"]
  return {
    items: items.map(([kind, uuid]) => waitingItem({ kind, uuid, title: "" })),
    counts,
    total: items.length,
  }
}

function event(
  entityType: string,
  entityUuid: string,
  patch: Record<string, unknown>,
  action: LogEvent["action"] = "updated",
): LogEvent {
  return logEvent({
    kind: "x.y",
    entityType,
    entityUuid,
    projectUuid: "p",
    action,
    patch,
  })
}

describe("the queue without one of its items", () => {
  it("counts one less of its kind", () => {
    expect(without(queue(["task", "t"], ["proposal", "o"]), "t")).toEqual(queue(["proposal", "o"]))
  })

  it("is itself when it was not there", () => {
    const before = queue(["task", "t"])
    expect(without(before, "other")).toBe(before)
  })
})

describe("following the queue", () => {
  const before = queue(["task", "t"], ["proposal", "o"], ["elaboration", "r"], ["attention", "a"])

  it.each([
    ["a task that is verified", event("task", "t", { status: "done" }), "t"],
    ["a task that is sent back", event("task", "t", { status: "in_progress" }), "t"],
    ["a task that is deleted", event("task", "t", {}, "deleted"), "t"],
    ["a proposal that is decided", event("proposal", "o", { status: "approved" }), "o"],
    ["a round that is answered", event("round", "r", { status: "answered" }), "r"],
    ["a question that is answered", event("attention", "a", { state: "answered" }), "a"],
    ["a question that is taken back", event("attention", "a", { state: "withdrawn" }), "a"],
    ["a question whose time is over", event("attention", "a", { state: "expired" }), "a"],
  ])("drops %s", (_, told, gone) => {
    expect(followNeedsYou.apply(before, told)).toEqual(without(before, gone))
  })

  it.each([
    ["a title that changes", event("task", "t", { title: "x" })],
    ["a status that stays", event("task", "t", { status: "to_verify" })],
    ["a question that is still open", event("attention", "a", { state: "open" })],
    ["a task that begins", event("task", "new", { status: "in_progress" })],
    ["a proposal that is only a draft", event("proposal", "new", { status: "draft" }, "created")],
    ["a round that changes", event("round", "new", { status: "answered" })],
    ["an idea", event("idea", "i", { status: "open" }, "created")],
  ])("does not care about %s", (_, told) => {
    expect(followNeedsYou.apply(before, told)).toBe(before)
  })

  it.each([
    ["a round of questions", event("round", "new", { status: "pending_answers" }, "created")],
    ["an agent that asks", event("attention", "new", { state: "open" }, "created")],
    ["work that is handed in", event("task", "new", { status: "to_verify" })],
    ["a proposal that is submitted", event("proposal", "new", { status: "pending" })],
  ])("asks again for %s", (_, told) => {
    expect(followNeedsYou.apply(before, told)).toBeUndefined()
  })

  it("asks again, where more wait than it holds, for what takes the place of what goes", () => {
    const cut = { ...before, total: before.total + 1 }
    expect(followNeedsYou.apply(cut, event("task", "t", { status: "done" }))).toBeUndefined()
    expect(followNeedsYou.apply(cut, event("task", "t", { title: "x" }))).toBe(cut)
  })

  it("counts what it holds, whatever goes in whatever order", () => {
    const uuids = fc.uniqueArray(fc.tuple(fc.constantFrom(...KINDS), fc.string({ minLength: 1, maxLength: 4 })), {
      selector: ([, uuid]) => uuid,
      maxLength: 12,
    })
    fc.assert(
      fc.property(uuids, fc.array(fc.nat(15), { maxLength: 15 }), (items, order) => {
        let now = queue(...items)
        for (const at of order) now = without(now, items[at]?.[1] ?? "")
        expect(now.total).toBe(now.items.length)
        for (const kind of KINDS) expect(now.counts[kind]).toBe(now.items.filter((item) => item.kind === kind).length)
      }),
    )
  })
})
