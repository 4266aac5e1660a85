import { type FSWatcher, statSync, watch } from "node:fs"
import { dirname } from "node:path"

/** Looks at a folder again this often even when the system reported nothing: some file systems report nothing at all. */
const SAFETY_MS = 2_000

export interface Watching {
  close(): void
}

/**
 * Calls `onChange` with the name of each file that changes in the folder, at once, and without a name when anything may have
 * changed. The folder may appear later, go away and come back.
 */
export function watchFolder(
  folder: string,
  onChange: (name: string | undefined) => void,
  safetyMs = SAFETY_MS,
): Watching {
  let watcher: FSWatcher | undefined
  let closed = false
  let place: Place | undefined
  const changed = (name: string | null) => {
    if (closed) return
    const here = place?.path === folder
    // The folder itself went away, or it or one on the way to it appeared: look from there.
    if (!here || inodeOf(folder) !== place?.inode) arm()
    if (here) onChange(name ?? undefined)
    else if (place?.path === folder) onChange(undefined)
  }
  const arm = () => {
    watcher?.close()
    watcher = undefined
    place = nearest(folder)
    if (closed || place === undefined) return
    try {
      watcher = watch(place.path, (_, name) => changed(name))
      watcher.on("error", () => {
        watcher?.close()
        watcher = undefined
      })
    } catch {
      watcher = undefined
    }
  }
  arm()
  // Keeps its process alive as the watcher does: where there is none, this is all that a member hears by.
  const timer = setInterval(() => {
    if (watcher === undefined || inodeOf(folder) !== place?.inode) arm()
    onChange(undefined)
  }, safetyMs)
  return {
    close() {
      closed = true
      clearInterval(timer)
      watcher?.close()
    },
  }
}

interface Place {
  readonly path: string
  readonly inode: string
}

/** The folder, or while it is not there the closest one above it. */
function nearest(folder: string): Place | undefined {
  for (let path = folder; ; path = dirname(path)) {
    const inode = inodeOf(path)
    if (inode !== undefined) return { path, inode }
    if (dirname(path) === path) return undefined
  }
}

/** Lock directories and temporary files come and go with every write; only the file itself is news. */
export function isNews(name: string): boolean {
  return name.endsWith(".json") || name === ".highwatermark"
}

/** Inode numbers are used again, often at once; together with the time of birth they are not. */
function inodeOf(folder: string): string | undefined {
  const stat = statSync(folder, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.ino}-${stat.birthtimeNs}`
}
