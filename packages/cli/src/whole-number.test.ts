import { InvalidArgumentError } from "commander"
import { assert, integer, property } from "fast-check"
import { describe, expect, it } from "vitest"
import { wholeNumber } from "./whole-number.ts"

const port = wholeNumber("A port is a number from 0 to 65535.", 0, 65_535)

describe("a whole number", () => {
  it("is read from 0 to its limit", () => {
    assert(property(integer({ min: 0, max: 65_535 }), (number) => port(String(number)) === number))
  })

  it.each(["", " ", "65536", "-1", "1.5", "1e3", "0x10", "+1", "1 2", "١", "Infinity", "NaN", "eight"])(
    "is not %j, and what it should be is said",
    (text) => {
      expect(() => port(text)).toThrow(new InvalidArgumentError("A port is a number from 0 to 65535."))
    },
  )

  it("has no upper limit unless one is named, but stays a number that counts exactly", () => {
    const days = wholeNumber("Give a whole number of days.", 1)
    expect(days("1000000")).toBe(1_000_000)
    expect(() => days("0")).toThrow(InvalidArgumentError)
    expect(() => days("9".repeat(20))).toThrow(InvalidArgumentError)
  })
})
