import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { EventHub } from "../packages/server/src/event-hub.ts"
import { type Actor, operations, Registry } from "../packages/server/src/index.ts"
import { openWorkspace, type Workspace } from "../packages/server/test/workspace-fixture.ts"
import { openPostgresStore } from "../packages/store/src/postgres-store.ts"
import { type Postgres, startPostgres } from "../packages/testing/src/index.ts"
import { installedPostgres } from "../packages/testing/src/postgres-binaries.ts"
import { type Figure, percentile } from "./figure.ts"
import { fillProject } from "./large-project.ts"

const CALLERS = 16
const TASKS = 5000
const CLAIMABLE = 5000
const SECONDS = 3

/**
 * Writes on PostgreSQL beside what that server can do at all in the same minutes, without the network in front. Rates fall with a
 * busy machine, on both sides; the processor time of a write does so much less.
 */
export async function bench(): Promise<Figure[]> {
  await using postgres = await startPostgres()
  const store = await openPostgresStore(await postgres.database())
  const workspace = await openWorkspace({ store })
  try {
    return await measure(postgres, workspace)
  } finally {
    await workspace.close()
  }
}

async function measure(postgres: Postgres, workspace: Workspace): Promise<Figure[]> {
  const registry = new Registry(workspace.store, operations)
  const call = (actor: Actor, name: string, input: object) =>
    registry.execute(name, input, { actor, requestId: randomUUID() })
  const uuids = await fillProject(workspace, TASKS)
  const { owner, developer } = workspace
  let next = 0
  const taskUuid = () => uuids[next++ % uuids.length]
  const update = () => call(owner, "chorus_update_task", { taskUuid: taskUuid(), title: `Task ${randomUUID()}` })
  await rate(postgres, update, 1)
  const floor = await pgbench(postgres)
  const updates = await rate(postgres, update, SECONDS)
  const again = await pgbench(postgres)
  const seen = await untilSeen(workspace, update)
  const open = await openTasks(workspace)
  const claims = await rate(postgres, () => call(developer, "chorus_claim_task", { taskUuid: open.pop() }), SECONDS)
  const limit = (floor + again) / 2
  return [
    { name: "PostgreSQL, pgbench -N with 16 clients", value: limit, unit: "transactions/s" },
    { name: "PostgreSQL, updates by 16 callers", value: updates.rate, unit: "updates/s" },
    {
      name: "PostgreSQL, updates of what pgbench does",
      value: (100 * updates.rate) / limit,
      unit: "%",
      budget: { atLeast: 40 },
    },
    { name: "PostgreSQL, processor time of an update", value: updates.cpu, unit: "ms", budget: { atMost: 0.8 } },
    { name: "PostgreSQL, 99 % of updates within", value: updates.p99, unit: "ms", budget: { atMost: 40 } },
    { name: "PostgreSQL, change to stream, median", value: seen, unit: "ms", budget: { atMost: 12 } },
    { name: "PostgreSQL, claims by 16 callers", value: claims.rate, unit: "claims/s" },
    { name: "PostgreSQL, processor time of a claim", value: claims.cpu, unit: "ms", budget: { atMost: 1.8 } },
  ]
}

async function openTasks({ owner, project: projectUuid, call }: Workspace): Promise<string[]> {
  const open: string[] = []
  while (open.length < CLAIMABLE) {
    const tasks = Array.from({ length: 250 }, (_, n) => ({
      title: `Open ${open.length + n}`,
      acceptanceCriteriaItems: [{ description: "it works" }],
    }))
    const made = await call<{ tasks: { uuid: string }[] }>(owner, "chorus_create_tasks", { projectUuid, tasks })
    open.push(...made.tasks.map(({ uuid }) => uuid))
  }
  return open
}

/** How many a second, for how much processor time of both programs, and how long the slowest took. */
async function rate(postgres: Postgres, work: () => Promise<unknown>, seconds: number) {
  const until = performance.now() + seconds * 1000
  const began = performance.now()
  const spent = process.cpuUsage()
  const theirs = cpuOfPostgres(postgres)
  const times: number[] = []
  const caller = async () => {
    while (performance.now() < until) {
      const asked = performance.now()
      await work()
      times.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  const { user, system } = process.cpuUsage(spent)
  const cpu = (user + system) / 1000 + cpuOfPostgres(postgres) - theirs
  const elapsed = (performance.now() - began) / 1000
  return { rate: times.length / elapsed, cpu: cpu / times.length, p99: percentile(times, 99) }
}

/** From the call to a reader of the stream, while the other callers go on. */
async function untilSeen({ store, workspaceUuid }: Workspace, update: () => Promise<unknown>): Promise<number> {
  const hub = new EventHub(store)
  const waiting = new Map<string, number>()
  const times: number[] = []
  const reader = await hub.subscribe({
    workspaceUuid,
    after: undefined,
    wants: () => true,
    deliver: (events) => {
      for (const { entityUuid } of events) {
        const asked = waiting.get(entityUuid)
        if (asked !== undefined) times.push(performance.now() - asked)
        waiting.delete(entityUuid)
      }
    },
  })
  const until = performance.now() + SECONDS * 1000
  const caller = async () => {
    while (performance.now() < until) {
      const asked = performance.now()
      const { uuid } = (await update()) as { uuid: string }
      if (!waiting.has(uuid)) waiting.set(uuid, asked)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  reader.close()
  hub.close()
  return percentile(times, 50)
}

/** What the server manages of transactions that write three rows each and nothing else. */
async function pgbench({ port }: Postgres): Promise<number> {
  const program = join(installedPostgres() ?? "", "pgbench")
  if (!existsSync(program)) throw new Error("This needs pgbench; install PostgreSQL (apt-get install postgresql).")
  const ask = (...args: string[]) =>
    promisify(execFile)(program, ["-h", "127.0.0.1", "-p", String(port), "-U", "chorus", ...args, "postgres"])
  await ask("-i", "-q", "-s", "5")
  const { stdout } = await ask("-N", "-c", String(CALLERS), "-j", "2", "-T", "2")
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}

/** Milliseconds of the postmaster, its processes and those of them that have ended. */
function cpuOfPostgres({ port }: Postgres): number {
  const MS_PER_TICK = 10
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, fields: statOf(pid) }))
  const master = stats.find(({ pid, fields }) => fields !== undefined && isMaster(pid, port))
  return stats
    .filter(({ pid, fields }) => pid === master?.pid || fields?.[1] === master?.pid)
    .flatMap(({ pid, fields }) => (pid === master?.pid ? fields?.slice(11, 15) : fields?.slice(11, 13)) ?? [])
    .reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0)
}

/** What stands behind the program's name, beginning with its state. */
function statOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
  } catch {
    return undefined
  }
}

function isMaster(pid: string, port: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`port=${port}`)
  } catch {
    return false
  }
}
