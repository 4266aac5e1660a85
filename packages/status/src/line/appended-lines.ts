import { closeSync, openSync, readSync, statSync } from "node:fs"

/** How much of a long file is read when it is first seen, and at most at a time. */
const READ_LIMIT = 1024 * 1024

/** Reads the whole lines a growing file has gained since it was last asked; of a long file's past only the end. */
export interface AppendedLines {
  read(path: string): Promise<string[]>
}

export function appendedLines(limit = READ_LIMIT): AppendedLines {
  const offsets = new Map<string, number>()
  return {
    async read(path) {
      try {
        const { size } = statSync(path)
        const last = offsets.get(path) ?? 0
        const from = Math.max(last > size ? 0 : last, size - limit)
        if (from === size) return []
        const bytes = readRange(path, from, size)
        const end = bytes.lastIndexOf(10)
        // Remembering few files is enough: an agent goes on with the one it has.
        if (offsets.size > 500) offsets.clear()
        offsets.set(path, from + end + 1)
        const lines = bytes
          .subarray(0, end + 1)
          .toString("utf8")
          .split("\n")
          .filter(Boolean)
        return from > 0 && from !== last ? lines.slice(1) : lines
      } catch {
        return []
      }
    },
  }
}

/** At once: the other way to read would cost the listener more memory than all it reads. */
function readRange(path: string, from: number, to: number): Buffer {
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(to - from)
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
  } finally {
    closeSync(file)
  }
}
