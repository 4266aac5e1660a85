import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { placeAfter } from "./place-after.ts"

const after = (next: string) => placeAfter(`?next=${encodeURIComponent(next)}`)

describe("the place after signing in", () => {
  it.each(["/projects/1/board", "/projects/1/board?lanes=agent&task=2", "/settings/agents#keys", "/"])(
    "may be %s",
    (place) => {
      expect(after(place)).toBe(place)
    },
  )

  it("is the start where none is named", () => {
    expect([placeAfter(""), placeAfter("?next="), placeAfter("?other=/x")]).toEqual(["/", "/", "/"])
  })

  it.each([
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r\\evil.example",
    "/.//evil.example",
    "/a/..//evil.example",
  ])("is never %j", (next) => {
    expect(after(next)).toBe("/")
  })

  it("never leaves the page it was on, whatever is asked for", () => {
    const hostile = fc
      .array(fc.constantFrom("/", "\\", "\t", "\n", ".", "..", "@", ":", "evil.example", "?", "#", "%2f", "a"), {
        maxLength: 8,
      })
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string(), fc.webUrl()), (next) => {
        expect(new URL(after(next), "https://chorus.example").origin).toBe("https://chorus.example")
      }),
    )
  })
})
