import { execFile, execFileSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { killTree, temporaryDirectory, waitFor } from "@chorus/testing"

const ROOT = join(import.meta.dirname, "..", "..")
/** Installing takes a minute and has a test of its own; with `CHORUS_JOURNEY_INSTALL=1` the journey begins with it too. */
const INSTALL = process.env["CHORUS_JOURNEY_INSTALL"] === "1"
const STAMP = ".chorus-installed"
const START_MS = INSTALL ? 600_000 : 180_000

export interface Started {
  readonly url: string
  /** The link a first start prints; a store that has people in it prints none. */
  readonly signIn: string | undefined
  stop(): Promise<void>
}

/** A fresh clone of this repository, as somebody else would have it. */
export interface Clone extends AsyncDisposable {
  /** `npm start` in the clone; resolves when it says that it is ready. */
  start(env: Record<string, string>, ...args: string[]): Promise<Started>
  /** The `chorus` command of the clone, to its end. */
  chorus(env: Record<string, string>, ...args: string[]): Promise<string>
  /** The same for a command that goes on until it is stopped. */
  run(env: Record<string, string>, ...args: string[]): Running
}

export interface Running {
  /** Both streams up to now. */
  output(): string
  /** What it said, once it has ended by itself. */
  failure(): string | undefined
  stop(): Promise<void>
}

export async function cloneRepository(): Promise<Clone> {
  const directory = temporaryDirectory("clone-")
  const path = join(directory.path, "chorus")
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, path])
  if (!INSTALL) shareInstalled(path)
  const command = join(path, "packages", "cli", "bin", "chorus.js")
  const all: Running[] = []
  const background = (program: string, args: readonly string[], env: Record<string, string>): Running => {
    const running = start(program, args, env, path)
    all.push(running)
    return running
  }
  return {
    async start(env, ...args) {
      const server = background("npm", ["start", "--", ...args], INSTALL ? { ...env, ...registry() } : env)
      const url = await waitFor(
        () => server.failure() ?? /ready at (http:\S+)/.exec(server.output())?.[1],
        START_MS,
        () => `the ready line after:\n${server.output()}`,
      )
      if (!url.startsWith("http:")) throw new Error(url)
      return { url, signIn: /sign in \([^)]*\): (http:\S+)/.exec(server.output())?.[1], stop: server.stop }
    },
    chorus: async (env, ...args) =>
      (await promisify(execFile)(process.execPath, [command, ...args], { env, cwd: path, timeout: 120_000 })).stdout,
    run: (env, ...args) => background(process.execPath, [command, ...args], env),
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((running) => running.stop()))
      await directory.remove()
    },
  }
}

/** How npm reaches its registry from here; the home of the journey knows none. */
function registry(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i.test(name),
  )
  const address = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim()
  return {
    ...Object.fromEntries(kept as [string, string][]),
    npm_config_registry: address,
    npm_config_fetch_retries: "2",
  }
}

/** The packages of others come from here; those of the workspace are the clone's own. */
function shareInstalled(path: string): void {
  const [from, to] = [join(ROOT, "node_modules"), join(path, "node_modules")]
  mkdirSync(join(to, "@chorus"), { recursive: true })
  for (const name of readdirSync(from))
    if (name !== "@chorus" && name !== STAMP) symlinkSync(join(from, name), join(to, name))
  for (const name of readdirSync(join(from, "@chorus")))
    symlinkSync(readlinkSync(join(from, "@chorus", name)), join(to, "@chorus", name))
  writeFileSync(
    join(to, STAMP),
    createHash("sha256")
      .update(readFileSync(join(path, "package-lock.json")))
      .digest("hex"),
  )
}

function start(program: string, args: readonly string[], env: Record<string, string>, cwd: string): Running {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve())
    child.once("error", () => resolve())
  })
  return {
    output: () => text,
    failure: () =>
      child.exitCode === null ? undefined : `${program} ${args.join(" ")} ended with ${child.exitCode}: ${text}`,
    async stop() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        await killTree(child.pid, "SIGTERM", 30_000)
      await ended
    },
  }
}
