// Installs dependencies when the lock file is not the one that was installed last.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, "node_modules", ".chorus-installed")

export function ensureInstalled() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return
  process.stderr.write("chorus: installing packages …\n")
  const began = Date.now()
  // Not `npm ci`: it refuses a lock file made where the registry lacks the programs of other platforms. The lock file holds all the same.
  const npm = spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  })
  if (npm.status !== 0) {
    process.stderr.write("chorus: the install failed; see npm's message above.\n")
    process.exit(npm.status ?? 1)
  }
  process.stderr.write(`chorus: installed in ${((Date.now() - began) / 1000).toFixed(1)} s\n`)
  writeFileSync(stamp, wanted)
}
