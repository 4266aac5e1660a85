import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { killGroup } from "./processes.ts"

/** What is kept of what a script prints. */
const MOST_OUTPUT = 200_000

export interface Script {
  /** As the machine's policy has it; no shell reads it. */
  readonly words: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly minutes: number
  /** Where its output is kept. */
  readonly log: string
}

export interface ScriptEnd {
  readonly output: string
  /** What went wrong, in words. */
  readonly failure: string | undefined
}

/** Runs what a machine's policy names for a new worktree, or for one that goes, to its end or to its limit. */
export function runScript({ words, cwd, env, minutes, log }: Script): Promise<ScriptEnd> {
  const [program = "", ...args] = words.split(/\s+/).filter(Boolean)
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  let failure: string | undefined
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-MOST_OUTPUT)))
  const late = setTimeout(() => {
    failure = `It took longer than ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`
    killGroup(child.pid, "SIGKILL")
  }, minutes * 60_000)
  return new Promise((over) => {
    const done = (said: string | undefined) => {
      clearTimeout(late)
      killGroup(child.pid, "SIGKILL")
      writeFileSync(log, output, { mode: 0o600 })
      over({ output, failure: failure ?? said })
    }
    child.once("error", (error) => done(error.message))
    child.once("exit", (code, signal) => done(code === 0 ? undefined : `It ended with ${code ?? signal}.`))
  })
}
