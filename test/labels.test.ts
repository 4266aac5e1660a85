import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { en } from "../packages/web/src/i18n/en.ts"
import { zh } from "../packages/web/src/i18n/zh.ts"
import { translationOf } from "../site/contents.ts"
import { pages, read, ROOT } from "./snippets.ts"

const english = pages().filter((page) => !page.startsWith("docs/zh/"))
const words: readonly [keyof typeof en, string][] = Object.entries(en) as [keyof typeof en, string][]

/** What the page calls a thing stands in italics in the books, a way through it with arrows. */
function labelsIn(page: string): string[] {
  const prose = read(page)
    .replace(/^```.*?^```/gms, "")
    .replace(/`[^`\n]*`/g, "")
  return [...prose.matchAll(/(?<![*\w])\*([A-Z][^*\n]{1,80}[^.*\n])\*(?!\*)/g)].flatMap(([, said = ""]) =>
    said.split(" → "),
  )
}

test.each(english)("what %s calls by a label of the page is called so there", (page) => {
  const known = new Set(words.map(([, label]) => label))
  expect(labelsIn(page).filter((label) => !known.has(label))).toEqual([])
})

test.each(english.filter((page) => labelsIn(page).length > 0))("so does the Chinese of %s", (page) => {
  const translated = read(translationOf(page))
  const missing = labelsIn(page).filter(
    (label) => !words.some(([key, value]) => value === label && translated.includes(zh[key])),
  )
  expect(missing).toEqual([])
})

test("errors and help lead to places of the settings that are there", () => {
  const sections = words.filter(([key]) => /^(settings|nav)\.\w+$/.test(key)).map(([, label]) => label)
  const code = globSync("packages/*/src/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts", "packages/web/**"] })
  const ways = code.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(/Settings → ([^"`\n]+)/g)].map(([, rest = ""]) => [file, rest]),
  )
  expect(ways.length).toBeGreaterThan(2)
  const astray = ways.filter(
    ([, rest = ""]) => !sections.some((label) => rest.startsWith(label) && !/^[ \w]/.test(rest.slice(label.length))),
  )
  expect(astray).toEqual([])
})
