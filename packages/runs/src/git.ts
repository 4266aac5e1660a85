import { execFile } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { ChorusError } from "@chorus/contracts"

const TIMEOUT_MS = 120_000
const MOST_OUTPUT = 64 * 1024 * 1024

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

/** Runs git as Chorus itself: no hook, no question, no repository but the one it is pointed at. */
export function git(folder: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const given = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))
  const env = {
    ...Object.fromEntries(given),
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "Chorus",
    GIT_AUTHOR_EMAIL: "chorus@localhost",
    GIT_COMMITTER_NAME: "Chorus",
    GIT_COMMITTER_EMAIL: "chorus@localhost",
    ...options.env,
  }
  const words = ["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", ...args]
  const { timeoutMs: timeout = TIMEOUT_MS } = options
  return new Promise((resolve, reject) => {
    execFile("git", words, { cwd: folder, env, timeout, maxBuffer: MOST_OUTPUT }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout.trimEnd())
      reject(
        new ChorusError("git_failed", `git ${args[0] ?? ""} failed: ${stderr.trim() || error.message}`.slice(0, 900), {
          status: 500,
          next: "Look at the repository on that machine.",
          cause: error,
        }),
      )
    })
  })
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
