import { spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { devNull } from "node:os"
import { ChorusError } from "@chorus/contracts"

const TIMEOUT_MS = 120_000
const MOST_OUTPUT = 64 * 1024 * 1024
/** No hook and no watcher of the repository's runs for us, and nothing is tidied up behind its owner's back. */
const OURS = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"]

/** Under which Chorus itself writes commits, and for those who have told git no name of theirs. */
export const OWN_NAME = {
  GIT_AUTHOR_NAME: "Chorus",
  GIT_AUTHOR_EMAIL: "chorus@localhost",
  GIT_COMMITTER_NAME: "Chorus",
  GIT_COMMITTER_EMAIL: "chorus@localhost",
}

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** As whoever owns the repository would run it: their name, hooks and signing. */
  readonly asOwner?: boolean
  readonly input?: string
}

export interface GitEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs git as Chorus itself: no hook, no question, no repository but the one it is pointed at. */
export async function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await gitEnd(folder, args, options)
  if (code === 0) return stdout.trimEnd()
  throw refusedBy(args, { code, stderr })
}

export function refusedBy(args: readonly string[], { code, stderr }: Pick<GitEnd, "code" | "stderr">): ChorusError {
  return failed(args, stderr, new Error(`git ended with ${code ?? "a signal"}`))
}

const worktreeTurns = new Map<string, Promise<unknown>>()

/** `git worktree …`, one after the other for each repository: git fails over a worktree that another one is just making. */
export function gitWorktree(repository: string, ...args: readonly string[]): Promise<string> {
  const before = worktreeTurns.get(repository) ?? Promise.resolve()
  const mine = before.then(() => git(repository, ["worktree", ...args]))
  const over = mine.then(
    () => undefined,
    () => undefined,
  )
  worktreeTurns.set(repository, over)
  void over.then(() => worktreeTurns.get(repository) === over && worktreeTurns.delete(repository))
  return mine
}

/**
 * Runs git and tells how it ended. It is in a process group of its own: what it has begun it ends, also where whoever started it is
 * killed meanwhile.
 */
export async function gitEnd(folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitEnd> {
  const child = spawn("git", [...(options.asOwner === true ? [] : OURS), ...args], {
    cwd: folder,
    env: environment(options),
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    detached: true,
  })
  const said = { stdout: "", stderr: "" }
  const hear = (name: keyof typeof said) => (text: string) => {
    said[name] += text
    if (said[name].length > MOST_OUTPUT) child.kill()
  }
  child.stdout.setEncoding("utf8").on("data", hear("stdout"))
  child.stderr.setEncoding("utf8").on("data", hear("stderr"))
  child.stdin.on("error", () => undefined)
  child.stdin.end(options.input ?? "")
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(failed(args, "", error)))
    child.on("close", (code) => resolve({ code, ...said }))
  })
}

/** What git prints, byte by byte as it comes. */
export async function* gitStream(
  folder: string,
  args: readonly string[],
  { input, ...options }: GitOptions = {},
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
  if (code !== 0) throw refusedBy(args, { code, stderr })
}

export async function gitBytes(folder: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
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

function environment({ env = {}, asOwner = false }: GitOptions): NodeJS.ProcessEnv {
  const given = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))
  return {
    ...Object.fromEntries(given),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    // Whoever works in a repository could have one object stand for another, or a commit for another's child.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: devNull,
    ...(asOwner ? {} : OWN_NAME),
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
