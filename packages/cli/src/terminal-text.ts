import { stripVTControlCharacters } from "node:util"

const COLOUR = String.raw`\u001b\[[\d;]*m`
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u
const PIECES = new RegExp(`${COLOUR}|.`, "gsu")
/** Line ends, colours, and what moves the cursor or turns the direction of writing; the joiners of letters and pictures are not among it. */
const UNSAFE = new RegExp(String.raw`(\n|${COLOUR})|([\p{Cc}\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069])`, "gu")

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
