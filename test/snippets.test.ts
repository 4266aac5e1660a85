import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openShell, type SnippetShell } from "./snippet-shell.ts"
import { ownPages, pages, ROOT, type Snippet, snippetsOf } from "./snippets.ts"

/** Why a page has blocks marked `no-run`, and how many. */
const NOT_RUN: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  "docs/codex.md": [2, "starts Codex at a terminal with a person's account"],
  "docs/import.md": [1, "needs a repository at a forge; packages/cli/test/bridge does it with one on this machine"],
  "docs/opencode.md": [2, "starts OpenCode at a terminal with a person's account"],
  "docs/review.md": [4, "needs a task with work on it; packages/cli/test does it with a real repository"],
  "docs/runs.md": [3, "starts agents that call a model; packages/cli/test does it with scripted ones"],
  "docs/status.md": [2, "starts Claude Code at a terminal with a person's account, and goes to and answers one"],
  "docs/teams.md": [
    2,
    "starts agents that call a model, and needs two machines; the tests of teams and of the command do both",
  ],
}

/** What is run or checked, and what is only shown. */
const RUN = ["sh", "ts"]
const CHECKED = ["json"]
const SHOWN = ["text", "mermaid", "nginx", "ini", "toml", "sql", "yaml", "dockerfile"]

const folder = join(ROOT, "test-results", "snippets")
const own = ownPages().flatMap(snippetsOf)
const running = own.filter(({ language, runs }) => language === "sh" && runs)
const scripts = own.filter(({ language }) => language === "ts")

test.each(pages())("every block of %s says what it is", (page) => {
  for (const { language, line } of snippetsOf(page))
    expect([...RUN, ...CHECKED, ...SHOWN], `${page}:${line}`).toContain(language)
})

test("each block that is not run is known, with a reason", () => {
  const marked = own.filter(({ runs }) => !runs)
  const counts = Object.fromEntries(
    Object.entries(Object.groupBy(marked, ({ page }) => page)).map(([page, blocks]) => [page, blocks?.length]),
  )
  expect(counts).toEqual(Object.fromEntries(Object.entries(NOT_RUN).map(([page, [count]]) => [page, count])))
})

test("most shell blocks are run", () => {
  expect(running.length).toBeGreaterThan(own.filter(({ runs }) => !runs).length * 2)
})

test.each(own.filter(({ language }) => language === "json").map((snippet) => [at(snippet), snippet.text]))(
  "%s is JSON",
  (_, text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow()
  },
)

test.each(pages().filter((page) => page.startsWith("docs/zh/")))(
  "%s shows no code that its original does not, and in that order",
  (page) => {
    const original =
      page === "docs/zh/contributing.md"
        ? "CONTRIBUTING.md"
        : page === "docs/zh/glossary.md"
          ? "GLOSSARY.md"
          : page.replace("docs/zh/", "docs/")
    const shown = snippetsOf(original).map(bare)
    let from = 0
    for (const snippet of snippetsOf(page)) {
      const at = shown.indexOf(bare(snippet), from)
      expect(at, `${page}:${snippet.line}`).toBeGreaterThanOrEqual(from)
      from = at + 1
    }
  },
)

describe("in a scratch home with a real server", () => {
  let shell: SnippetShell

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const snippet of scripts) writeFileSync(fileOf(snippet), snippet.text)
    shell = await openShell()
  })
  afterAll(() => shell[Symbol.asyncDispose]())

  test.each([...new Set(running.map(({ page }) => page))])(
    "the commands of %s work, one after the other",
    async (page) => {
      const blocks = running.filter((snippet) => snippet.page === page)
      await shell.run(blocks.map((snippet) => `echo "--- ${at(snippet)}" >&2\n${snippet.text}`).join("\n"))
    },
  )

  test("the TypeScript fits the types", () => {
    // With notes of its own beside those that `npm run check` goes on from, which are of the whole repository.
    const compilerOptions = { tsBuildInfoFile: "../../node_modules/.cache/snippets.tsbuildinfo" }
    const config = { extends: "../../tsconfig.json", compilerOptions, include: ["*.ts"], exclude: [] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
    const said = outputOf(() =>
      execFileSync(
        process.execPath,
        [join(ROOT, "node_modules", "typescript", "bin", "tsc"), "--noEmit", "-p", folder],
        { encoding: "utf8" },
      ),
    )
    expect(said).toBe("")
  })

  test.each(scripts.map((snippet) => [at(snippet), snippet] as const))("%s runs", async (_, snippet) => {
    const said = await shell.runTypeScript(fileOf(snippet))
    const promised = [...snippet.text.matchAll(/console\.log\(`(\w+)/g)].map((match) => String(match[1]))
    for (const word of promised) expect(said).toContain(word)
  })
})

function at({ page, line }: Snippet): string {
  return `${page}:${line}`
}

function fileOf({ page, line }: Snippet): string {
  return join(folder, `${page.replaceAll("/", "-").replace(".md", "")}-${line}.ts`)
}

/** Code without remarks and quoted words, which a translation may put in its own language. */
function bare({ language, runs, text }: Snippet): string {
  if (language === "text") return language
  const code = text
    .replace(/(^|\s)#.*$/gm, "$1")
    .replace(/\/\/.*$/gm, "")
    .replace(/"[^"]*"/g, '""')
    .replace(/[ \t]+/g, " ")
    .replace(/ $/gm, "")
  return `${language} ${runs}\n${code}`
}

function outputOf(run: () => string): string {
  try {
    return run()
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error)
  }
}
