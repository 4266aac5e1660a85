import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lastWill } from "./last-will.ts"

export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string
  remove(): Promise<void>
}

let root: string | undefined

/** A new empty folder. Removed by `remove()` or `await using`, and at the latest when this process ends, however it ends. */
export function temporaryDirectory(prefix = "chorus-"): TemporaryDirectory {
  root ??= newRoot()
  const path = mkdtempSync(join(root, prefix))
  // A process that is just ending may still create a file, hence the retries.
  const remove = async (): Promise<void> =>
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  return { path, remove, [Symbol.asyncDispose]: remove }
}

// Test runners kill their workers, so an exit handler would not do.
function newRoot(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "chorus-"))
  // Other accounts may pass through to a folder that is given to them, as PostgreSQL's is.
  chmodSync(path, 0o711)
  lastWill(["rm", "-rf", "--", path])
  return path
}
