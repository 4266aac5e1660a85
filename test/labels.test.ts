import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { en } from "../packages/web/src/i18n/en.ts"
import { refusalsZh, zh } from "../packages/web/src/i18n/zh.ts"
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

test("errors call a rule of a project as its settings do", () => {
  const rules = words.filter(([key]) => key.startsWith("project.rule.")).map(([, label]) => label)
  const code = globSync("packages/server/src/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts"] })
  const said = code.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8")
    return [...text.matchAll(/(?:allow|turn on|turn off) (?:"([^"]+)"|[^"`.]+) in the project's settings/g)].map(
      ([, label]) => [file, label],
    )
  })
  expect(said.length).toBeGreaterThan(1)
  expect(said.filter(([, label]) => !rules.some((rule) => rule === label))).toEqual([])
})

test.each(words.filter(([key]) => /^project\.rule\.(?!.*Hint$)/.test(key)))(
  "the books call the rule %s of a project as the page does, beside its name for programs",
  (key) => {
    const name = key.replace("project.rule.", "")
    expect(read("docs/planning.md")).toContain(`*${en[key]}* (\`${name}\`)`)
    expect(read("docs/zh/planning.md")).toContain(`*${zh[key]}*（\`${name}\`）`)
  },
)

describe("a refusal in Chinese", () => {
  const operations = new Map(
    globSync("docs/reference/operations/*.md", { cwd: ROOT }).flatMap((page) =>
      read(page)
        .split("\n## ")
        .slice(1)
        .map((section): [string, string[]] => [
          section.split("\n")[0] ?? "",
          [...section.matchAll(/errors\.md#(\w+)/g)].map(([, code = ""]) => code),
        ]),
    ),
  )
  const all = new Set([...read("docs/reference/errors.md").matchAll(/^## (\w+)$/gm)].map(([, code = ""]) => code))

  test("there is for each that an operation of the page can come to", () => {
    const page = globSync("packages/web/src/**/*.{ts,tsx}", { cwd: ROOT, exclude: ["**/*.test.*"] })
    const called = new Set(page.flatMap((file) => read(file).match(/(?<=")chorus_\w+(?=")/g) ?? []))
    const met = new Set([...called].flatMap((name) => operations.get(name) ?? []))
    expect(met.size).toBeGreaterThan(80)
    expect([...met].filter((code) => refusalsZh[code] === undefined && !(`error.of.${code}` in zh))).toEqual([])
  })

  test("there is for no code that the server does not know, and none has English in it but names", () => {
    expect(Object.keys(refusalsZh).filter((code) => !all.has(code))).toEqual([])
    const wordy = /[A-Za-z]{2,}/
    const bare = (text: string) => text.replaceAll(/Chorus|`[^`]*`|\{message\}/g, "")
    expect(Object.values(refusalsZh).filter((text) => wordy.test(bare(text)))).toEqual([])
  })
})
