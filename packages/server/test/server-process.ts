import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"

const SERVE = new URL("./serve.ts", import.meta.url).pathname

export interface ServerProcess {
  readonly url: string
  readonly process: ChildProcess
  /** Milliseconds from spawn to the ready line. */
  readonly readyAfter: number
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a server in a process of its own, to be ended by signal. */
export async function serverProcess(directory: string, port: number, database?: string): Promise<ServerProcess> {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [SERVE, directory, String(port), ...(database === undefined ? [] : [database])],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  )
  const exited = once(child, "exit")
  const url = await readyLine(child)
  return {
    url,
    process: child,
    readyAfter: performance.now() - began,
    async kill(signal = "SIGKILL") {
      child.kill(signal)
      await exited
    },
  }
}

function readyLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ""
    let complaint = ""
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
      const url = /^ready (\S+)$/m.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (complaint += chunk))
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${complaint}`)))
  })
}
