import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createClient } from "@chorus/client"
import { temporaryDirectory } from "@chorus/testing"
import { type Figure, percentile, rate } from "./figure.ts"
import { served } from "./served.ts"

/** How soon a second start is ready, also after a sudden end, and what an idle server weighs. */
export async function bench(): Promise<Figure[]> {
  const directory = temporaryDirectory().path
  await (await served(directory)).stop()
  const ready: number[] = []
  for (let round = 0; round < 5; round++) {
    const server = await served(directory)
    ready.push(server.readyAfter)
    await server.stop()
  }
  const idle = await served(directory)
  await new Promise((settle) => setTimeout(settle, 3000))
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${idle.process.pid}/status`, "utf8"))?.[1]) / 1024
  await idle.stop()
  const restarts = await restartsAfterKill(directory)
  return [
    {
      name: "second start, process begun to ready (median of 5)",
      value: percentile(ready, 0.5),
      unit: "ms",
      budget: { atMost: 500 },
    },
    {
      name: "start again after kill -9 among writes (worst of 10)",
      value: Math.max(...restarts),
      unit: "ms",
      budget: { atMost: 1000 },
    },
    { name: "idle memory", value: rss, unit: "MB", budget: { atMost: 110 } },
  ]
}

async function restartsAfterKill(directory: string): Promise<number[]> {
  const ready: number[] = []
  let server = await served(directory)
  for (let round = 0; round < 10; round++) {
    const client = createClient({ url: server.url, key: server.key })
    const writers = rate(8, 60_000, () => client.call("chorus_admin_create_project", { name: "until the end" })).catch(
      () => undefined,
    )
    await new Promise((working) => setTimeout(working, 300))
    const ended = once(server.process, "exit")
    server.process.kill("SIGKILL")
    await Promise.all([ended, writers])
    server = await served(directory)
    ready.push(server.readyAfter)
  }
  await server.stop()
  return ready
}
