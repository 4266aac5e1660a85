import { rmSync, utimesSync } from "node:fs"
import { isNewFailure } from "@chorus/core"
import { replaceFile } from "@chorus/disk"
import { promptLine } from "../view/prompt-line.ts"
import type { TerminalBook } from "./terminal-book.ts"

/** The line tells an age by the minute, and whoever reads it takes none for true that is older than two. */
const AGES_MS = 10_000
/** Not old in anybody's life. */
const LASTING = new Date("2100-01-01T00:00:00Z")

/**
 * Keeps the one-line summary in a file, so that a prompt or a tmux status line costs a small program and no process of ours. It
 * goes away with the listener: an old line would be a claim nobody stands for. Where that cannot see to it, as when the power
 * fails, the file's age tells.
 */
export function lineFile(path: string, book: TerminalBook) {
  let written: string | undefined
  const write = (line: string) => replaceFile(path, line === "" ? "" : `${line}\n`, { fleeting: true })
  const update = () => {
    const line = promptLine(book.rows())
    if (line === written) return
    written = line
    try {
      write(line)
    } catch {
      // The views that ask the listener itself still work.
    }
  }
  const vouch = () => {
    update()
    try {
      utimesSync(path, new Date(), new Date())
    } catch {
      // Taken away by somebody; the next change writes it anew.
    }
  }
  update()
  const stop = book.forward({ changed: update, removed: update })
  const ages = setInterval(vouch, AGES_MS)
  return {
    /** Of a listener that nobody needs any more, failures that nobody has seen stay to be seen: they need nobody to vouch for them. */
    close(isUnneeded: boolean) {
      stop()
      clearInterval(ages)
      const failures = isUnneeded ? promptLine(book.rows().filter((row) => row.ended && isNewFailure(row))) : ""
      rmSync(path, { force: true })
      if (failures === "") return
      try {
        write(failures)
        utimesSync(path, new Date(), LASTING)
      } catch {
        // A full disk must not keep a listener that nobody needs.
      }
    },
  }
}
