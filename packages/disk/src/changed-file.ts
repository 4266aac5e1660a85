import { mkdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { linkTarget, replaceFile } from "./atomic-file.ts"
import { type LockOptions, withLock } from "./directory-lock.ts"
import { readText } from "./file-text.ts"

/**
 * Changes a file that other processes change too: under its lock, from what it holds now, whole or not at all. `change`
 * answers the new text; the same text leaves the file as it is, undefined removes it. It may be asked again. A link
 * stays a link.
 */
export async function changeFile(
  path: string,
  change: (text: string | undefined) => string | undefined,
  options: LockOptions & { readonly mode?: number | undefined },
): Promise<void> {
  const file = linkTarget(path)
  mkdirSync(dirname(file), { recursive: true })
  await withLock(file, options, (held) => {
    const before = readText(file)
    const after = change(before)
    if (after === before) return
    if (after !== undefined)
      return replaceFile(file, after, { held, ...(options.mode === undefined ? {} : { mode: options.mode }) })
    held.assertHeld()
    rmSync(file, { force: true })
  })
}
