import { execFile } from "node:child_process"
import { accessSync, constants, existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)
const INSTALL_TIMEOUT = 600_000

/** The path of a command, or undefined. */
export function commandOnPath(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find(isExecutable)
}

/** Installs a Debian package where this process may, and says whether it did. apt's own lock keeps workers apart that ask together. */
export async function installDebianPackage(name: string): Promise<boolean> {
  if (process.getuid?.() !== 0 || commandOnPath("apt-get") === undefined) return false
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: INSTALL_TIMEOUT,
    maxBuffer: 64 * 1024 * 1024,
  }
  const install = ["-o", "DPkg::Lock::Timeout=300", "install", "-y", "-q", "--no-install-recommends", name]
  try {
    await run("apt-get", install, options)
  } catch {
    // A machine whose package lists were never fetched, or are old.
    await run("apt-get", ["-o", "DPkg::Lock::Timeout=300", "update", "-q"], options)
    await run("apt-get", install, options)
  }
  return true
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A program that Debian keeps where only root's PATH looks, installed where it is missing and this process may. */
export async function debianDaemon(name: string): Promise<string> {
  const installed = () =>
    commandOnPath(name) ?? [`/usr/local/sbin/${name}`, `/usr/sbin/${name}`].find((path) => existsSync(path))
  const found = installed() ?? ((await installDebianPackage(name)) ? installed() : undefined)
  if (found === undefined) throw new Error(`${name} is missing; install it (apt-get install ${name}).`)
  return found
}
