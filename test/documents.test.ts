import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { ENVIRONMENT } from "@chorus/contracts"
import { expect, test } from "vitest"
import { anchorOf } from "../site/reference/tables.ts"
import { contents, translationOf } from "../site/contents.ts"
import { pages, read, ROOT } from "./snippets.ts"

const reference = readdirSync(join(ROOT, "docs", "reference"), { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".md"),
)
const documents = [...pages(), ...reference.map((name) => join("docs", "reference", name))]

/** What is generated, and what is for those who build Chorus, stays in English. */
const ENGLISH_ONLY = /^docs\/(reference|performance|dependencies)|^(CONTRIBUTING|GLOSSARY)\.md$/

test.each(documents)("every link and picture of %s leads somewhere", (document) => {
  for (const [path, anchor] of linksOf(document)) {
    const target = path === "" ? document : join(dirname(document), path)
    expect(existsSync(join(ROOT, target)), `${path} in ${document}`).toBe(true)
    if (anchor !== undefined && target.endsWith(".md"))
      expect(anchorsOf(target), `${path}#${anchor} in ${document}`).toContain(anchor)
  }
})

test("every picture is shown by some page", () => {
  const shown = documents.map(read).join("\n")
  const there = readdirSync(join(ROOT, "docs", "images"), { recursive: true, encoding: "utf8" })
  expect(there.filter((file) => /\.\w+$/.test(file) && !shown.includes(`images/${file}`))).toEqual([])
})

test("every page has its place in the contents", () => {
  const listed = contents(ROOT).flatMap(({ chapters }) => chapters.map(({ file }) => file))
  const there = pages().filter((page) => page !== "README.md" && !page.startsWith("docs/zh/"))
  expect(there.filter((page) => !listed.includes(page))).toEqual([])
})

test.each(["docs", "docs/zh"])("whoever opens %s/index.md finds every page for users from there", (folder) => {
  const linked = linksOf(join(folder, "index.md")).map(([path]) => path)
  const there = pages().filter((page) => dirname(page) === folder && !ENGLISH_ONLY.test(page))
  const missing = there.map((page) => basename(page)).filter((name) => name !== "index.md" && !linked.includes(name))
  expect(missing.filter((name) => !["contributing.md", "glossary.md"].includes(name))).toEqual([])
})

/** A translation may lag behind by a section, not by half a page. */
const SHARE = 0.8

test("every page for users is there in Chinese, and not far behind", () => {
  const chapters = contents(ROOT).flatMap(({ chapters }) => chapters.map(({ file }) => file))
  for (const file of chapters.filter((file) => !ENGLISH_ONLY.test(file))) {
    expect(existsSync(join(ROOT, translationOf(file))), translationOf(file)).toBe(true)
    expect(headingsOf(translationOf(file)).length, translationOf(file)).toBeGreaterThanOrEqual(
      headingsOf(file).length * SHARE,
    )
  }
})

test("every dependency has its reason", () => {
  const reasons = read("docs/dependencies.md")
  const rooms = readdirSync(join(ROOT, "packages")).map((room) => join("packages", room, "package.json"))
  for (const manifest of ["package.json", ...rooms]) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(manifest)) as Record<
      string,
      Record<string, string>
    >
    const names = Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !/^@(chorus|types)\//.test(name),
    )
    for (const name of names) expect(reasons, `${name} in ${manifest}`).toContain(`\`${name}\``)
  }
})

test("every variable of ours that the code reads is in the reference, and no other", () => {
  const options = new Set(read("docs/reference/settings.md").match(/\bCHORUS_[A-Z_]+\b/g))
  const readByCode = new Set(
    programs().flatMap((file) => readFileSync(file, "utf8").match(/\bCHORUS_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []),
  )
  const notVariables = ["CHORUS_ADDRESS", "CHORUS_NONCE", "CHORUS_OIDC", "CHORUS_TEAM"]
  const known = new Set([...Object.keys(ENVIRONMENT), ...options, ...notVariables])
  expect([...readByCode].filter((name) => !known.has(name))).toEqual([])
  // The names of the provider's settings are put together where they are read.
  const told = Object.entries(ENVIRONMENT).filter(
    ([name, { part }]) => part !== "ours" && !name.startsWith("CHORUS_OIDC_"),
  )
  expect(told.map(([name]) => name).filter((name) => !readByCode.has(name))).toEqual([])
})

function linksOf(document: string): [path: string, anchor: string | undefined][] {
  const prose = read(document)
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ""))
  return [...prose.matchAll(/(?<!\\)\[[^\]]*\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map((match) => [
    decodeURI(String(match[1])),
    match[2] === undefined ? undefined : decodeURI(match[2]),
  ])
}

function headingsOf(document: string): string[] {
  return [
    ...read(document)
      .replace(/^```[\s\S]*?^```$/gm, "")
      .matchAll(/^#{1,6} (.+)$/gm),
  ].map((match) => String(match[1]))
}

function anchorsOf(document: string): string[] {
  const used = new Map<string, number>()
  return headingsOf(document).map((heading) => {
    const anchor = anchorOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", ""))
    const count = used.get(anchor) ?? 0
    used.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

/** Everything that runs on a user's machine. */
function programs(): string[] {
  const rooms = readdirSync(join(ROOT, "packages")).filter((room) => room !== "testing" && room !== "contracts")
  const folders = [
    ...rooms.map((room) => join(ROOT, "packages", room, "src")),
    join(ROOT, "packages", "status", "programs"),
    join(ROOT, "plugin", "bin"),
  ]
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
}
