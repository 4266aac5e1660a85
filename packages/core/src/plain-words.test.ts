import { describe, expect, it } from "vitest"
import { plainWords } from "./plain-words.ts"

describe("Markdown in plain words", () => {
  it.each([
    ["**Done**: see `main.ts` and [the plan](https://example.org/a)", "Done: see main.ts and the plan"],
    ["# Title\n\n- one\n- [x] two\n> said", "Title one two said"],
    ["@[Ada](agent:123) *please* look", "Ada please look"],
    ["```ts\nconst a = 1\n```\nafter", "const a = 1 after"],
    ["snake_case_name, 2 * 3 * 4 and __init__", "snake_case_name, 2 * 3 * 4 and init"],
    ["![shot](/attachments/1) ~~old~~", "shot old"],
    ["Ada asked: which (a) or [b]?", "Ada asked: which (a) or [b]?"],
  ])("of %j is %j", (markdown, words) => {
    expect(plainWords(markdown)).toBe(words)
  })

  it("takes time in proportion to the text, whatever it holds", () => {
    const began = performance.now()
    for (const each of ["*", "_", "`", "[", "**a", "![", "- ", "> ", "[a]("]) plainWords(each.repeat(20_000))
    expect(performance.now() - began).toBeLessThan(5000)
  })
})
