import type { TeamTask } from "@chorus/contracts"
import { array, assert, integer, property, tuple } from "fast-check"
import { expect, test } from "vitest"
import { checkClaim, checkStatus, linked, nextClaimable, openBlockers } from "./task-rules.ts"

const task = (id: string, more: Partial<TeamTask> = {}): TeamTask => ({
  id,
  subject: id,
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
})
const list = (...tasks: TeamTask[]) => new Map(tasks.map((one) => [one.id, one]))

test("a link is written at both ends, once", () => {
  const tasks = list(task("1"), task("2"))
  const changed = linked(tasks, "1", "2")
  expect(changed).toEqual([task("1", { blocks: ["2"] }), task("2", { blockedBy: ["1"] })])
  expect(linked(list(...changed), "1", "2")).toEqual([])
})

test("no order of inserted links ever makes a circle", () => {
  const edges = array(tuple(integer({ min: 1, max: 7 }), integer({ min: 1, max: 7 })), { maxLength: 40 })
  assert(
    property(edges, (pairs) => {
      const tasks = list(...Array.from({ length: 7 }, (_, n) => task(String(n + 1))))
      for (const [from, to] of pairs) {
        try {
          for (const changed of linked(tasks, String(from), String(to))) tasks.set(changed.id, changed)
        } catch (error) {
          expect(error).toMatchObject({ code: "task_cycle" })
        }
      }
      expect(finishable(tasks)).toBe(7)
    }),
  )
})

test("a circle is seen through links that only one end knows of", () => {
  const tasks = list(task("1"), task("2", { blockedBy: ["1"] }), task("3", { blockedBy: ["2"] }))
  expect(() => linked(tasks, "3", "1")).toThrowError(expect.objectContaining({ code: "task_cycle" }))
})

test("claims: the smallest free number, not blocked, not internal, one at a time", () => {
  const tasks = list(
    task("2", { blockedBy: ["10"] }),
    task("3", { metadata: { _internal: true } }),
    task("9"),
    task("10", { status: "in_progress", owner: "bob" }),
  )
  expect(nextClaimable(tasks)?.id).toBe("9")
  expect(() => checkClaim(tasks, task("10", { status: "in_progress", owner: "bob" }), "alice")).toThrowError(
    expect.objectContaining({ code: "already_claimed", details: { owner: "bob" } }),
  )
  expect(() => checkClaim(tasks, task("9"), "bob")).toThrowError(expect.objectContaining({ code: "agent_busy" }))
  expect(() => checkClaim(tasks, task("9"), "bob", { several: true })).not.toThrow()
})

test("a blocker that was completed or is gone does not block", () => {
  const tasks = list(task("1", { status: "completed" }), task("2", { blockedBy: ["1", "77"] }))
  expect(openBlockers(tasks, task("2", { blockedBy: ["1", "77"] }))).toEqual([])
})

test("completed and deleted are not left again", () => {
  expect(() => checkStatus(task("1", { status: "completed" }), "pending")).toThrowError(
    expect.objectContaining({ code: "bad_transition" }),
  )
  expect(() => checkStatus(task("1", { status: "in_progress" }), "pending")).not.toThrow()
  expect(() => checkStatus(task("1", { status: "completed" }), "deleted")).not.toThrow()
})

function finishable(tasks: Map<string, TeamTask>): number {
  const done = new Set<string>()
  for (let before = -1; before !== done.size;) {
    before = done.size
    for (const one of tasks.values()) if (one.blockedBy.every((id) => done.has(id))) done.add(one.id)
  }
  return done.size
}
