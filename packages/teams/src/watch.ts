import { type FSWatcher, statSync, watch } from "node:fs"

/** Looks at a folder again this often even when the system reported nothing: some file systems report nothing at all. */
const SAFETY_MS = 2_000

export interface Watching {
  close(): void
}

/**
 * Calls `onChange` with the name of each file that changes in the folder, at once, and without a name when anything may have
 * changed. The folder may appear later, go away and come back.
 */
export function watchFolder(folder: string, onChange: (name: string | undefined) => void, safetyMs = SAFETY_MS): Watching {
  let watcher: FSWatcher | undefined
  let closed = false
  let seen = inodeOf(folder)
  const tell = (name: string | undefined) => {
    if (!closed) onChange(name)
  }
  const arm = () => {
    watcher?.close()
    watcher = undefined
    seen = inodeOf(folder)
    if (closed || seen === undefined) return
    try {
      watcher = watch(folder, (_, name) => tell(name ?? undefined))
      watcher.on("error", () => arm())
    } catch {
      watcher = undefined
    }
  }
  arm()
  const timer = setInterval(() => {
    if (watcher === undefined || inodeOf(folder) !== seen) arm()
    tell(undefined)
  }, safetyMs)
  timer.unref()
  return {
    close() {
      closed = true
      clearInterval(timer)
      watcher?.close()
    },
  }
}

/** Lock directories and temporary files come and go with every write; only the file itself is news. */
export function isNews(name: string): boolean {
  return name.endsWith(".json") || name === ".highwatermark"
}

/** A bell that rings for whoever waits; a ring while nobody waits is kept, so no change falls between looking and waiting. */
export class Bell {
  #rung = false
  #waiting: (() => void)[] = []

  ring(): void {
    this.#rung = true
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  async heard(): Promise<void> {
    if (!this.#rung) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#rung = false
  }
}

function inodeOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ino
}
