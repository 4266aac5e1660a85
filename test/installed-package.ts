import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { killTree, waitFor } from "@chorus/testing"

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const START_MS = 110_000

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly url: string
  stop(): Promise<void>
}

/** A folder with a home, an npm cache and the package installed in it, as somebody has who has never seen this product. */
export interface Installation {
  readonly folder: string
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  install(tarball: string): void
  /** `npx chorus …` to its end. */
  npx(...args: readonly string[]): Promise<Finished>
  /** The same without the second that npx takes. */
  chorus(...args: readonly string[]): Promise<Finished>
  /** `npx chorus start …` until it answers. */
  start(...args: readonly string[]): Promise<Started>
  /** The same installation as somebody with another environment sees it. */
  with(variables: NodeJS.ProcessEnv): Installation
}

/** Packs the product as it is built. */
export async function pack(out: string, version: string): Promise<string> {
  const args = [join(ROOT, "scripts", "pack.mjs"), "--as-built", "--out", out, "--version", version]
  const { code, stdout, stderr } = await finished(process.execPath, args, { cwd: ROOT, env: process.env })
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

export function installation(at: string, variables: NodeJS.ProcessEnv): Installation {
  const [folder, home] = [join(at, "app"), join(at, "home")]
  for (const path of [folder, home]) mkdirSync(path, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n')
  return seenBy(folder, home, {
    ...cleanEnvironment(),
    HOME: home,
    npm_config_cache: join(at, "npm-cache"),
    ...variables,
  })
}

function seenBy(folder: string, home: string, environment: NodeJS.ProcessEnv): Installation {
  const place = { cwd: folder, env: environment }
  return {
    folder,
    home,
    environment,
    install: (tarball) =>
      void execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], {
        ...place,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    npx: (...args) => finished("npx", ["--no-install", "chorus", ...args], place),
    chorus: (...args) => finished(join(folder, "node_modules", ".bin", "chorus"), args, place),
    start: (...args) => started("npx", ["--no-install", "chorus", "start", "--port", "0", ...args], place),
    with: (variables) => seenBy(folder, variables["HOME"] ?? home, { ...environment, ...variables }),
  }
}

/** Nothing of ours and nothing of a surrounding npm; whichever Node the system has comes first unless the caller says otherwise. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const path = (process.env["PATH"] ?? "")
    .split(":")
    .filter((folder) => !/node-\d+\.\d+\.\d+|node_modules/.test(folder))
  return {
    PATH: path.join(":"),
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
    TMPDIR: process.env["TMPDIR"],
  }
}

export function finished(
  program: string,
  args: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(program, args, { ...place, timeout: START_MS, maxBuffer: 16_000_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    )
  })
}

/** Runs until the ready line is printed; `stop` ends it in good order. */
export async function started(
  program: string,
  args: readonly string[],
  place: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Started> {
  const child = spawn(program, args, { ...place, stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const ended = once(child, "close")
  const url = await waitFor(
    () => /ready at (http:\S+)/.exec(text)?.[1] ?? (child.exitCode === null ? undefined : "ended"),
    START_MS,
    () => `the ready line after:\n${text}`,
  )
  if (url === "ended") throw new Error(`it ended with ${child.exitCode}:\n${text}`)
  return {
    url,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) await killTree(child.pid, "SIGTERM", 30_000)
      await ended
    },
  }
}

/**
 * In place of Claude Code, which takes seconds for each question: keeps which marketplaces and plugins it was given, by the same commands.
 * The real one is connected and disconnected in the tests of the hooks.
 */
export function standInForClaude(folder: string): string {
  const path = join(folder, "claude")
  const script = `#!/usr/bin/env node
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs")
const [, , , ...words] = process.argv
const folder = process.env.HOME + "/.claude/plugins/"
function change(file, edit) {
  let content = {}
  try { content = JSON.parse(readFileSync(folder + file, "utf8")) } catch {}
  edit(content)
  mkdirSync(folder, { recursive: true })
  writeFileSync(folder + file, JSON.stringify(content))
}
const [at = "", path = ""] = words[0] === "marketplace" ? words.slice(1) : words
const known = (edit) => change("known_marketplaces.json", edit)
const installed = (edit) => change("installed_plugins.json", (all) => edit((all.plugins ??= {})))
const source = { source: "directory", path }
if (process.argv[2] === "--version") console.log("2.1.325 (Claude Code)")
else if (words.includes("--help")) console.log("  configure [options] <plugin>\\n  --config <key=value>")
else if (at === "add") known((all) => { all["chorus-plugins"] = { source, installLocation: path } })
else if (at === "remove") known((all) => { delete all[path] })
else if (at === "install") installed((all) => { all[path] = [{ scope: "user", installPath: folder, version: "1.0.0" }] })
else if (at === "uninstall") installed((all) => { delete all[path] })
`
  writeFileSync(path, script, { mode: 0o755 })
  return path
}

/** Every file below a folder, by its path there. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}

export function bytesBelow(folder: string): number {
  return filesBelow(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}
