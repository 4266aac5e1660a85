import { homedir, tmpdir, userInfo } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { isTooLong } from "@chorus/disk"

type Environment = Readonly<Record<string, string | undefined>>

/** The folder for what can be made anew: `$CHORUS_CACHE`, or the system's cache folder for this user. */
export function cacheFolder(env: Environment = process.env, platform: NodeJS.Platform = process.platform): string {
  if (env["CHORUS_CACHE"]) return resolve(env["CHORUS_CACHE"])
  const home = env["HOME"] ?? homedir()
  if (env["XDG_CACHE_HOME"]) return join(env["XDG_CACHE_HOME"], "chorus")
  return platform === "darwin" ? join(home, "Library", "Caches", "chorus") : join(home, ".cache", "chorus")
}

/** Tells this installation from another one of the same user, so that neither takes the other's socket. */
export function installationHash(root: string = installationRoot()): string {
  return sha256(root).slice(0, 8)
}

/** Where the listener of this installation is: `$CHORUS_SOCK`, or a socket in the cache folder. */
export function socketPath(env: Environment = process.env): string {
  if (env["CHORUS_SOCK"]) return resolve(env["CHORUS_SOCK"])
  const path = join(cacheFolder(env), `status-${installationHash()}.sock`)
  if (!isTooLong(path)) return path
  const short = sha256(path).slice(0, 12)
  return join(tmpdir(), `chorus-${userInfo().uid}`, `${short}.sock`)
}

/** Loaded only where it is needed: the listener is told its path, and cryptography takes three megabytes. */
function sha256(text: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex")
}

function installationRoot(): string {
  return dirname(dirname(fileURLToPath(import.meta.url)))
}
