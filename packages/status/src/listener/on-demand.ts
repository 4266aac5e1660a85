import { spawn } from "node:child_process"
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ChorusError } from "@chorus/contracts"
import { programPlaces } from "@chorus/core"
import { isAnswered, refuseTooLong, replaceFile } from "@chorus/disk"
import { ping } from "./listener-client.ts"
import { copyOf } from "./snapshot.ts"
import { cacheFolder, installationHash } from "./socket-path.ts"
import { supervised } from "./supervision.ts"

/** A listener nobody needs any more stays this long, in case the next agent is just being started. */
const STAY_MS = 60_000
const START_WAIT_MS = 10_000
/** Memory before speed: it reads a few lines a second and stays for days. */
const LEAN_FLAGS = ["--max-semi-space-size=1", "--lite-mode", "--expose-gc"]

/** Makes sure that somebody listens: the one that does, or a new one in the background that ends by itself. */
export async function ensureListener(path: string, stayMs = STAY_MS): Promise<void> {
  refuseTooLong(path)
  if (await isAnswered(path)) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const log = openSync(`${path}.log`, "w", 0o600)
  const command = [...(await listenerCommand(path)), "--until-idle", String(stayMs), "--quiet"]
  const [program, ...args] = supervised(path, command)
  const child = spawn(program, args, {
    detached: true,
    stdio: ["ignore", log, log],
    env: leanEnvironment(),
    cwd: "/",
  })
  closeSync(log)
  child.unref()
  const deadline = Date.now() + START_WAIT_MS
  let ended = false
  child.once("exit", () => (ended = true))
  for (;;) {
    // One that has ended may have found another; nobody follows one that could not begin.
    const isOver = ended || Date.now() > deadline
    if ((await ping(path, 500)) !== undefined) return
    if (isOver)
      throw new ChorusError("listener_not_started", `The status listener did not start.`, {
        next: `See ${path}.log.`,
        status: 500,
      })
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** Whether a listener is there, or was and left a copy of what it knew. */
export function isListenerKnown(path: string): boolean {
  return existsSync(path) || existsSync(copyOf(path))
}

/** The command line of the listener's own process. */
export async function listenerCommand(path: string): Promise<[string, ...string[]]> {
  return [process.execPath, ...LEAN_FLAGS, await listenerEntry(), "--socket", path]
}

/** Where this installation's bundled listener stands. */
export function listenerBundle(): string {
  return join(cacheFolder(), `listener-${installationHash()}.cjs`)
}

/**
 * From a checkout the source is bundled first: a Node that strips types by itself holds 20 MB more for as long as it lives.
 * Where there is no bundler the source runs as it is.
 */
async function listenerEntry(): Promise<string> {
  const source = fileURLToPath(new URL("./main.ts", import.meta.url))
  if (!existsSync(source)) {
    const built = programPlaces(import.meta.url, "./main.ts", "status-listener.cjs").find((place) => existsSync(place))
    if (built !== undefined) return fileURLToPath(built)
  }
  const outfile = listenerBundle()
  try {
    const { build } = await import("esbuild")
    const lean = {
      name: "lean",
      setup: (setup: {
        onResolve: (filter: { filter: RegExp }, resolve: LeanResolve) => void
        resolve: ResolveAgain
      }) => setup.onResolve({ filter: /^(@chorus\/|\.)/ }, leanResolve(setup.resolve)),
    }
    const { outputFiles } = await build({
      entryPoints: [source],
      outfile,
      write: false,
      bundle: true,
      platform: "node",
      format: "cjs",
      define: { "import.meta.url": "__url" },
      banner: { js: URL_OF_THIS },
      logLevel: "silent",
      plugins: [lean],
    })
    replaceFile(outfile, outputFiles[0]?.contents ?? "", { fleeting: true })
    return outfile
  } catch {
    return source
  }
}

const URL_OF_THIS = 'const __url = require("node:url").pathToFileURL(__filename).href;'

type ResolveAgain = (path: string, options: object) => Promise<{ path: string; errors: unknown[] }>
type LeanResolve = (args: {
  path: string
  resolveDir: string
  kind: string
  importer: string
  pluginData?: unknown
}) => Promise<{ path: string; sideEffects: boolean } | undefined>

/** Lets the bundler drop every module of ours that the listener does not use. */
function leanResolve(resolve: ResolveAgain): LeanResolve {
  return async ({ path, resolveDir, kind, importer, pluginData }) => {
    if (pluginData === "again") return undefined
    const found = await resolve(path, { resolveDir, kind, importer, pluginData: "again" })
    return { path: found.path, sideEffects: false }
  }
}

/** The listener outlives whoever started it; an agent's variables are none of its business. */
function leanEnvironment(): NodeJS.ProcessEnv {
  const { CHORUS_AGENT: _agent, CHORUS_TERMINAL_ID: _terminal, NODE_OPTIONS: _options, ...env } = process.env
  return env
}
