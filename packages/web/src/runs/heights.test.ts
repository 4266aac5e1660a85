import { array, assert, integer, nat, property } from "fast-check"
import { describe, expect, it } from "vitest"
import { Heights } from "./heights.ts"

describe("the heights of many rows", () => {
  const height = integer({ min: 1, max: 500 })
  it("add up as a plain list does, whatever is changed and appended", () => {
    const changes = array(
      integer({ min: 0, max: 1_000_000 }).chain((row) => height.map((value) => [row, value] as const)),
    )
    assert(
      property(array(height, { minLength: 1 }), changes, nat(20_000), (rows, changed, point) => {
        const heights = new Heights(rows)
        for (const [row, value] of changed) {
          if (row % 3 === 0) {
            rows.push(value)
            heights.append(value)
            continue
          }
          rows[row % rows.length] = value
          heights.set(row % rows.length, value)
        }
        const starts = rows.map((_, row) => rows.slice(0, row).reduce((sum, each) => sum + each, 0))
        expect(rows.map((_, row) => heights.start(row))).toEqual(starts)
        expect(heights.total).toBe((starts.at(-1) ?? 0) + (rows.at(-1) ?? 0))
        expect(heights.at(point)).toBe(
          Math.max(
            0,
            starts.findLastIndex((start) => start <= point),
          ),
        )
      }),
    )
  })
})
