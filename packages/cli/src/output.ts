import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { stripVTControlCharacters, styleText } from "node:util"
import { ChorusError, type ErrorBody } from "@chorus/contracts"
import { type Command, InvalidArgumentError, Option } from "commander"

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
  process.stderr.write(
    `${paint("red", "error")} ${indented(error.message)} ${paint("dim", `[${plain(error.code)}]`)}\n`,
  )
  if (error.next !== undefined) process.stderr.write(`${paint("dim", "next ")} ${indented(asCommands(error.next))}\n`)
}

const COMMANDS: Readonly<Record<string, string>> = {
  chorus_get_change: "chorus change show TASK --patch",
  chorus_push_change: "chorus change push TASK",
}

/** The tools that a refusal names for agents, as whoever sits at a terminal calls them. */
function asCommands(next: string): string {
  return next.replaceAll(/`?\b(chorus_\w+)`?/g, (_, tool: string) => `\`${COMMANDS[tool] ?? `chorus call ${tool}`}\``)
}

/** A line break in what others wrote never begins a line at the margin, where ours begin. */
function indented(text: string): string {
  return text.split("\n").map(plain).join("\n      ")
}

function bodyOf(error: unknown): ErrorBody {
  if (error instanceof ChorusError) return error.toBody()
  return {
    code: "internal",
    message: error instanceof Error ? error.message : String(error),
    next: "Run it without --json to see where it happened.",
  }
}

const COLOUR = String.raw`\u001b\[[\d;]*m`
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u
const PIECES = new RegExp(`${COLOUR}|.`, "gsu")
/** What moves the cursor or turns the direction of writing; the joiners of letters and pictures are not among it. */
const MOVES = String.raw`[\p{Cc}\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]`
const UNSAFE = new RegExp(String.raw`(\n|${COLOUR})|(${MOVES})`, "gu")

/** How many columns of a terminal it takes: colours none, most East Asian letters and pictures two. */
export function columnsOf(text: string): number {
  return [...stripVTControlCharacters(text)].reduce((columns, letter) => columns + widthOf(letter), 0)
}

/** At most so many columns, with a sign where something was left out. What stands in a colour keeps it, and what follows does not get it. */
export function fit(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let room = columns - 1
  const kept = (text.match(PIECES) ?? []).map((piece) => {
    if (piece.length > 1 && piece.startsWith("\u001b")) return piece
    const width = widthOf(piece)
    if (room < width) {
      const sign = room >= 0 ? "…" : ""
      room = -1
      return sign
    }
    room -= width
    return piece
  })
  return kept.join("")
}

/** What others wrote, among colours of ours: no character moves the cursor, and each that would is shown. */
export function harmless(text: string): string {
  return text.replace(UNSAFE, (_, allowed: string | undefined, unsafe: string) => allowed ?? visible(unsafe))
}

/** The same with no colours of ours in it: theirs are shown too, and a line break makes no second line. */
export function plain(text: string): string {
  return text.replaceAll(new RegExp(MOVES, "gu"), visible)
}

/** What others wrote, whole: nothing hides behind a control character, an invisible one or a colour. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ""}}`)
}

/** What others wrote, as one line of plain words. */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim()
}

function widthOf(letter: string): number {
  if (WITHOUT_WIDTH.test(letter)) return 0
  return WIDE.test(letter) ? 2 : 1
}

/** Which Chorus a command works on, and for whom it prints. */
export interface Target {
  readonly data: string
  readonly database?: string
  readonly url?: string
  readonly key?: string
  readonly json?: boolean
}

/** For commands that call operations: the data of this machine, or a server elsewhere. */
export function withTarget(command: Command): Command {
  return withData(command)
    .addOption(
      new Option("--url <address>", "a server elsewhere, instead of the data on this machine")
        .env("CHORUS_URL")
        .argParser(address),
    )
    .addOption(new Option("--key <key>", "the API key for that server").env("CHORUS_KEY"))
}

/** For commands that work on the data itself. */
export function withData(command: Command): Command {
  return withJson(command)
    .addOption(
      new Option("--data <dir>", "the data directory")
        .env("CHORUS_DATA")
        .default(homeData(), "~/.chorus")
        .argParser(directory),
    )
    .addOption(
      new Option("--database <url>", "a postgres:// address; the embedded store when left out").env("CHORUS_DATABASE"),
    )
}

/** Where the data of this machine is for a command that takes no `--data`. */
export function dataDirectory(): string {
  return resolve(process.env["CHORUS_DATA"] ?? homeData())
}

function homeData(): string {
  return join(homedir(), ".chorus")
}

export function withJson(command: Command): Command {
  return command.option("--json", "print JSON for programs")
}

/** An empty text, as an unset variable leaves it, would be the folder one happens to be in. */
function directory(text: string): string {
  if (text.trim() !== "") return resolve(text)
  throw new InvalidArgumentError("Name a directory.")
}

function address(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError("Give an address like http://127.0.0.1:8637.")
}
