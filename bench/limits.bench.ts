import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { Agent, createServer, get } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { temporaryDirectory } from "@chorus/testing"
import { type Figure, percentile } from "./figure.ts"

/** What nothing on this machine can beat: a durable commit, a bare request over loopback, the start of a process. */
export async function bench(): Promise<Figure[]> {
  return [
    { name: "durable commit of one row, bare SQLite, median", value: percentile(await commits(), 0.5), unit: "ms" },
    { name: "bare request over loopback, median", value: percentile(await requests(), 0.5), unit: "ms" },
    { name: "start of a Node process that does nothing, median", value: percentile(starts(), 0.5), unit: "ms" },
  ]
}

async function commits(): Promise<number[]> {
  await using place = temporaryDirectory()
  const database = new DatabaseSync(join(place.path, "bare.sqlite"))
  database.exec("pragma journal_mode = wal; pragma synchronous = full; create table rows (value text)")
  const insert = database.prepare("insert into rows values (?)")
  const times = timed(500, () => insert.run("x".repeat(300)))
  database.close()
  return times
}

async function requests(): Promise<number[]> {
  const server = createServer((_, response) => response.end("ok")).listen(0, "127.0.0.1")
  await once(server, "listening")
  const agent = new Agent({ keepAlive: true })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const times: number[] = []
  for (let round = 0; round < 1000; round++) {
    const began = performance.now()
    await new Promise((done, failed) =>
      get(url, { agent }, (response) => response.resume().on("end", done)).on("error", failed),
    )
    times.push(performance.now() - began)
  }
  agent.destroy()
  server.close()
  return times
}

function starts(): number[] {
  return timed(11, () => spawnSync(process.execPath, ["-e", "0"]))
}

function timed(rounds: number, work: () => unknown): number[] {
  return Array.from({ length: rounds }, () => {
    const began = performance.now()
    work()
    return performance.now() - began
  })
}
