import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openSqliteStore, type Store } from "@chorus/store"
import { openPostgresStore } from "@chorus/store/postgres"
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

/** Where a server is to keep its data. */
export function storeAt(directory: string, database?: string): Promise<Store> {
  return database === undefined ? openSqliteStore(join(directory, "chorus.sqlite")) : openPostgresStore(database)
}

/** The built product on a fresh data directory, or on a database, in a process of its own. */
export async function served(directory = temporaryDirectory().path, database?: string): Promise<Served> {
  const store = await storeAt(directory, database)
  const key = await makeKeyInStore(store)
  await store.close()
  const began = performance.now()
  const on = database === undefined ? [] : ["--database", database]
  const child = spawn(process.execPath, [DIST, "start", "--port", "0", "--data", directory, ...on], {
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
