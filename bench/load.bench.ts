import { fork } from "node:child_process"
import { createClient } from "@chorus/client"
import { type Figure, type Measured, percentile } from "./figure.ts"
import { type Served, served } from "./served.ts"

const AGENTS = [1, 5, 20, 50, 100, 200]
const READERS = [1, 10, 100, 500, 1000, 2000]
const SECONDS = 3
/** What a busy agent says in a second: a tool begun, a tool ended. */
const CALLS_PER_AGENT = 2
const EVENTS_PER_SECOND = 20

/** How calls and events fare as live agents and open streams grow, at the pace of real work. */
export async function bench(): Promise<Measured> {
  const calls: { median: number; p95: number }[] = []
  const streams: { median: number; p99: number }[] = []
  const server = await served()
  for (const agents of AGENTS) calls.push(await callsOf(server, agents))
  await server.stop()
  for (const readers of READERS) streams.push(await streamsOf(readers))
  return {
    figures: [
      figure("a call of one of 200 live agents, p95", calls.at(-1)?.p95, 60),
      figure("a change to 2,000 readers, p99", streams.at(-1)?.p99, 250),
    ],
    plots: [
      {
        name: "growth-agents",
        says: "How long a call takes while more agents are at work, two calls a second each.",
        across: { label: "live agents", values: AGENTS, scale: "log" },
        up: { label: "ms", scale: "log" },
        lines: [
          { name: "median", values: calls.map(({ median }) => median) },
          { name: "p95", values: calls.map(({ p95 }) => p95) },
        ],
      },
      {
        name: "growth-readers",
        says: "How long a change takes to reach every open stream, 20 changes a second.",
        across: { label: "open streams", values: READERS, scale: "log" },
        up: { label: "ms", scale: "log" },
        lines: [
          { name: "median", values: streams.map(({ median }) => median) },
          { name: "p99", values: streams.map(({ p99 }) => p99) },
        ],
      },
    ],
  }
}

async function callsOf(server: Served, agents: number): Promise<{ median: number; p95: number }> {
  const client = createClient({ url: server.url, key: server.key })
  const { uuid: projectUuid } = await client.call("chorus_admin_create_project", { name: `load ${agents}` })
  const times: number[] = []
  await Promise.all(
    Array.from({ length: agents }, async (_, agent) => {
      // An agent that is at work has connected long ago.
      await client.call("chorus_pm_create_idea", { projectUuid, title: `agent ${agent} begins` })
      await pause((agent / agents) * (1000 / CALLS_PER_AGENT))
      const end = performance.now() + SECONDS * 1000
      while (performance.now() < end) {
        const began = performance.now()
        await client.call("chorus_pm_create_idea", { projectUuid, title: `agent ${agent}` })
        times.push(performance.now() - began)
        await pause(1000 / CALLS_PER_AGENT - (performance.now() - began))
      }
    }),
  )
  return { median: percentile(times, 0.5), p95: percentile(times, 0.95) }
}

async function streamsOf(readers: number): Promise<{ median: number; p99: number }> {
  const server = await served()
  const client = createClient({ url: server.url, key: server.key })
  const listening = fork(new URL("./event-readers.ts", import.meta.url), [server.url, server.key, String(readers)])
  await new Promise((connected) => listening.once("message", connected))
  const writes: Promise<unknown>[] = []
  for (let n = 0; n < EVENTS_PER_SECOND * SECONDS; n++) {
    writes.push(client.call("chorus_admin_create_project", { name: `bench ${Date.now()}` }))
    await pause(1000 / EVENTS_PER_SECOND)
  }
  await Promise.all(writes)
  await pause(500)
  const report = new Promise<{ delays: number[] }>((told) =>
    listening.once("message", (message) => told(message as never)),
  )
  listening.send("report")
  const { delays } = await report
  listening.kill()
  await server.stop()
  return { median: percentile(delays, 0.5), p99: percentile(delays, 0.99) }
}

function figure(name: string, value: number | undefined, atMost: number): Figure {
  return { name, value: value ?? Number.NaN, unit: "ms", budget: { atMost } }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, Math.max(0, milliseconds)))
}
