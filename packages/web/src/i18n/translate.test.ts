import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Dictionary, en } from "./en.ts"
import { type Parameters, translate } from "./language.ts"
import { zh } from "./zh.ts"

/** What a text becomes, whatever it stands under. */
const said = (text: string, parameters?: Parameters) =>
  translate({ ...en, "app.name": text } as Dictionary, "app.name", parameters)

describe("a text with parameters", () => {
  it("has them filled in, each as often as it is named", () => {
    expect(translate(en, "signIn.withProvider", { name: "Acme" })).toBe("Continue with Acme")
    expect(said("{a} and {b} and {a}", { a: "x", b: 2 })).toBe("x and 2 and x")
  })

  it("shows what was not given, so that it is noticed", () => {
    expect(translate(zh, "signIn.withProvider")).toBe("使用 {name} 继续")
    expect(said("{count|task|tasks} of {name}", { name: "Ada" })).toBe("{count|task|tasks} of Ada")
  })

  it("leaves alone what is given and not named", () => {
    expect(said("Nothing to fill", { name: "Ada" })).toBe("Nothing to fill")
  })

  it("takes an empty text and a zero for what they are", () => {
    expect(said("[{name}] {count}", { name: "", count: 0 })).toBe("[] 0")
  })

  it("takes every value literally: no pattern, no text of its own in it", () => {
    fc.assert(fc.property(fc.string(), (value) => said("a {value} b", { value }) === `a ${value} b`))
    expect(said("{a}{b}", { a: "{b}", b: "$&" })).toBe("{b}$&")
  })
})

describe("a form that fits a number", () => {
  it.each([
    [1, "1 task by Ada"],
    ["1", "1 task by Ada"],
    [0, "0 tasks by Ada"],
    [2, "2 tasks by Ada"],
    [1.5, "1.5 tasks by Ada"],
    [-1, "-1 tasks by Ada"],
    ["1,000", "1,000 tasks by Ada"],
  ])("for %s is as in %s", (count, words) => {
    expect(said("{count} {count|task|tasks} by {name}", { count, name: "Ada" })).toBe(words)
  })

  it("may be nothing for one of the two", () => {
    expect([1, 2].map((count) => said("{count} deviation{count||s}", { count }))).toEqual([
      "1 deviation",
      "2 deviations",
    ])
  })
})

describe("the dictionaries", () => {
  it("name the same parameters in every language", () => {
    const named = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((match) => match[1]))].sort()
    for (const key of Object.keys(en) as (keyof typeof en)[]) expect(named(zh[key]), key).toEqual(named(en[key]))
  })
})
