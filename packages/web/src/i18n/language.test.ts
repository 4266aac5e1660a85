import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { initialLanguage, LANGUAGES } from "./language.ts"

describe("the language of the first visit", () => {
  it.each<[string | null, string[], string, string]>([
    ["zh", ["en"], "zh", "the person has chosen"],
    ["en", ["zh-CN"], "en", "the person has chosen, also against the browser"],
    [null, ["zh-CN", "en"], "zh", "the browser prefers it"],
    [null, ["en-GB", "zh"], "en", "the browser prefers it"],
    [null, ["fr", "zh-Hant-TW", "en"], "zh", "it is the first of those we speak"],
    [null, ["ZH-cn"], "zh", "tags are written in any case"],
    [null, ["de"], "en", "we speak none of theirs"],
    [null, [], "en", "the browser says nothing"],
    ["klingon", ["zh"], "zh", "what was kept is none of ours"],
    ["", ["en"], "en", "nothing was kept"],
  ])("kept %o, browser %o: %s, as %s", (stored, preferred, language) => {
    expect(initialLanguage(stored, preferred)).toBe(language)
  })

  it.each(["enm", "zho", "zhx-TW", "end"])("takes %s for another language than ours", (tag) => {
    expect(initialLanguage(null, [tag, "zh"])).toBe("zh")
    expect(initialLanguage(null, [tag])).toBe("en")
  })

  it("is always one that is offered", () => {
    const offered = LANGUAGES.map(({ value }) => value)
    fc.assert(
      fc.property(fc.option(fc.string()), fc.array(fc.string()), (stored, preferred) =>
        offered.includes(initialLanguage(stored, preferred)),
      ),
    )
  })
})

it("every language is offered in its own words", () => {
  expect(LANGUAGES.map(({ label }) => label)).toEqual(["English", "中文"])
})
