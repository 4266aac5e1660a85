import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** A fenced block of a page. */
export interface Snippet {
  readonly page: string
  readonly line: number
  readonly language: string
  /** Stands behind the language: `sh no-run` is for blocks that need what a test cannot have. */
  readonly runs: boolean
  readonly text: string
}

/** Every page that people wrote, as paths in the repository; the reference is made by a program and has no snippets to run. */
export function pages(): string[] {
  return ["README.md", "CONTRIBUTING.md", "GLOSSARY.md", ...markdownIn("docs"), ...markdownIn("docs/zh")]
}

/** The pages in English, which the Chinese ones repeat. */
export function ownPages(): string[] {
  return pages().filter((page) => !page.startsWith("docs/zh/"))
}

export function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8")
}

export function snippetsOf(page: string): Snippet[] {
  const found: Snippet[] = []
  let open: { line: number; info: string; lines: string[] } | undefined
  for (const [index, line] of read(page).split("\n").entries()) {
    const fence = /^ {0,4}```(.*)$/.exec(line)?.[1]
    if (fence === undefined) open?.lines.push(line)
    else if (open === undefined) open = { line: index + 1, info: fence.trim(), lines: [] }
    else {
      const [language = "", ...marks] = open.info.split(/\s+/)
      found.push({ page, line: open.line, language, runs: !marks.includes("no-run"), text: open.lines.join("\n") })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${page}:${open.line} opens a block that nothing closes`)
  return found
}

function markdownIn(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`)
    .sort()
}
