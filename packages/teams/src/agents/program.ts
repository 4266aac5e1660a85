import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, resolve } from "node:path"
import { createInterface } from "node:readline"
import { stripVTControlCharacters } from "node:util"
import { ChorusError } from "@chorus/contracts"

export interface ProgramOptions {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** A program started without a shell, in a process group of its own so that it ends with everything it started. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams
  /** Resolves with the exit code, or null after a signal. */
  readonly ended: Promise<number | null>
  #stderr = ""
  #onLine: (line: string) => void = () => undefined
  #reading = false

  constructor({ argv: [command = "", ...args], cwd, env }: ProgramOptions) {
    this.child = spawn(command, args, { cwd, env: { ...env }, stdio: ["pipe", "pipe", "pipe"], detached: true })
    this.child.stdin.on("error", () => undefined)
    this.child.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => (this.#stderr = (this.#stderr + text).slice(-4_000)))
    this.ended = new Promise((resolve, reject) => {
      this.child.once("error", (error) => reject(notStarted(command, error)))
      this.child.once("close", (code) => resolve(code))
    })
    this.ended.catch(() => undefined)
  }

  /** How it ended, which a signal says and its own last words do not. */
  howEnded(name: string): string {
    const { exitCode, signalCode } = this.child
    const words = stripVTControlCharacters(this.#stderr).trim().split("\n").slice(-5).join("\n")
    if (signalCode === null) return `${name} ended with ${exitCode ?? "no code"}: ${words}`
    return `${name} was ended by ${signalCode} in the middle of a turn.${words === "" ? "" : ` It last wrote: ${words}`}`
  }

  /** From now on each line of its output goes to `onLine`, and no longer to whoever had them before. */
  lines(onLine: (line: string) => void): void {
    this.#onLine = onLine
    if (this.#reading) return
    this.#reading = true
    createInterface({ input: this.child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) =>
      this.#onLine(line),
    )
  }

  /** Asks the group to end and makes sure that it does. */
  async stop(graceMs = 3_000): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.#signal("SIGTERM")
      const timer = setTimeout(() => this.#signal("SIGKILL"), graceMs)
      await this.ended.catch(() => undefined)
      clearTimeout(timer)
    }
    this.#signal("SIGKILL")
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, signal)
    } catch {
      // Nobody is left in the group.
    }
  }
}

/** The JSON of a line, or undefined for anything else a program may print. */
export function jsonLine(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Says at once that a program is missing: its member would only say so in its log. */
export function requireProgram(
  command: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): void {
  const isPath = /[/\\]/.test(command)
  const folders = isPath ? [cwd] : (env["PATH"] ?? "/usr/bin:/bin").split(delimiter)
  const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""]
  const places = folders.flatMap((folder) => endings.map((ending) => resolve(cwd, folder, `${command}${ending}`)))
  if (places.some(isProgram)) return
  throw notStarted(command, new Error(`there is no ${isPath ? `program ${resolve(cwd, command)}` : "such program"}`))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function notStarted(command: string, cause: Error): ChorusError {
  return new ChorusError("program_not_started", `${command} could not be started: ${cause.message}`, {
    next: "Check that it is installed and on the PATH.",
    cause,
  })
}
