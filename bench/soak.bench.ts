import { fork } from "node:child_process"
import { readFileSync } from "node:fs"
import { createClient } from "@chorus/client"
import type { Measured } from "./figure.ts"
import { served } from "./served.ts"

/** Ten changes a second for an hour, as a busy team makes them. */
const CHANGES = 36_000
const SAMPLES = 30
const CALLERS = 16
const READERS = 20

/** What an hour of work does to the server's memory, as fast as the machine can live it. */
export async function bench(): Promise<Measured> {
  const server = await served()
  const client = createClient({ url: server.url, key: server.key })
  const readers = fork(new URL("./event-readers.ts", import.meta.url), [server.url, server.key, String(READERS)])
  await new Promise((connected) => readers.once("message", connected))
  const { uuid: projectUuid } = await client.call("chorus_admin_create_project", { name: "soak" })
  const memory: number[] = []
  let made = 0
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (made < CHANGES) {
        if (made % (CHANGES / SAMPLES) === 0) memory.push(residentMb(server.process.pid))
        made++
        await client.call("chorus_pm_create_idea", {
          projectUuid,
          title: `Idea ${made}`,
          content: "What somebody wants. ".repeat(10),
        })
      }
    }),
  )
  memory.push(residentMb(server.process.pid))
  readers.kill()
  await server.stop()
  // A single reading tells where the collector stands; the highest of twenty minutes tells what is kept.
  const third = Math.floor(memory.length / 3)
  const [second, last] = [Math.max(...memory.slice(third, 2 * third)), Math.max(...memory.slice(2 * third))]
  return {
    figures: [
      {
        name: `most memory in the last of ${CHANGES.toLocaleString("en")} changes, 20 readers`,
        value: last,
        unit: "MB",
        budget: { atMost: 300 },
      },
      {
        name: "most memory in the last third beside the second",
        value: last / second,
        unit: "times",
        budget: { atMost: 1.25 },
      },
    ],
    plots: [
      {
        name: "soak-memory",
        says: "Memory of the server through an hour's changes in fast motion.",
        across: {
          label: "minutes of work",
          values: memory.map((_, index) => (index * 60) / (memory.length - 1)),
          scale: "linear",
        },
        up: { label: "MB", scale: "linear" },
        lines: [{ name: "resident memory", values: memory }],
      },
    ],
  }
}

function residentMb(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
}
