import { describe, expect, it } from "vitest"
import { taskRow } from "../../test/rows.ts"
import { type ColumnId, columnOf, COLUMNS, type Task } from "./columns.ts"
import { canUndo, moveTo } from "./moves.ts"

const STATUSES = ["open", "assigned", "in_progress", "to_verify", "done", "closed"] as const

/** What each row offers for each column; the status it leads to, or why not. */
const MATRIX: readonly [Task["status"], Record<ColumnId, Task["status"] | "same" | "rule">][] = [
  ["open", { open: "same", in_progress: "in_progress", to_verify: "rule", done: "rule" }],
  ["assigned", { open: "same", in_progress: "in_progress", to_verify: "rule", done: "rule" }],
  ["in_progress", { open: "open", in_progress: "same", to_verify: "to_verify", done: "rule" }],
  ["to_verify", { open: "rule", in_progress: "in_progress", to_verify: "same", done: "done" }],
  ["done", { open: "rule", in_progress: "in_progress", to_verify: "rule", done: "same" }],
  ["closed", { open: "open", in_progress: "rule", to_verify: "rule", done: "same" }],
]

describe("a move", () => {
  it.each(MATRIX.flatMap(([from, row]) => COLUMNS.map(({ id }) => [from, id, row[id]] as const)))(
    "of %s into %s leads to %s",
    (from, column, expected) => {
      const move = moveTo(taskRow({ status: from }), column)
      expect(move.may ? move.status : move.why).toBe(expected)
    },
  )

  it("that is offered always ends in the column it was offered for", () => {
    for (const status of STATUSES) {
      for (const { id } of COLUMNS) {
        const move = moveTo(taskRow({ status }), id)
        if (move.may) expect(columnOf(move.status)).toBe(id)
      }
    }
  })

  it("claims what nobody holds on the way, and only that", () => {
    const by = (status: Task["status"]) => {
      const move = moveTo(taskRow({ status }), "in_progress")
      return move.may ? move.by : undefined
    }
    expect(by("open")).toBe("start")
    expect(by("assigned")).toBe("move")
    expect(by("to_verify")).toBe("move")
  })

  it("of what waits for others is not to be had before they are done", () => {
    expect(moveTo(taskRow({ status: "assigned", openDependencies: 1 }), "in_progress")).toEqual({
      may: false,
      why: "blocked",
    })
    expect(moveTo(taskRow({ status: "in_progress", openDependencies: 1 }), "to_verify")).toMatchObject({ may: true })
  })
})

describe("undoing", () => {
  it.each([
    ["open", "in_progress", true],
    ["assigned", "in_progress", false],
    ["in_progress", "to_verify", true],
    ["to_verify", "in_progress", true],
    ["in_progress", "open", false],
    ["to_verify", "done", false],
    ["done", "in_progress", false],
    ["closed", "open", true],
  ] as const)("of %s to %s is offered: %s", (from, to, offered) => {
    expect(canUndo(from, to)).toBe(offered)
  })
})
