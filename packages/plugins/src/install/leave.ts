import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { changeFile, lockNotes } from "@chorus/disk"
import { type ClaudeHome, readInstalled, readKnown, settingsPath } from "../state/index.ts"
import { keptTranslations } from "../translate/translations.ts"
import { cachedPaths } from "./cache.ts"

export interface Left {
  readonly done: readonly string[]
  /** What stays, because Claude Code goes on using it. */
  readonly left: readonly string[]
}

/**
 * For whoever takes Chorus off the machine: removes what it cached and nobody uses any more, and its own records.
 * Plugins that are still installed are Claude Code's as well; they stay with what was agreed to and locked, and are
 * named.
 */
export async function leavePlugins(home: ClaudeHome): Promise<Left> {
  const records = readInstalled(home)
  const installed = [...records.keys()]
  const used = new Set([...records.values()].flat().map(({ installPath }) => installPath))
  const known = [...readKnown(home).keys()]
  const cache = join(home.plugins, "cache")
  const unused = cachedPaths(home)
    .map((path) => resolve(path))
    .filter((path) => path.startsWith(`${cache}/`) && !used.has(path) && existsSync(path))
  const own = installed.length === 0 ? [home.chorus] : []
  const gone = [...unused, join(cache, ".chorus-downloads"), ...own].filter((path) => existsSync(path))
  for (const path of gone) rmSync(path, { recursive: true, force: true })
  for (const path of unused) removeEmpty(dirname(path), home.plugins)
  if (gone.length > 0) for (const name of ["cache", "marketplaces"]) removeEmpty(join(home.plugins, name), home.plugins)
  await removeNotes(home)
  return {
    done: gone.map((path) => `removed ${path}`),
    left: [
      ...(installed.length === 0
        ? []
        : [
            `${installed.join(", ")}, with what you agreed to and locked in ${home.chorus}; ` +
              "chorus plugin uninstall removes a plugin",
          ]),
      ...keptTranslations(home).map(
        ({ id, target, folder }) =>
          `what was translated of ${id} for ${target} in ${folder}; chorus plugin uninstall ${id} takes it along`,
      ),
      ...(known.length === 0
        ? []
        : [`the marketplaces ${known.join(", ")}; chorus plugin marketplace remove removes one`]),
    ],
  }
}

/** Folders that nothing is in any more, upwards to one that stays. */
function removeEmpty(folder: string, top: string): void {
  for (let at = folder; at !== top && at.startsWith(`${top}/`); at = dirname(at)) {
    if (!existsSync(at)) continue
    if (readdirSync(at).length > 0) return
    rmdirSync(at)
  }
}

/** The notes of locks go with the last lock that is told to leave none. */
async function removeNotes(home: ClaudeHome): Promise<void> {
  const notes = lockNotes(home.config)
  if (existsSync(notes)) await changeFile(settingsPath(home, "user"), (text) => text, { notes, noTrace: true })
}
