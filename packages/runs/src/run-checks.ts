import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { killGroup, sweep } from "./processes.ts"

/** What is kept of what a check prints: its end. */
const MOST_KEPT = 100_000
const MOST_BYTES = 32 * 1024 * 1024
export const CHECK_MARK = "CHORUS_CHECK_ID"

export interface CheckLimits {
  readonly minutes: number
  /** How much it may print altogether. */
  readonly bytes?: number | undefined
}

export interface CheckPlace {
  /** The tree that is checked. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly limits: CheckLimits
  /** What the words are started inside of: an enclosure, a group of processes. */
  wrap?(command: string, args: readonly string[]): { readonly command: string; readonly args: readonly string[] }
  /** Hears the end of the output whenever there is more of it. */
  heard?(output: string): void
  readonly signal?: AbortSignal | undefined
}

export interface CheckEnd {
  /** Of a command that ended by itself. */
  readonly exitCode: number | null
  /** Why it ended otherwise, in a sentence. */
  readonly reason: string | null
  readonly durationMs: number
  /** The end of what it printed, and how much that was altogether. */
  readonly output: string
  readonly outputBytes: number
}

/**
 * Runs commands in a tree, one after the other, each to its end or to its limit; nothing that one started outlives it.
 * They are what a person approved, as a shell reads it: whoever calls has made sure of that.
 */
export async function runChecks(commands: readonly string[], place: CheckPlace): Promise<CheckEnd[]> {
  const ends: CheckEnd[] = []
  for (const command of commands) ends.push(await runCheck(command, place))
  return ends
}

async function runCheck(words: string, { folder, env, limits, wrap, heard, signal }: CheckPlace): Promise<CheckEnd> {
  const mark = randomUUID()
  const begun = performance.now()
  const bare = { command: "/bin/sh", args: ["-c", words] }
  const { command, args } = wrap?.(bare.command, bare.args) ?? bare
  const child = spawn(command, [...args], {
    cwd: folder,
    env: { ...env, [CHECK_MARK]: mark },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const most = limits.bytes ?? MOST_BYTES
  let [output, outputBytes] = ["", 0]
  let reason: string | null = null
  const end = (why: string) => {
    reason ??= why
    killGroup(child.pid, "SIGKILL")
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      if (reason !== null) return
      outputBytes += Buffer.byteLength(text)
      output = (output + text).slice(-MOST_KEPT)
      if (outputBytes > most) end(`It printed more than ${Math.round(most / 1024 / 1024)} MB and was ended.`)
      heard?.(output)
    })
  }
  const time = `${limits.minutes} ${limits.minutes === 1 ? "minute" : "minutes"}`
  const late = setTimeout(() => end(`It took longer than ${time} and was ended.`), limits.minutes * 60_000)
  const stop = () => end(typeof signal?.reason === "string" ? signal.reason : "It was stopped.")
  signal?.addEventListener("abort", stop, { once: true })
  if (signal?.aborted === true) stop()
  const exitCode = await new Promise<number | null>((over) => {
    child.once("error", (error) => {
      reason ??= `It could not be started: ${error.message}.`
      over(null)
    })
    child.once("exit", (code, by) => {
      if (by !== null) reason ??= `It was ended by ${by}.`
      over(code)
    })
  })
  clearTimeout(late)
  signal?.removeEventListener("abort", stop)
  killGroup(child.pid, "SIGKILL")
  await sweep(CHECK_MARK, mark)
  // Nothing holds its pipes any more; what is still in them belongs to its output.
  await Promise.all(
    [child.stdout, child.stderr].map((stream) => stream.closed || new Promise((go) => stream.once("close", go))),
  )
  const durationMs = Math.round(performance.now() - begun)
  return { exitCode: reason === null ? exitCode : null, reason, durationMs, output, outputBytes }
}
