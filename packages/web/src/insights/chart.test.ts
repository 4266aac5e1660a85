import { describe, expect, it } from "vitest"
import { lineOf, placed, spread, stacked, ticks } from "./chart.ts"

describe("ticks", () => {
  it("are round and reach the largest value", () => {
    expect(ticks(7)).toEqual([0, 2, 4, 6, 8])
    expect(ticks(3)).toEqual([0, 1, 2, 3])
    expect(ticks(230)).toEqual([0, 100, 200, 300])
    expect(ticks(0.7)).toEqual([0, 0.2, 0.4, 0.6, 0.8])
    expect(ticks(0)).toEqual([0, 1])
  })
})

describe("stacked layers", () => {
  it("stand upon each other", () => {
    const layers = stacked([{ done: 1, open: 3 }, { done: 2, open: 2 }], ["done", "open"], 4)
    expect(layers).toEqual([
      { key: "done", path: "M0,0.75L1,0.5L1,1L0,1Z" },
      { key: "open", path: "M0,0L1,0L1,0.5L0,0.75Z" },
    ])
  })

  it("are an area also on the first day", () => {
    expect(stacked([{ done: 1 }], ["done"], 1)[0]?.path).toBe("M0,0L1,0L1,1L0,1Z")
  })
})

describe("a stay in a window", () => {
  const [since, until] = [Date.parse("2026-01-01T00:00:00Z"), Date.parse("2026-01-01T10:00:00Z")]

  it("is cut to it", () => {
    expect(placed({ from: "2025-12-31T23:00:00Z", to: "2026-01-01T05:00:00Z" }, since, until)).toEqual({ left: 0, width: 0.5 })
    expect(placed({ from: "2026-01-01T09:00:00Z", to: null }, since, until)).toEqual({ left: 0.9, width: 0.1 })
  })

  it("is nowhere outside", () => {
    expect(placed({ from: "2025-12-31T23:00:00Z", to: "2025-12-31T23:30:00Z" }, since, until)).toBeUndefined()
    expect(placed({ from: "2026-01-01T11:00:00Z", to: null }, since, until)).toBeUndefined()
  })
})

describe("labels", () => {
  it("are few and include both ends", () => {
    expect(spread([..."abcdefghij"], 4).map(({ item }) => item)).toEqual(["a", "d", "g", "j"])
    expect(spread(["a"], 4)).toEqual([{ item: "a", at: 0 }])
  })
})

describe("a line", () => {
  it("runs from the first day to the last, and flat when there is only one", () => {
    expect(lineOf([0, 2, 4], 4)).toBe("M0,1L0.5,0.5L1,0")
    expect(lineOf([1], 2)).toBe("M0,0.5L1,0.5")
    expect(lineOf([], 1)).toBe("")
  })
})
