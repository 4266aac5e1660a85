import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string
  remove(): Promise<void>
}

const standing = new Set<string>()

/** A new empty folder. Removed by `remove()` or `await using`, and at the latest when this process exits. */
export function temporaryDirectory(prefix = "chorus-"): TemporaryDirectory {
  const path = mkdtempSync(join(realpathSync(tmpdir()), prefix))
  if (standing.size === 0) process.once("exit", removeAll)
  standing.add(path)
  const remove = async (): Promise<void> => {
    if (!standing.delete(path)) return
    if (standing.size === 0) process.off("exit", removeAll)
    removeNow(path)
  }
  return { path, remove, [Symbol.asyncDispose]: remove }
}

function removeAll(): void {
  for (const path of standing) removeNow(path)
  standing.clear()
}

// A process that is just ending may still create a file, hence the retries.
function removeNow(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
