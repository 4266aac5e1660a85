import { describe, expect, it } from "vitest"
import { cardBeside, columnBeside, firstCard } from "./card-steps.ts"
import type { Columns, Task } from "./columns.ts"

const card = (uuid: string) => ({ uuid }) as Task
const columns: Columns = { open: [card("a"), card("b"), card("c")], in_progress: [], to_verify: [card("v")], done: [card("d"), card("e")] }

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
})
