import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/** What tests start besides programs from npm; each is called like its Debian package. */
const PROGRAMS = ["chromium", "chromium-headless-shell", "fish", "nginx", "tmux", "zsh"]
const APT = ["-o", "DPkg::Lock::Timeout=300", "-q"]

/**
 * Installs what is missing in one go, where this process may: tests that each install their own would wait for one another.
 * Where it may not, the test that needs a program says how to get it.
 */
export function bringPrograms() {
  const missing = PROGRAMS.filter((name) => !isInstalled(name))
  if (missing.length === 0 || process.getuid?.() !== 0 || !isInstalled("apt-get")) return
  process.stderr.write(`chorus: installing ${missing.join(", ")} …\n`)
  const install = () => apt("install", "-y", "--no-install-recommends", ...missing)
  if (install()) return
  // A machine whose package lists were never fetched, or are old.
  apt("update")
  if (!install()) process.stderr.write(`chorus: could not install them; tests will say what they miss\n`)
}

function apt(...args) {
  const { status } = spawnSync("apt-get", [...APT, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  })
  return status === 0
}

function isInstalled(name) {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"]
  return folders.some((folder) => existsSync(join(folder, name)))
}
