import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { projectKeyFrom, shortIdOf } from "./short-id.ts"

describe("the key of a project", () => {
  it.each([
    ["Shop", "SHOP"],
    ["Web shop relaunch", "WSR"],
    ["Überfahrt", "UBERF"],
    ["3D printer", "DP"],
    ["小店", "PROJ"],
    ["x", "XPRO"],
    ["Payments", "PAYME"],
  ])("of %s is %s", (name, key) => {
    expect(projectKeyFrom(name, new Set())).toBe(key)
  })

  it("gets a number where another project has it", () => {
    expect(projectKeyFrom("Shop", new Set(["SHOP"]))).toBe("SHOP2")
    expect(projectKeyFrom("Shop", new Set(["SHOP", "SHOP2"]))).toBe("SHOP3")
  })

  it("makes a short id of whatever name", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, others) => {
        const taken = new Set(others.map((other) => projectKeyFrom(other, new Set())))
        const key = projectKeyFrom(name, taken)
        expect(shortIdOf(`${key}-1`)).toBe(`${key}-1`)
        expect(taken.has(key)).toBe(false)
      }),
    )
  })
})

describe("a short id", () => {
  it("is read however it is written", () => {
    expect(shortIdOf(" shop-12 ")).toBe("SHOP-12")
  })

  it.each(["SHOP", "SHOP-0", "12-3", "-1", "SHOP-1-2", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "A-1"])(
    "is not %s",
    (text) => expect(shortIdOf(text)).toBeUndefined(),
  )
})
