import { createReadStream } from "node:fs"
import { ChorusError } from "@chorus/contracts"

/** Longer than any row that was ever exported: a file is at most three megabytes, a document half of one. */
const LONGEST_LINE = 64 * 1024 * 1024

/** The lines of a file, opened when the first is asked for. A line that does not end is refused before it fills the memory. */
export async function* linesOf(file: string, longest = LONGEST_LINE): AsyncGenerator<string, void, undefined> {
  let pieces: string[] = []
  let held = 0
  for await (const chunk of createReadStream(file, "utf8") as AsyncIterable<string>) {
    const [first = "", ...others] = chunk.split("\n")
    pieces.push(first)
    held += first.length
    if (held > longest) throw endless(longest)
    for (const next of others) {
      yield withoutReturn(pieces.join(""))
      pieces = [next]
      held = next.length
    }
  }
  if (held > 0) yield withoutReturn(pieces.join(""))
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line
}

function endless(longest: number): ChorusError {
  return new ChorusError(
    "bad_bundle",
    `This bundle cannot be read: one of its lines is longer than ${longest} characters.`,
    {
      next: "Make a new export, and copy the file whole. Nothing was changed.",
    },
  )
}
