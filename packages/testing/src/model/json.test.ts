import { anything, assert, property } from "fast-check"
import { describe, expect, test } from "vitest"
import { fields, items, text } from "./json.ts"

describe("JSON of unknown shape", () => {
  test.each([[undefined], [null], ["text"], [7], [[1]], [true]])("%j has no fields", (value) =>
    expect(fields(value)).toEqual({}),
  )
  test.each([[undefined], [null], ["text"], [{ 0: 1, length: 1 }]])("%j has no items", (value) =>
    expect(items(value)).toEqual([]),
  )
  test.each([[undefined], [null], [7], [["a"]], [{}]])("%j is no text", (value) => expect(text(value)).toBe(""))

  test("is given back where it has the shape", () => {
    const [object, list] = [{ a: 1 }, [1, 2]]
    expect([fields(object), items(list), text("a")]).toEqual([object, list, "a"])
  })

  test("is never a reason to throw", () => {
    assert(
      property(anything(), (value) => {
        expect([typeof fields(value), Array.isArray(items(value)), typeof text(value)]).toEqual([
          "object",
          true,
          "string",
        ])
      }),
    )
  })
})
