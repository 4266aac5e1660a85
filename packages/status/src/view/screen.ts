import type { StatusRow } from "@chorus/contracts"
import { age, byUrgency, stateLook, type StateLook, story } from "./state-look.ts"

export type Painter = (colour: StateLook["colour"] | "bold" | "dim" | "inverse", text: string) => string

/** So wide that the signal by which a state is known has room. */
const WIDE_SCREEN = 140

export interface ScreenSize {
  columns: number
  rows: number
}

/** The rows as lines of at most the given width, header first; more rows than fit are counted in the last line. */
export function screenLines(
  rows: readonly StatusRow[],
  now: number,
  size: ScreenSize,
  paint: Painter,
  chosen?: string,
): string[] {
  if (rows.length === 0)
    return [paint("dim", fit("No agents yet. Start one with: chorus run claude", size.columns).trimEnd())]
  const sorted = [...rows].sort(byUrgency)
  const shown = sorted.slice(0, Math.max(1, size.rows - 2))
  const isWide = size.columns >= WIDE_SCREEN
  const cells = shown.map((row) => cellsOf(row, now, isWide))
  const head = ["", "TERMINAL", "AGENT", "STATE", "SINCE", ...(isWide ? ["SAID BY"] : []), "TITLE", "WHAT"]
  const names = sorted.map(({ terminalId }) => terminalId)
  const widths = columnWidths([head, ...cells], size.columns, tellingWidth(names))
  const fitted = (texts: readonly string[]) => widths.map((width, column) => fit(texts[column] ?? "", width))
  const body = shown.map((row, index) => {
    const { colour } = stateLook(row)
    if (row.terminalId === chosen) return paint("inverse", fitted(cells[index] ?? []).join(" "))
    return fitted(cells[index] ?? [])
      .map((text, column) =>
        column === 0 || column === 3
          ? paint(colour, text)
          : column === 2 || column === 4 || (isWide && column === 5)
            ? paint("dim", text)
            : row.unread
              ? paint("bold", text)
              : text,
      )
      .join(" ")
  })
  const rest = sorted.length - shown.length
  return [
    paint("bold", fitted(head).join(" ")),
    ...body,
    ...(rest > 0 ? [paint("dim", `… and ${rest} more`)] : []),
  ].map((text) => text.trimEnd())
}

function cellsOf(row: StatusRow, now: number, isWide: boolean): string[] {
  const look = stateLook(row)
  return [
    look.icon,
    row.terminalId,
    row.agent,
    look.name,
    age(row.since, now),
    ...(isWide ? [row.source] : []),
    row.title ?? row.folder ?? "",
    story(row),
  ]
}

/** Every column as wide as its widest cell, within bounds that shrink with the screen; the last takes what is left, and what has no room is left out. */
function columnWidths(rows: readonly (readonly string[])[], columns: number, telling: number): number[] {
  const terminal = Math.max(columns < 100 ? 16 : 24, Math.min(telling, Math.floor(columns / 2)))
  const title = Math.min(30, Math.max(6, columns - terminal - 50))
  const limits = [1, terminal, 8, 11, 5, ...(columns < WIDE_SCREEN ? [] : [24]), title]
  const widths = limits.map((limit, column) =>
    Math.min(limit, Math.max(1, ...rows.map((row) => widthOf(row[column] ?? "")))),
  )
  let left = columns
  return [...widths, columns].flatMap((width) => {
    const given = Math.min(width, left)
    left -= given + 1
    return given > 0 ? [given] : []
  })
}

/** How wide a name must be shown for its beginning to be that of no other; they are typed by it. */
function tellingWidth(names: readonly string[]): number {
  const [first, ...rest] = names.toSorted().map((name) => [...name])
  let before = first ?? []
  let telling = 0
  for (const name of rest) {
    const alike = name.findIndex((letter, at) => letter !== before[at])
    telling = Math.max(telling, widthOf(name.slice(0, alike + 1).join("")) + 1)
    before = name
  }
  return telling
}

function fit(text: string, width: number): string {
  const room = width - widthOf(text)
  if (room >= 0) return text + " ".repeat(room)
  let cut = ""
  for (const letter of text) {
    if (widthOf(cut) + widthOf(letter) > width - 1) break
    cut += letter
  }
  return `${cut}…${" ".repeat(Math.max(0, width - 1 - widthOf(cut)))}`
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

const PICTURE = /(?!\p{RI})\p{Emoji_Presentation}/u

/** Cells a terminal takes for a text: most East Asian letters and pictures take two. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text) width += WIDE.test(letter) || PICTURE.test(letter) ? 2 : 1
  return width
}
