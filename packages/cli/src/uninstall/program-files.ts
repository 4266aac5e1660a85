import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { cacheFolder } from "@chorus/status"
import { programCache } from "../program-cache.ts"
import { removeIfEmpty } from "./empty-folder.ts"

/** What any installation makes or fetches again when it misses it. Sockets and wrappers of other installations are not among it. */
const OURS = /^(acp$|compiled$|node-\d)/

/** Removes the command's own Node and what it has compiled; says which folders went. */
export function removeProgramFiles(): string[] {
  return [...new Set([programCache(), cacheFolder()])].flatMap((folder) => {
    const gone = entriesOf(folder)
      .filter((name) => OURS.test(name))
      .map((name) => join(folder, name))
    for (const path of gone) rmSync(path, { recursive: true, force: true })
    removeIfEmpty(folder)
    return gone.map((path) => `removed ${path}`)
  })
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
