import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openSqliteStore } from "@chorus/store"
import { temporaryDirectory } from "@chorus/testing"
import { makeKeyInStore } from "../packages/server/test/key-in-store.ts"

export interface Served {
  readonly url: string
  readonly key: string
  readonly process: ChildProcess
  readonly readyAfter: number
  stop(): Promise<void>
}

const DIST = join(import.meta.dirname, "..", "dist", "chorus.js")

/** The built product on a fresh data directory, in a process of its own. */
export async function served(directory = temporaryDirectory().path): Promise<Served> {
  const store = await openSqliteStore(join(directory, "chorus.sqlite"))
  const key = await makeKeyInStore(store)
  await store.close()
  const began = performance.now()
  const child = spawn(process.execPath, [DIST, "start", "--port", "0", "--data", directory], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const found = /http:\/\/[\d.]+:\d+/.exec(text)?.[0]
      if (found !== undefined) resolve(found)
    })
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)))
  })
  return {
    url,
    key,
    process: child,
    readyAfter: performance.now() - began,
    stop: () =>
      new Promise((done) => {
        child.once("exit", () => done())
        child.kill("SIGTERM")
      }),
  }
}

/** User and system time a process has used so far (Linux). */
export function cpuMs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
