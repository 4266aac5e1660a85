import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"

const here = import.meta.dirname
const components = readdirSync(here, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".tsx") && !file.endsWith(".test.tsx"),
)

/** Words between tags, and words in attributes that people read or hear. */
const BETWEEN_TAGS = /(?<![=<(,&|?:\s])>\s*([^<>{}()=;"]*\p{L}{2,}[^<>{}()=;"]*)\s*<\/?[a-zA-Z]/gu
const ATTRIBUTES = /\s(?:aria-label|title|placeholder|alt|label|hint|description)="([^"]*\p{L}{2,}[^"]*)"/gu
/** Proper names and addresses are the same in every language. */
const SAME_EVERYWHERE = new Set(["https://"])

describe("texts", () => {
  it.each(components)("%s takes every word from the dictionary", (file) => {
    const source = readFileSync(join(here, file), "utf8")
    const words = [...source.matchAll(BETWEEN_TAGS), ...source.matchAll(ATTRIBUTES)]
      .map((match) => match[1]?.trim() ?? "")
      .filter((text) => !SAME_EVERYWHERE.has(text))
    expect(words, relative(here, file)).toEqual([])
  })

  it("would notice a word that was written into a component", () => {
    expect(
      ["<p>Hello there</p>", '<p className="x">\n  Hello\n</p>'].map(
        (source) => [...source.matchAll(BETWEEN_TAGS)].length,
      ),
    ).toEqual([1, 1])
    expect([...'<input aria-label="Your name" />'.matchAll(ATTRIBUTES)]).toHaveLength(1)
  })
})
