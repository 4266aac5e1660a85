import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cardBeside, columnBeside, firstCard } from "./card-steps.ts"
import { type Columns, COLUMNS, type Task } from "./columns.ts"

const card = (uuid: string) => ({ uuid }) as Task
const columns: Columns = {
  open: [card("a"), card("b"), card("c")],
  in_progress: [],
  to_verify: [card("v")],
  done: [card("d"), card("e")],
}

describe("stepping from card to card", () => {
  it("stays within a column up and down", () => {
    expect(cardBeside(columns, "a", "down")).toBe("b")
    expect(cardBeside(columns, "a", "up")).toBe("a")
    expect(cardBeside(columns, "c", "down")).toBe("c")
  })

  it("skips empty columns and keeps to the nearest row", () => {
    expect(cardBeside(columns, "b", "right")).toBe("v")
    expect(cardBeside(columns, "v", "left")).toBe("a")
    expect(cardBeside(columns, "e", "right")).toBe("e")
  })

  it("begins at the first card", () => {
    expect(firstCard(columns)).toBe("a")
    expect(cardBeside(columns, undefined, "down")).toBe("a")
  })

  it("finds the column beside", () => {
    expect(columnBeside("open", "left")).toBeUndefined()
    expect(columnBeside("open", "right")).toBe("in_progress")
  })

  it("passes over columns that do not fit, and ends at the edge", () => {
    expect(columnBeside("open", "right", (id) => id === "done")).toBe("done")
    expect(columnBeside("done", "right")).toBeUndefined()
    expect(columnBeside("open", "right", () => false)).toBeUndefined()
  })

  it("has nowhere to go on an empty board", () => {
    const empty: Columns = { open: [], in_progress: [], to_verify: [], done: [] }
    expect(firstCard(empty)).toBeUndefined()
    expect(cardBeside(empty, undefined, "right")).toBeUndefined()
    expect(cardBeside(empty, "gone", "up")).toBeUndefined()
  })

  it("never leaves the board, and up undoes down within a column", () => {
    const sizes = fc
      .tuple(fc.nat(4), fc.nat(4), fc.nat(4), fc.nat(4))
      .filter((counts) => counts.some((count) => count > 0))
    const steps = fc.array(fc.constantFrom("up", "down", "left", "right" as const), { maxLength: 12 })
    fc.assert(
      fc.property(sizes, steps, (counts, walk) => {
        const board = Object.fromEntries(
          COLUMNS.map(({ id }, at) => [id, Array.from({ length: counts[at] ?? 0 }, (_, row) => card(`${id} ${row}`))]),
        ) as unknown as Columns
        const all = new Set(COLUMNS.flatMap(({ id }) => board[id].map(({ uuid }) => uuid)))
        let at = firstCard(board)
        for (const direction of walk) {
          at = cardBeside(board, at, direction)
          expect(all.has(at ?? "")).toBe(true)
        }
        const below = cardBeside(board, at, "down")
        if (below !== at) expect(cardBeside(board, below, "up")).toBe(at)
      }),
    )
  })
})
