import { appendFileSync, closeSync, fdatasyncSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs"
import { dirname } from "node:path"

const LINE_END = 0x0a

/** Adds a line for each value; with `synced` they are on the disk on return. A line that a dying process left unfinished does not swallow the next. */
export function appendJsonLines(path: string, values: readonly unknown[], options: { synced?: boolean } = {}): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, "a+", 0o600)
  try {
    appendFileSync(file, `${endsLine(file) ? "" : "\n"}${values.map((value) => `${JSON.stringify(value)}\n`).join("")}`)
    if (options.synced === true) fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The values of whole lines; a torn line is passed over. */
export function jsonLines(text: string): unknown[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })
}

function endsLine(file: number): boolean {
  const { size } = fstatSync(file)
  if (size === 0) return true
  const last = Buffer.alloc(1)
  readSync(file, last, 0, 1, size - 1)
  return last[0] === LINE_END
}
