import { existsSync } from "node:fs"
import { join } from "node:path"

export const LOCKFILES = ["npm-shrinkwrap.json", "package-lock.json"]

/** Whether a plugin's packages come from a lockfile; then `node_modules` is no part of the plugin itself. */
export function hasNodeLockfile(folder: string): boolean {
  return existsSync(join(folder, "package.json")) && LOCKFILES.some((name) => existsSync(join(folder, name)))
}
