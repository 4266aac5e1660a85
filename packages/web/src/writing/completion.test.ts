import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { askedAt, withChosen } from "./completion.ts"

describe("what is asked for at the caret", () => {
  it("begins with an @ at a word's beginning", () => {
    expect(askedAt("@", 1)).toEqual({ mark: "@", query: "", from: 0, to: 1 })
    expect(askedAt("你好 @王", 5)?.query).toBe("王")
    expect(askedAt("mail@ad", 7)).toBeUndefined()
    expect(askedAt("hi @ad there", 12)).toBeUndefined()
  })

  it("begins with a # and two letters, which no heading does", () => {
    expect(askedAt("see #SHOP-1", 11)).toEqual({ mark: "#", query: "SHOP-1", from: 4, to: 11 })
    expect(askedAt("# He", 4)).toBeUndefined()
    expect(askedAt("#a", 2)).toBeUndefined()
    expect(askedAt("a#bc", 4)).toBeUndefined()
  })

  it("is replaced by what was chosen", () => {
    const asked = askedAt("hi @ad there", 6)
    expect(asked && withChosen("hi @ad there", asked, "@[Ada](user:1)")).toEqual({
      text: "hi @[Ada](user:1) there",
      caret: 18,
    })
  })
})

describe("a mention being typed", () => {
  it.each([
    ["at the very beginning", "@ada", 4, "ada"],
    ["after a blank", "hi @a", 5, "a"],
    ["after a line break", "hi\n@a", 5, "a"],
    ["after a bracket", "(@a", 3, "a"],
    ["after a full-width bracket", "（@王", 3, "王"],
    ["after a Chinese comma", "你好，@王", 5, "王"],
    ["with a dot and a dash", "@a.b-c_d", 8, "a.b-c_d"],
    ["up to the caret only", "@adalove", 4, "ada"],
  ])("begins %s", (_, text, caret, query) => {
    expect(askedAt(text, caret)).toEqual({ mark: "@", query, from: caret - query.length - 1, to: caret })
  })

  it.each([
    ["an address", "me@ada", 6],
    ["a word that ended", "@ada ", 5],
    ["two signs", "@@", 2],
    ["a name of forty-one letters", `@${"a".repeat(41)}`, 42],
    ["nothing", "", 0],
    ["the caret before the sign", "@ada", 0],
  ])("is not %s", (_, text, caret) => {
    expect(askedAt(text, caret)).toBeUndefined()
  })

  it("is replaced by the mention and one blank, whatever stands around it", () => {
    const words = fc.stringMatching(/^[a-z ]{0,8}$/)
    fc.assert(
      fc.property(words, fc.stringMatching(/^[a-z]{0,6}$/), words, (before, query, after) => {
        const text = `${before} @${query}`
        const asked = askedAt(text + after, text.length)
        expect(asked?.query).toBe(query)
        const put = asked && withChosen(text + after, asked, "@[Ada](agent:1)")
        expect(put?.text).toBe(`${before} @[Ada](agent:1) ${after.replace(/^ /, "")}`)
        expect(put?.text.slice(0, put.caret)).toBe(`${before} @[Ada](agent:1) `)
      }),
    )
  })
})
