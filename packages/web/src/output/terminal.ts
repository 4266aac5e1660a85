/** A stretch of what a program printed, and how it looked in its terminal. */
export interface Piece {
  readonly text: string
  readonly look: string
}

interface Style {
  readonly ink: string
  readonly ground: string
  readonly marks: readonly string[]
}

const PLAIN: Style = { ink: "", ground: "", marks: [] }

/** A terminal's eight colours in the page's own, which can be read on every ground; black and white are the ink's. */
const INKS = ["", "text-failed", "text-done", "text-waiting", "text-progress", "text-accent", "text-progress", ""]
const GROUNDS = [
  "",
  "bg-failed-soft",
  "bg-done-soft",
  "bg-waiting-soft",
  "bg-progress-soft",
  "bg-accent-soft",
  "bg-progress-soft",
  "",
]
const MARKS: Readonly<Record<number, string>> = {
  1: "font-semibold",
  2: "text-muted",
  3: "italic",
  4: "underline",
  7: "bg-ink text-canvas",
  9: "line-through",
}
/** What each of these codes ends. */
const ENDS: Readonly<Record<number, readonly number[]>> = { 22: [1, 2], 23: [3], 24: [4], 27: [7], 29: [9] }

// Colours, then everything else that no reader needs: titles and links unread, the cursor's ways, bells.
const CODES =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[([0-9:;]*)m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b(?:\[[0-9:;?]*[ -/]*[@-~]|.)?|[\n\r\b]/gs
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f]/g

/** What a terminal shows of an output: coloured, and with the lines as they stood at last where they were written over. */
export function piecesOf(output: string): Piece[] {
  const pieces: Piece[] = []
  let style = PLAIN
  let line: { char: string; look: string }[] = []
  let column = 0
  const add = (text: string, look: string) => {
    const last = pieces.at(-1)
    if (last?.look === look) pieces[pieces.length - 1] = { text: last.text + text, look }
    else pieces.push({ text, look })
  }
  const write = (text: string) => {
    const look = lookOf(style)
    for (const char of text.replace(UNSEEN, "")) line[column++] = { char, look }
  }
  const flush = () => {
    let [text, look] = ["", line[0]?.look ?? ""]
    for (const cell of line) {
      if (cell.look !== look) {
        add(text, look)
        text = ""
      }
      look = cell.look
      text += cell.char
    }
    if (text !== "") add(text, look)
    line = []
    column = 0
  }
  let read = 0
  for (const code of output.matchAll(CODES)) {
    write(output.slice(read, code.index))
    read = code.index + code[0].length
    if (code[0] === "\n") {
      flush()
      add("\n", pieces.at(-1)?.look ?? "")
    } else if (code[0] === "\r") column = 0
    else if (code[0] === "\b") column = Math.max(0, column - 1)
    else if (code[1] !== undefined) style = styled(style, code[1])
  }
  write(output.slice(read))
  flush()
  return pieces
}

function lookOf({ ink, ground, marks }: Style): string {
  return [ink, ground, ...marks].filter(Boolean).join(" ")
}

function styled(before: Style, codes: string): Style {
  const numbers = codes.split(/[:;]/).map(Number)
  let style = before
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0
    if (code === 38 || code === 48) {
      const [colour, used] = wide(numbers.slice(at + 1))
      style = code === 38 ? { ...style, ink: INKS[colour] ?? "" } : { ...style, ground: GROUNDS[colour] ?? "" }
      at += used
    } else style = withCode(style, code)
  }
  return style
}

function withCode(style: Style, code: number): Style {
  const mark = MARKS[code]
  if (code === 0) return PLAIN
  if (mark !== undefined) return { ...style, marks: [...style.marks.filter((one) => one !== mark), mark] }
  const ended = ENDS[code]?.map((one) => MARKS[one])
  if (ended !== undefined) return { ...style, marks: style.marks.filter((one) => !ended.includes(one)) }
  if (code === 90) return { ...style, ink: "text-faint" }
  if ((code >= 30 && code <= 39) || (code >= 91 && code <= 97)) return { ...style, ink: INKS[code % 10] ?? "" }
  if ((code >= 40 && code <= 49) || (code >= 100 && code <= 107)) return { ...style, ground: GROUNDS[code % 10] ?? "" }
  return style
}

/** The nearest of the eight for a colour of 256 or of millions, and how many numbers named it. */
function wide([kind, ...numbers]: readonly number[]): [colour: number, used: number] {
  if (kind === 2) return [nearest(numbers.slice(0, 3)), 4]
  if (kind !== 5) return [0, 0]
  const index = numbers[0] ?? 0
  if (index < 16) return [index % 8, 2]
  if (index >= 232) return [0, 2]
  const cube = index - 16
  return [nearest([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => part * 51)), 2]
}

/** A bit for each of red, green and blue that stands out, as the eight are numbered; greys have none. */
function nearest(parts: readonly number[]): number {
  const [most, least] = [Math.max(...parts), Math.min(...parts)]
  if (!(most - least > 40)) return 0
  return parts.reduce((bits, part, at) => (part - least > (most - least) / 2 ? bits | (1 << at) : bits), 0)
}
