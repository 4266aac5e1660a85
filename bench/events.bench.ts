import { fork } from "node:child_process"
import { createClient } from "@chorus/client"
import { type Figure, percentile } from "./figure.ts"
import { cpuMs, served } from "./served.ts"

const READERS = 1000
const EVENTS_PER_SECOND = 100
const SECONDS = 4
const WARM_UP = 100

/** How long a change takes to reach a thousand open event streams. */
export async function bench(): Promise<Figure[]> {
  const server = await served()
  const client = createClient({ url: server.url, key: server.key })
  const readers = fork(new URL("./event-readers.ts", import.meta.url), [server.url, server.key, String(READERS)])
  await new Promise((connected) => readers.once("message", connected))
  // The first events of a process pay for its compiling; a server that has run for a minute does not.
  for (let n = 0; n < WARM_UP; n++) await client.call("chorus_admin_create_project", { name: "warm up" })
  const cpuBefore = cpuMs(server.process.pid)
  const writes: Promise<unknown>[] = []
  const began = performance.now()
  for (let n = 0; n < EVENTS_PER_SECOND * SECONDS; n++) {
    const due = began + (n * 1000) / EVENTS_PER_SECOND
    await new Promise((wake) => setTimeout(wake, Math.max(0, due - performance.now())))
    writes.push(client.call("chorus_admin_create_project", { name: `bench ${Date.now()}` }))
  }
  await Promise.all(writes)
  await new Promise((settle) => setTimeout(settle, 1500))
  readers.send("report")
  const { delays, received } = await new Promise<{ delays: number[]; received: number }>((report) =>
    readers.once("message", (message) => report(message as never)),
  )
  const cpu = cpuMs(server.process.pid) - cpuBefore
  readers.kill()
  await server.stop()
  const expected = READERS * (EVENTS_PER_SECOND * SECONDS + WARM_UP)
  return [
    { name: `events delivered of ${expected}`, value: received, unit: "events", budget: { atLeast: expected } },
    { name: "part of one core that the server used meanwhile", value: cpu / (SECONDS * 10), unit: "%" },
    { name: "change to reader, 1,000 readers × 100 events/s, median", value: percentile(delays, 0.5), unit: "ms" },
    {
      name: "change to reader, 1,000 readers × 100 events/s, p99",
      value: percentile(delays, 0.99),
      unit: "ms",
      budget: { atMost: 100 },
    },
  ]
}
