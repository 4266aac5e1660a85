import * as fc from "fast-check"
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
    const layers = stacked(
      [
        { done: 1, open: 3 },
        { done: 2, open: 2 },
      ],
      ["done", "open"],
      4,
    )
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
    expect(placed({ from: "2025-12-31T23:00:00Z", to: "2026-01-01T05:00:00Z" }, since, until)).toEqual({
      left: 0,
      width: 0.5,
    })
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

describe("the scale of any chart", () => {
  const largest = fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.double({ min: 0.01, max: 1000, noNaN: true }))

  it("begins at zero, reaches the largest value, and has few even steps", () => {
    fc.assert(
      fc.property(largest, (value) => {
        const scale = ticks(value)
        expect(scale[0]).toBe(0)
        expect(scale.at(-1)).toBeGreaterThanOrEqual(value * (1 - 1e-9))
        expect(scale.length).toBeLessThanOrEqual(6)
        const step = scale[1] ?? 0
        for (const [at, tick] of scale.entries()) expect(tick).toBeCloseTo(at * step, 6)
      }),
    )
  })

  it("counts things in whole numbers", () => {
    for (const value of [1, 2, 3, 5, 9, 11]) expect(ticks(value).every(Number.isInteger)).toBe(true)
  })

  it("is drawn also where nothing is or less than nothing", () => {
    expect(ticks(-3)).toEqual([0, 1])
  })
})

describe("layers of any rows", () => {
  const rows = fc.array(fc.record({ a: fc.nat(9), b: fc.nat(9) }), { minLength: 1, maxLength: 6 })
  const points = (path: string) =>
    path
      .slice(1, -1)
      .split("L")
      .map((point) => point.split(",").map(Number))

  it("stay inside the box, and the upper one begins where the lower one ends", () => {
    fc.assert(
      fc.property(rows, (each) => {
        const top = Math.max(...each.map(({ a, b }) => a + b), 1)
        const [lower, upper] = stacked(each, ["a", "b"], top).map(({ path }) => points(path))
        const count = Math.max(2, each.length)
        expect(upper?.slice(count)).toEqual(lower?.slice(0, count).toReversed())
        for (const [x = -1, y = -1] of [...(lower ?? []), ...(upper ?? [])]) {
          expect(x >= 0 && x <= 1).toBe(true)
          expect(y >= 0 && y <= 1).toBe(true)
        }
      }),
    )
  })
})

describe("labels that are spread", () => {
  it("are never more than there is room for, in order, with both ends", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 2, max: 8 }), (count, most) => {
        const items = Array.from({ length: count }, (_, at) => at)
        const chosen = spread(items, most)
        expect(chosen.length).toBe(Math.min(count, most))
        expect(chosen.map(({ at }) => at)).toEqual([...new Set(chosen.map(({ at }) => at))].sort((a, b) => a - b))
        expect([chosen[0]?.item, chosen.at(-1)?.item]).toEqual([0, count - 1])
      }),
    )
  })
})

describe("a stay at the edge of a window", () => {
  const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, "0")}:00:00Z`
  const [since, until] = [Date.parse(at(2)), Date.parse(at(4))]

  it.each([
    ["ends where the window begins", at(1), at(2), undefined],
    ["begins where the window ends", at(4), at(5), undefined],
    ["is longer than the window", at(0), at(9), { left: 0, width: 1 }],
    ["goes on since before the window", at(0), null, { left: 0, width: 1 }],
    ["takes no time", at(3), at(3), { left: 0.5, width: 0 }],
    ["ended before it began", at(3), at(2), undefined],
  ])("that %s", (_, from, to, place) => {
    expect(placed({ from, to }, since, until)).toEqual(place)
  })
})
