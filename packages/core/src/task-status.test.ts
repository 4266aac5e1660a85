import { tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { actionForMove, nextTaskStatus, TASK_TRANSITIONS, type TaskAction } from "./task-status.ts"

const STATUSES = tasks.TaskStatus.options
const ACTIONS = Object.keys(TASK_TRANSITIONS) as TaskAction[]

describe("the life of a task", () => {
  it("allows exactly these steps", () => {
    const steps = ACTIONS.flatMap((action) =>
      STATUSES.flatMap((from) => {
        const to = nextTaskStatus(from, action)
        return to === undefined ? [] : [`${action}: ${from} → ${to}`]
      }),
    )
    expect(steps).toEqual([
      "claim: open → assigned",
      "assign: open → assigned",
      "assign: assigned → assigned",
      "assign: in_progress → assigned",
      "release: assigned → open",
      "release: in_progress → open",
      "reclaim: assigned → open",
      "reclaim: in_progress → open",
      "start: assigned → in_progress",
      "submit: in_progress → to_verify",
      "takeBack: to_verify → in_progress",
      "verify: to_verify → done",
      "reopen: to_verify → in_progress",
      "reopen: done → in_progress",
      "reopen: closed → open",
      "finish: open → done",
      "putBack: done → open",
      "close: open → closed",
      "close: assigned → closed",
      "close: in_progress → closed",
      "close: to_verify → closed",
      "close: done → closed",
    ])
  })

  it("never lets a claim take what somebody holds, and skips the verdict only for what was done elsewhere", () => {
    for (const from of STATUSES.filter((status) => status !== "open"))
      expect(nextTaskStatus(from, "claim")).toBeUndefined()
    const intoDone = ACTIONS.flatMap((action) =>
      STATUSES.filter((from) => nextTaskStatus(from, action) === "done").map((from) => [action, from]),
    )
    expect(intoDone).toEqual([
      ["verify", "to_verify"],
      ["finish", "open"],
    ])
  })
})

describe("actionForMove", () => {
  it("leads exactly where the card was dropped, or is refused", () => {
    for (const from of STATUSES) {
      for (const to of STATUSES) {
        const action = actionForMove(from, to)
        if (action !== undefined) expect(nextTaskStatus(from, action)).toBe(to)
      }
    }
  })

  it("refuses to jump over a stage", () => {
    expect(actionForMove("open", "in_progress")).toBeUndefined()
    expect(actionForMove("in_progress", "done")).toBeUndefined()
    expect(actionForMove("done", "open")).toBeUndefined()
    expect(actionForMove("done", "done")).toBeUndefined()
  })
})
