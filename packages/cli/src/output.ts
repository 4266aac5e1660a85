import { stripVTControlCharacters, styleText } from "node:util"
import { ChorusError } from "@chorus/contracts"

type Style = Parameters<typeof styleText>[0]

/** Text in a colour when people read it, plain when programs do (not a terminal, or NO_COLOR). */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** A table for people: a bold header, columns as wide as their widest cell. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) => rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? "")), title.length))
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)))).join("  ").trimEnd()
  process.stdout.write(`${paint("bold", line(header))}\n`)
  for (const row of rows) process.stdout.write(`${line(row)}\n`)
}

/** How many columns of the terminal it takes, leaving colours out of the count. */
function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length
}

/** Prints an error the way the caller asked for and sets the exit code; nothing is thrown further. */
export function printError(error: unknown, json: boolean): void {
  process.exitCode = 1
  if (!(error instanceof ChorusError)) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    return
  }
  if (json) {
    process.stderr.write(`${JSON.stringify({ error: error.toBody() })}\n`)
    return
  }
  process.stderr.write(`${paint("red", "error")} ${error.message} ${paint("dim", `[${error.code}]`)}\n`)
  if (error.next !== undefined) process.stderr.write(`${paint("dim", "next ")} ${error.next}\n`)
}
