import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { CHORUS_MAIN } from "@chorus/testing"

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command to its end. */
export function chorus(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd?: string): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CHORUS_MAIN, ...args],
      { env: cleanEnvironment(env), cwd, timeout: 110_000, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
      },
    )
  })
}

/** Runs the command and reads what it printed as JSON; a failure shows what it said. */
export async function chorusJson<T>(args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await chorus([...args, "--json"])
  if (code !== 0) throw new Error(`chorus ${args.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as T
}

export interface RunningChorus {
  readonly url: string
  readonly pid: number
  readonly signIn: string | null
  /** Ends it by the signal and resolves to its exit code, or the signal that it died of. */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** Starts a server and waits until it says that it is ready. */
export async function startChorus(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<RunningChorus> {
  const child = spawn(process.execPath, [CHORUS_MAIN, "start", "--port", "0", "--json", ...args], {
    env: cleanEnvironment(env),
    stdio: ["ignore", "pipe", "pipe"],
  })
  // A test that fails does not come to the point where it ends its server.
  const forget = () => child.kill("SIGKILL")
  process.once("exit", forget)
  child.once("exit", () => process.off("exit", forget))
  const ready = await readyAnswer(child)
  return {
    ...ready,
    end: async (signal = "SIGTERM") => {
      const runs = child.exitCode === null && child.signalCode === null
      const ended = runs ? once(child, "exit") : undefined
      child.kill(signal)
      await ended
      return child.exitCode ?? child.signalCode ?? -1
    },
  }
}

function readyAnswer(child: ChildProcess): Promise<Omit<RunningChorus, "end">> {
  let stdout = ""
  let stderr = ""
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      try {
        resolve(JSON.parse(stdout) as Omit<RunningChorus, "end">)
      } catch {
        // Not all of it is there yet.
      }
    })
    child.once("exit", (code) => reject(new Error(`chorus start ended with ${code}: ${stderr}`)))
  })
}

export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, NO_COLOR: "1", ...env }
}
