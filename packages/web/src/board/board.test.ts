import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { agentRef, logEvent, stayRow, taskRow as task } from "../../test/rows.ts"
import { holdersOf, inColumns, inLanes, matches } from "./columns.ts"
import { type BoardAnswer, followBoard } from "./follow-board.ts"
import { canUndo, moveTo } from "./moves.ts"

function event(
  entityType: string,
  action: LogEvent["action"],
  entityUuid: string,
  patch: Record<string, unknown>,
  projectUuid = "p",
): LogEvent {
  return logEvent({ entityType, entityUuid, projectUuid, action, patch })
}

describe("columns", () => {
  it("puts assigned cards with the open ones, ready, urgent and old first", () => {
    const { open } = inColumns([
      task({ uuid: "d", priority: "high", openDependencies: 1 }),
      task({ uuid: "a", createdAt: "2" }),
      task({ uuid: "b", status: "assigned", createdAt: "1" }),
      task({ uuid: "c", priority: "high", createdAt: "3" }),
    ])
    expect(open.map(({ uuid }) => uuid)).toEqual(["c", "b", "a", "d"])
  })

  it("shows what was finished last first", () => {
    const { done } = inColumns([
      task({ uuid: "a", status: "done", updatedAt: "1" }),
      task({ uuid: "b", status: "done", updatedAt: "2" }),
    ])
    expect(done.map(({ uuid }) => uuid)).toEqual(["b", "a"])
  })

  it("filters by words, holder, readiness, and hides closed cards unless asked", () => {
    const ada = agentRef("Ada")
    expect(matches({ find: "PARSER write" })(task())).toBe(true)
    expect(matches({ find: "lexer" })(task())).toBe(false)
    expect(matches({ assignee: "nobody" })(task())).toBe(true)
    expect(matches({ assignee: "nobody" })(task({ assignee: ada }))).toBe(false)
    expect(matches({ ready: true })(task({ openDependencies: 1 }))).toBe(false)
    expect(matches({})(task({ status: "closed" }))).toBe(false)
    expect(matches({ closed: true })(task({ status: "closed" }))).toBe(true)
  })

  it("makes lanes by name with the nameless last", () => {
    const lanes = inLanes(
      [task({ uuid: "x" }), task({ uuid: "y", proposalUuid: "q2" }), task({ uuid: "z", proposalUuid: "q1" })],
      "proposal",
      (uuid) => (uuid === "q1" ? "Beta" : "Alpha"),
    )
    expect(lanes.map(({ name, count }) => [name, count])).toEqual([
      ["Alpha", 1],
      ["Beta", 1],
      [undefined, 1],
    ])
  })

  it("names each holder once", () => {
    const ada = agentRef("Ada")
    expect(holdersOf([task({ assignee: ada }), task({ assignee: ada }), task()])).toEqual([
      { uuid: "ada", name: "Ada" },
    ])
  })
})

describe("moves", () => {
  it("starts an open card in one step, unless it waits for others", () => {
    expect(moveTo(task(), "in_progress")).toEqual({ may: true, status: "in_progress", by: "start" })
    expect(moveTo(task({ status: "assigned" }), "in_progress")).toEqual({
      may: true,
      status: "in_progress",
      by: "move",
    })
    expect(moveTo(task({ openDependencies: 2 }), "in_progress")).toEqual({ may: false, why: "blocked" })
  })

  it("follows the life of a task", () => {
    expect(moveTo(task({ status: "to_verify" }), "done")).toMatchObject({ may: true, status: "done" })
    expect(moveTo(task({ status: "to_verify" }), "in_progress")).toMatchObject({ may: true, status: "in_progress" })
    expect(moveTo(task(), "done")).toEqual({ may: false, why: "rule" })
    expect(moveTo(task(), "open")).toEqual({ may: false, why: "same" })
  })

  it("offers to undo only what one step takes back", () => {
    expect(canUndo("open", "in_progress")).toBe(true)
    expect(canUndo("in_progress", "to_verify")).toBe(true)
    expect(canUndo("to_verify", "done")).toBe(false)
  })
})

describe("following the board", () => {
  const follow = followBoard("p")
  const answer: BoardAnswer = { tasks: [task()], checkins: [], returned: [], position: 0 }
  const stay = stayRow()

  it("moves, adds and drops cards", () => {
    expect(follow.apply(answer, event("task", "updated", "t1", { status: "done" }))?.tasks[0]?.status).toBe("done")
    expect(follow.apply(answer, event("task", "created", "t2", { ...task({ uuid: "t2" }) }))?.tasks).toHaveLength(2)
    expect(follow.apply(answer, event("task", "created", "t1", { ...task() }))?.tasks).toHaveLength(1)
    expect(follow.apply(answer, event("task", "deleted", "t1", {}))?.tasks).toEqual([])
  })

  it("lets badges come and go", () => {
    const came = follow.apply(answer, event("checkin", "created", "c1", { ...stay }))
    expect(came?.checkins).toHaveLength(1)
    const left = follow.apply(came ?? answer, event("checkin", "updated", "c1", { ...stay, checkoutAt: "2" }))
    expect(left?.checkins).toEqual([])
  })

  it("is not concerned by other projects", () => {
    expect(follow.apply(answer, event("task", "updated", "t1", { status: "done" }, "elsewhere"))).toBe(answer)
  })
})
