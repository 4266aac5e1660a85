import { anything, assert, integer, property } from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { pageInput, pageOutput } from "./signature.ts"

const input = z.object(pageInput)

describe("the page that is asked for", () => {
  it("is the first, with twenty rows, where nothing is said", () =>
    expect(input.parse({})).toEqual({ page: 1, pageSize: 20 }))

  it.each([
    [1, 1],
    [3, 3],
    ["3", 3],
    [0, 1],
    [-7, 1],
    ["two", 1],
    [1.5, 1],
    [null, 1],
    [Number.NaN, 1],
    [{}, 1],
  ])("is brought from %j to %i", (page, brought) => expect(input.parse({ page }).page).toBe(brought))

  it.each([
    [1, 1],
    [100, 100],
    [101, 100],
    ["50", 50],
    [0, 1],
    [-1, 1],
    [1e9, 100],
    ["all", 20],
    [2.5, 20],
    [[], 1],
  ])("has its size brought from %j to %i", (pageSize, brought) =>
    expect(input.parse({ pageSize }).pageSize).toBe(brought),
  )

  it("is never refused and always in range, whatever is asked", () => {
    assert(
      property(anything(), anything(), (page, pageSize) => {
        const brought = input.parse({ page, pageSize })
        expect(Number.isInteger(brought.page) && brought.page >= 1).toBe(true)
        expect(Number.isInteger(brought.pageSize) && brought.pageSize >= 1 && brought.pageSize <= 100).toBe(true)
      }),
    )
  })

  it("is kept as it is where it is in range", () => {
    assert(
      property(integer({ min: 1, max: 1_000_000 }), integer({ min: 1, max: 100 }), (page, pageSize) => {
        expect(input.parse({ page, pageSize })).toEqual({ page, pageSize })
      }),
    )
  })
})

describe("the page that is answered", () => {
  it("says how many came, which page it is, and how many there are", () => {
    const answer = { returned: 2, page: 3, pageSize: 20, total: 42 }
    expect(z.object(pageOutput).parse(answer)).toEqual(answer)
  })
})
