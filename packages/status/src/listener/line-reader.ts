/** A line longer than this is nobody's status; the emitter shortens what is legitimately long. */
export const MAX_LINE_BYTES = 256 * 1024

/** What all connections together may hold of unfinished lines. */
export interface LineBudget {
  left: number
}

export interface LineReader {
  push(chunk: Buffer): void
  /** Gives back what was held; a half line is dropped. */
  close(): void
}

/** Cuts a stream into lines. Too long a line is skipped up to its end; the next one counts again. */
export function lineReader(budget: LineBudget, onLine: (text: string) => void): LineReader {
  let held: Buffer[] = []
  let heldBytes = 0
  let skipping = false
  const release = () => {
    budget.left += heldBytes
    held = []
    heldBytes = 0
  }
  const hold = (part: Buffer) => {
    if (skipping || part.length === 0) return
    if (heldBytes + part.length > MAX_LINE_BYTES || part.length > budget.left) {
      skipping = true
      release()
      return
    }
    // A copy: a slice would keep the whole chunk it was cut from alive.
    held.push(Buffer.from(part))
    heldBytes += part.length
    budget.left -= part.length
  }
  return {
    push(chunk) {
      let from = 0
      for (let end = chunk.indexOf(10, from); end !== -1; end = chunk.indexOf(10, from)) {
        const part = chunk.subarray(from, end)
        from = end + 1
        const fits = !skipping && heldBytes + part.length <= MAX_LINE_BYTES
        const text = fits ? Buffer.concat([...held, part]).toString("utf8") : ""
        release()
        skipping = false
        if (text !== "") onLine(text)
      }
      hold(chunk.subarray(from))
    },
    close() {
      release()
      skipping = true
    },
  }
}
