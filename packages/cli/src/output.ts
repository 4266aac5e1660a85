import { styleText } from "node:util"
import { ChorusError, type ErrorBody } from "@chorus/contracts"
import { columnsOf, harmless } from "./terminal-text.ts"

type Style = Parameters<typeof styleText>[0]

/** Text in a colour when people read it, plain when programs do (not a terminal, or NO_COLOR). */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** A table for people: a bold header, columns as wide as their widest cell, each cell on one line whoever wrote it. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = rows.map((row) => row.map((cell) => harmless(cell.replace(/\s*\n\s*/g, " "))))
  const widths = header.map((title, column) =>
    shown.reduce((widest, row) => Math.max(widest, columnsOf(row[column] ?? "")), columnsOf(title)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - columnsOf(cell))))
      .join("  ")
      .trimEnd()
  process.stdout.write(`${paint("bold", line(header))}\n`)
  for (const row of shown) process.stdout.write(`${line(row)}\n`)
}

/** Prints an error the way the caller asked for and sets the exit code; nothing is thrown further. */
export function printError(error: unknown, json: boolean): void {
  process.exitCode = 1
  if (json) {
    process.stderr.write(`${JSON.stringify({ error: bodyOf(error) })}\n`)
    return
  }
  if (!(error instanceof ChorusError)) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    return
  }
  process.stderr.write(`${paint("red", "error")} ${harmless(error.message)} ${paint("dim", `[${error.code}]`)}\n`)
  if (error.next !== undefined) process.stderr.write(`${paint("dim", "next ")} ${harmless(error.next)}\n`)
}

function bodyOf(error: unknown): ErrorBody {
  if (error instanceof ChorusError) return error.toBody()
  return {
    code: "internal",
    message: error instanceof Error ? error.message : String(error),
    next: "Run it without --json to see where it happened.",
  }
}
