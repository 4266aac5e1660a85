// Finds the Node that Chorus runs on, bringing a pinned one from the npm registry when this machine's is older.
// As a program: `node scripts/node24.mjs script.mjs args…` runs the script on that Node.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

export const NODE_VERSION = "24.21.0"

export function cacheDirectory() {
  const base = process.env.CHORUS_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "chorus")
  return resolve(base)
}

/** The path of a Node 24 (or newer) binary; fetched once into the cache folder when needed. */
export function node24() {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath
  const home = join(cacheDirectory(), `node-${NODE_VERSION}`)
  const binary = nodeBinaryIn(home)
  if (existsSync(binary)) return binary
  fetchNode(home)
  return binary
}

function platformPackage() {
  const platform = process.platform === "win32" ? "win" : process.platform
  return `node-${platform}-${process.arch}`
}

function nodeBinaryIn(home) {
  const name = process.platform === "win32" ? "node.exe" : "node"
  return join(home, "node_modules", platformPackage(), "bin", name)
}

function fetchNode(home) {
  const wanted = `${platformPackage()}@${NODE_VERSION}`
  process.stderr.write(
    `chorus: this is Node ${process.versions.node}; fetching Node ${NODE_VERSION} (about 50 MB, once) … `,
  )
  const began = Date.now()
  const temporary = `${home}.${process.pid}.tmp`
  mkdirSync(temporary, { recursive: true })
  const npm = spawnSync(
    "npm",
    ["install", "--prefix", temporary, "--no-save", "--no-audit", "--no-fund", "--loglevel=error", wanted],
    {
      stdio: ["ignore", "ignore", "pipe"],
      shell: process.platform === "win32",
    },
  )
  if (npm.status !== 0) {
    rmSync(temporary, { recursive: true, force: true })
    process.stderr.write(`failed\n${npm.stderr}\nchorus: install Node 24 or newer yourself and start again.\n`)
    process.exit(1)
  }
  try {
    renameSync(temporary, home)
  } catch (error) {
    // Another start fetched it at the same time; either copy is good.
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(nodeBinaryIn(home))) throw error
  }
  process.stderr.write(`done in ${((Date.now() - began) / 1000).toFixed(1)} s\n`)
}

/** The environment for children: `node` on PATH is the Node 24 that runs them. */
export function environmentFor(node) {
  return {
    ...process.env,
    PATH: `${dirname(node)}${process.platform === "win32" ? ";" : ":"}${process.env.PATH ?? ""}`,
  }
}

/** Runs a script on Node 24 with this process's terminal, passing signals on; resolves to its exit code. */
export function runOnNode24(args, options = {}) {
  const node = node24()
  const child = spawn(node, args, { stdio: "inherit", env: environmentFor(node), ...options })
  const pass = (signal) => child.kill(signal)
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, pass)
  return new Promise((done) => {
    child.on("exit", (code, signal) => done(code ?? (signal === "SIGINT" ? 130 : 143)))
  })
}

if (process.argv[1] && fileURLToPath(import.meta.url) === resolve(process.argv[1])) {
  process.exitCode = await runOnNode24(process.argv.slice(2))
}
