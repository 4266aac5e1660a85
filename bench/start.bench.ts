import { readFileSync } from "node:fs"
import { temporaryDirectory } from "@chorus/testing"
import { type Figure, percentile } from "./figure.ts"
import { served } from "./served.ts"

/** How soon a second start is ready, and what an idle server weighs. */
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
  return [
    { name: "second start, process begun to ready (median of 5)", value: percentile(ready, 0.5), unit: "ms", budget: { atMost: 500 } },
    { name: "idle memory", value: rss, unit: "MB", budget: { atMost: 110 } },
  ]
}
