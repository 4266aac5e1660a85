import { existsSync } from "node:fs"
import { join } from "node:path"
import { contentHash } from "../fetch/index.ts"
import { hasNodeLockfile } from "../install/node-lockfile.ts"
import { changeJsonFile, type ClaudeHome, readJsonFile } from "../state/index.ts"

/** In place of the hash of packages that could not be fetched. */
const LACKING = "lacking"

/**
 * The Node packages of a plugin's lockfile are not in its own hash: they differ by platform, and a lock file that is shared
 * would then fit one platform only. What was installed on this machine is kept on this machine instead.
 */
export async function recordPackages(
  home: ClaudeHome,
  folder: string,
  { lacking = false }: { lacking?: boolean } = {},
): Promise<void> {
  const hash = packagesHash(folder) ?? (lacking ? LACKING : undefined)
  if (hash === undefined) return
  await changeJsonFile(home, packagesPath(home), (content) => {
    content[folder] = hash
  })
}

/** Whether the packages beside a plugin are still those that were installed with it, or could not be had then. */
export function packagesStanding(
  home: ClaudeHome,
  folder: string,
): "none" | "same" | "changed" | "missing" | "unknown" {
  const now = packagesHash(folder)
  const then = readJsonFile(packagesPath(home))[folder]
  if (now === undefined && then === LACKING) return "missing"
  if (now === undefined) return typeof then === "string" ? "changed" : "none"
  if (typeof then !== "string" || then === LACKING) return "unknown"
  return then === now ? "same" : "changed"
}

function packagesHash(folder: string): string | undefined {
  const packages = join(folder, "node_modules")
  return hasNodeLockfile(folder) && existsSync(packages) ? contentHash(packages) : undefined
}

function packagesPath(home: ClaudeHome): string {
  return join(home.chorus, "packages.json")
}
