import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { runningServer } from "@chorus/server"
import { CHORUS_MAIN, freePort, launchBrowser, temporaryDirectory } from "@chorus/testing"
import type { Browser } from "playwright-core"

const ROOT = join(import.meta.dirname, "..", "..")

/** A server in a process of its own, with its page and a browser in front of it. */
export interface Stage {
  readonly url: string
  readonly data: string
  /** The one-time link of the first start. */
  readonly signIn: string
  readonly browser: Browser
  /** The credential by which the command on this machine acts for the owner. */
  ownerKey(): string
  /** Ends the server at once, as a crash would, and starts it again on the same data and address. */
  crash(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

interface StageOptions {
  /** Further arguments of `chorus start`. */
  readonly start?: readonly string[]
  /** What the server, and the agents that it starts, are given beside the bare minimum. */
  readonly env?: NodeJS.ProcessEnv
}

export async function openStage({ start = [], env = {} }: StageOptions = {}): Promise<Stage> {
  if (!existsSync(join(ROOT, "dist", "web", "index.html")))
    throw new Error("The page is not built; run `npm run build` first.")
  const directory = temporaryDirectory()
  const port = await freePort()
  const data = join(directory.path, "data")
  const args = ["start", "--port", String(port), "--data", data, "--json", ...start]
  let server = await startServer(args, env)
  const { url, signIn } = server
  const browser = await launchBrowser()
  return {
    url,
    data,
    signIn: signIn ?? "",
    browser,
    ownerKey: () => runningServer(data)?.token ?? "",
    crash: () => end(server.child, "SIGKILL"),
    start: async () => {
      server = await startServer(args, env)
    },
    close: async () => {
      await browser.close()
      await end(server.child, "SIGTERM")
      await directory.remove()
    },
  }
}

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly signIn: string | null
}

async function startServer(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawn(process.execPath, [CHORUS_MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
  })
  const forget = () => child.kill("SIGKILL")
  process.once("exit", forget)
  child.once("exit", () => process.off("exit", forget))
  let stderr = ""
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk))
  const ready = await new Promise<{ url: string; signIn: string | null }>((resolve, reject) => {
    let stdout = ""
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk
      try {
        resolve(JSON.parse(stdout) as { url: string; signIn: string | null })
      } catch {
        // Not whole yet.
      }
    })
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${stderr}`)))
  })
  return { child, ...ready }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill(signal)
  await ended
}
