import { readFileSync } from "node:fs"
import { join } from "node:path"

const page = (name: string) => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8")

export interface Block {
  readonly language: string
  readonly text: string
}

/** The fenced blocks of a page, in order. */
export function blocksOf(name: string): Block[] {
  return [...page(name).matchAll(/^```(\S+)[^\n]*\n([\s\S]*?)\n```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }))
}

/** The rows of the table whose first column has this heading. */
export function tableOf(name: string, heading: string): string[][] {
  const lines = page(name).split("\n")
  const from = lines.findIndex((line) => line.startsWith(`| ${heading} |`)) + 2
  const rows = lines.slice(
    from,
    lines.findIndex((line, at) => at >= from && !line.startsWith("|")),
  )
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** What is between backticks, in order. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)
}

/** A line of a page as the arguments of the command it calls. */
export function argumentsOf(line: string): string[] {
  const [command, ...words] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
  if (command !== "chorus") throw new Error(`"${line}" is not a call of chorus`)
  return words
}
