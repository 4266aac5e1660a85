import { rmSync } from "node:fs"
import { replaceFile } from "@chorus/disk"
import { promptLine } from "../view/prompt-line.ts"
import type { TerminalBook } from "./terminal-book.ts"

/** The line tells an age by the minute. */
const AGES_MS = 10_000

/**
 * Keeps the one-line summary in a file, so that a prompt or a tmux status line costs a `cat` and no process of ours. It goes
 * away with the listener: an old line would be a claim nobody stands for.
 */
export function lineFile(path: string, book: TerminalBook) {
  let written: string | undefined
  const update = () => {
    const line = promptLine(book.rows())
    if (line === written) return
    written = line
    try {
      replaceFile(path, line === "" ? "" : `${line}\n`, { fleeting: true })
    } catch {
      // The views that ask the listener itself still work.
    }
  }
  update()
  const stop = book.forward({ changed: update, removed: update })
  const ages = setInterval(update, AGES_MS)
  return {
    close() {
      stop()
      clearInterval(ages)
      rmSync(path, { force: true })
    },
  }
}
