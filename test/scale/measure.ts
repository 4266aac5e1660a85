// The figures of docs/scale.md: `node scripts/node24.mjs test/scale/measure.ts` prints a table, best on a machine that does nothing else.
import type { Client } from "@chorus/client"
import { waitFor } from "@chorus/testing"
import { type Cluster, startCluster } from "./cluster.ts"
import { listen } from "./stream.ts"

const CALLERS = 32
const SECONDS = 4
const SAMPLES = 100

const columns: Record<string, string>[] = []
for (const servers of [1, 2, 4]) {
  await using cluster = await startCluster(servers)
  columns.push({ servers: String(servers), ...(await figuresOf(cluster, servers)) })
}
for (const name of Object.keys(columns[0] ?? {}))
  console.log(`| ${[name, ...columns.map((column) => column[name])].join(" | ")} |`)
process.exit(0)

async function figuresOf(cluster: Cluster, servers: number): Promise<Record<string, string>> {
  const key = await cluster.key("measuring", "admin")
  const callers = Array.from({ length: CALLERS }, () => cluster.client(key))
  const [first] = callers
  if (first === undefined) throw new Error("nobody calls")
  const { uuid: projectUuid } = await first.call("chorus_admin_create_project", { name: "Measured" })
  const { tasks } = await first.call("chorus_create_tasks", {
    projectUuid,
    tasks: Array.from({ length: 50 }, (_, n) => ({
      title: `task ${n}`,
      acceptanceCriteriaItems: [{ description: "x" }],
    })),
  } as never)
  const commit = await rate(1, () =>
    cluster.store.write(({ db }) =>
      db
        .updateTable("projects")
        .set({ description: String(Math.random()) })
        .where("uuid", "=", projectUuid)
        .execute(),
    ),
  )
  await rate(CALLERS, (n) => callers[n]?.send("chorus_get_task", { taskUuid: tasks[n % 50]?.uuid }), 1)
  const spent = () => cpuSeconds(cluster, servers)
  const before = await spent()
  const reads = await rate(CALLERS, (n) => callers[n]?.send("chorus_get_task", { taskUuid: tasks[n % 50]?.uuid }))
  const between = await spent()
  const writes = await rate(CALLERS, (n) =>
    callers[n]?.send("chorus_add_comment", {
      targetType: "task",
      targetUuid: tasks[n % 50]?.uuid,
      content: "measured",
    }),
  )
  const after = await spent()
  const each = (seconds: number, rateOf: number) => `${((seconds * 1000) / (rateOf * SECONDS)).toFixed(1)} ms`
  const seen = await latencies(cluster, first, projectUuid)
  return {
    "commits a second, one connection, no server": commit.toFixed(0),
    "reads a second": reads.toFixed(0),
    "processor time of a read": each(between - before, reads),
    "writes a second, one workspace": writes.toFixed(0),
    "processor time of a write": each(after - between, writes),
    "a write seen on a stream, median": `${at(seen, 0.5)} ms`,
    "… 99th percentile": `${at(seen, 0.99)} ms`,
  }
}

/** What the servers have used of the processors so far; other programs on the machine do not change it. */
async function cpuSeconds(cluster: Cluster, servers: number): Promise<number> {
  const texts = await Promise.all(
    Array.from({ length: servers }, async (_, index) => (await fetch(`${cluster.server(index)}/metrics`)).text()),
  )
  return texts.reduce((sum, text) => sum + Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]), 0)
}

/** How often a second it can be done, by so many at once. */
async function rate(
  callers: number,
  work: (n: number) => Promise<unknown> | undefined,
  seconds = SECONDS,
): Promise<number> {
  const began = performance.now()
  let done = 0
  await Promise.all(
    Array.from({ length: callers }, async (_, n) => {
      for (; performance.now() - began < seconds * 1000; done++) await work(n)
    }),
  )
  return done / ((performance.now() - began) / 1000)
}

async function latencies(cluster: Cluster, client: Client, projectUuid: string): Promise<number[]> {
  const { lastEvent } = await cluster.store.db.selectFrom("workspaces").select("lastEvent").executeTakeFirstOrThrow()
  const reader = listen(client, lastEvent)
  const took: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    const before = reader.ids.length
    const began = performance.now()
    await client.send("chorus_pm_create_idea", { projectUuid, title: `Idea ${n}` })
    await waitFor(() => reader.ids.length > before, 60_000, "the event", 1)
    took.push(performance.now() - began)
  }
  await reader.stop()
  return took.sort((a, b) => a - b)
}

function at(sorted: readonly number[], part: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0)
}
