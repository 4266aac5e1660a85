import { execFile, spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { ChorusError } from "@chorus/contracts"

const TIMEOUT_MS = 120_000
const MOST_OUTPUT = 64 * 1024 * 1024
/** No hook and no watcher of the repository's runs for us, and nothing is tidied up behind its owner's back. */
const OURS = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"]

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

/** Runs git as Chorus itself: no hook, no question, no repository but the one it is pointed at. */
export function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { timeoutMs: timeout = TIMEOUT_MS } = options
  const env = environment(options)
  return new Promise((resolve, reject) => {
    execFile(
      "git",
      [...OURS, ...args],
      { cwd: folder, env, timeout, maxBuffer: MOST_OUTPUT },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout.trimEnd())
        reject(failed(args, stderr, error))
      },
    )
  })
}

/** What git prints, byte by byte as it comes. */
export async function* gitStream(
  folder: string,
  args: readonly string[],
  { input, ...options }: GitOptions & { readonly input?: string } = {},
): AsyncGenerator<Buffer> {
  const child = spawn("git", [...OURS, ...args], {
    cwd: folder,
    env: environment(options),
    timeout: options.timeoutMs ?? TIMEOUT_MS,
  })
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-4000)))
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  ended.catch(() => undefined)
  child.stdin.on("error", () => undefined)
  child.stdin.end(input ?? "")
  for await (const chunk of child.stdout) yield chunk as Buffer
  const code = await ended
  if (code !== 0) throw failed(args, stderr, new Error(`git ended with ${code ?? "a signal"}`))
}

export async function gitBytes(
  folder: string,
  args: readonly string[],
  options: GitOptions & { readonly input?: string } = {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of gitStream(folder, args, options)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The root of the repository that a folder is part of. */
export async function repositoryOf(folder: string): Promise<string> {
  const path = existsSync(folder) ? realpathSync(folder) : undefined
  const root = path === undefined ? undefined : await git(path, ["rev-parse", "--show-toplevel"]).catch(() => undefined)
  if (root !== undefined) return realpathSync(root)
  throw new ChorusError("no_repository", `${folder} is no git repository.`, {
    next: "Name a folder with a repository in it; `git init` makes one.",
  })
}

function environment({ env = {} }: GitOptions): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))
  return {
    ...Object.fromEntries(given),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_AUTHOR_NAME: "Chorus",
    GIT_AUTHOR_EMAIL: "chorus@localhost",
    GIT_COMMITTER_NAME: "Chorus",
    GIT_COMMITTER_EMAIL: "chorus@localhost",
    ...env,
  }
}

function failed(args: readonly string[], stderr: string, error: Error): ChorusError {
  const said = stderr.trim() || error.message
  return new ChorusError("git_failed", `git ${args[0] ?? ""} failed: ${said}`.slice(0, 900), {
    status: 500,
    next: "Look at the repository on that machine.",
    cause: error,
  })
}
