import { execFile, fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { sql } from "kysely"
import { Client } from "pg"
import { EventHub } from "../packages/server/src/event-hub.ts"
import { type Actor, operations, Registry } from "../packages/server/src/index.ts"
import { openWorkspace, type Workspace } from "../packages/server/test/workspace-fixture.ts"
import { openPostgresStore } from "../packages/store/src/postgres-store.ts"
import { type Postgres, startPostgres } from "../packages/testing/src/index.ts"
import { installedPostgres } from "../packages/testing/src/postgres-binaries.ts"
import { type Figure, percentile } from "./figure.ts"
import { fillProject } from "./large-project.ts"
import { processorTime } from "./processor-time.ts"
import type { WriterOrder } from "./update-writer.ts"

const CALLERS = 16
const TASKS = 5000
// More than the fastest store gives away while it is measured.
const CLAIMABLE = 20_000
const SECONDS = 3
/** A process that has just started compiles what it runs; one that has worked for a while does not. */
const WARM_UP = 500

/**
 * Writes on the embedded store, on PostgreSQL, and beside what that server can do at all in the same minutes, without the network in
 * front. Rates fall with a busy machine, on all sides; the processor time of a write does so much less.
 */
export async function bench(): Promise<Figure[]> {
  await using postgres = await startPostgres()
  const embedded = await measured(await openWorkspace(), undefined, async (writes) => figures("embedded", writes, {}))
  await pgbench(postgres, "-i", "-q", "-s", "5")
  const url = await postgres.database()
  const store = await openPostgresStore(url)
  const served = await measured(await openWorkspace({ store }), postgres, async (writes) => {
    const seen = await untilSeen(writes.workspace, writes.update)
    const ours = await figures("PostgreSQL", writes, { cpu: { update: 0.8, claim: 1.8 } })
    return [
      ...ours,
      {
        name: "PostgreSQL, change to stream, median",
        value: seen,
        unit: "ms",
        budget: { atMost: 12 },
      },
      ...(await hotRows(writes)),
      ...(await severalServers(url, writes)),
    ]
  })
  return [...embedded, ...served, await slowDisk()]
}

/** Sixteen callers on eight tasks: who waits for a row waits for one change, never for a deadlock to be noticed. */
async function hotRows({ updateOf, uuids, workspace: { store } }: Writes): Promise<Figure[]> {
  const hot = uuids.slice(0, 8)
  let next = 0
  const deadlocks = async () => {
    const { rows } = await sql<{ deadlocks: number }>`
      select "deadlocks" from pg_stat_database where datname = current_database()`.execute(store.db)
    return Number(rows[0]?.deadlocks)
  }
  const before = await deadlocks()
  const { p99 } = await rate(undefined, () => updateOf(hot[next++ % hot.length]), SECONDS)
  return [
    { name: "PostgreSQL, 99 % of updates of eight tasks within", value: p99, unit: "ms", budget: { atMost: 500 } },
    {
      name: "PostgreSQL, deadlocks among them",
      value: (await deadlocks()) - before,
      unit: "",
      budget: { atMost: 0 },
    },
  ]
}

/** The same sixteen callers, shared among servers that are processes of their own on this machine. */
async function severalServers(url: string, { workspace: { owner: actor }, uuids: tasks }: Writes): Promise<Figure[]> {
  const updates = async (servers: number): Promise<number> => {
    const order: WriterOrder = {
      url,
      actor,
      tasks,
      callers: CALLERS / servers,
      warmUp: WARM_UP,
      seconds: SECONDS,
    }
    const writers = Array.from({ length: servers }, () =>
      fork(new URL("./update-writer.ts", import.meta.url), { serialization: "advanced" }),
    )
    const heard = () => Promise.all(writers.map((one) => new Promise<unknown>((hear) => one.once("message", hear))))
    const ready = heard()
    for (const one of writers) one.send(order)
    await ready
    const made = heard()
    for (const one of writers) one.send("go")
    return (await made).reduce<number>((sum, count) => sum + Number(count), 0) / SECONDS
  }
  const one = await updates(1)
  const figures: Figure[] = [{ name: "PostgreSQL, updates by one server in a process", value: one, unit: "updates/s" }]
  for (const servers of [2, 4])
    figures.push({
      name: `PostgreSQL, updates by ${servers} servers beside one, on this machine`,
      value: (100 * (await updates(servers))) / one,
      unit: "%",
      budget: { atLeast: 70 },
    })
  return figures
}

/** Every flush two milliseconds later, as on a disk behind a network. */
async function slowDisk(): Promise<Figure> {
  await using postgres = await startPostgres({ settings: { commit_delay: "2000", commit_siblings: "0" } })
  const store = await openPostgresStore(await postgres.database())
  const [figure] = await measured(await openWorkspace({ store }), postgres, async ({ update }) => {
    await times(WARM_UP, update)
    const updates = await rate(undefined, update, SECONDS)
    const name = "PostgreSQL, updates where a flush takes 2 ms longer"
    return [{ name, value: updates.rate, unit: "updates/s", budget: { atLeast: 1500 } }]
  })
  if (figure === undefined) throw new Error("nothing was measured on the slow disk")
  return figure
}

interface Writes {
  readonly workspace: Workspace
  readonly postgres: Postgres | undefined
  readonly uuids: readonly string[]
  updateOf(taskUuid: string | undefined): Promise<unknown>
  update(): Promise<unknown>
  comment(): Promise<unknown>
  claim(): Promise<unknown>
}

async function measured(
  workspace: Workspace,
  postgres: Postgres | undefined,
  measure: (writes: Writes) => Promise<Figure[]>,
): Promise<Figure[]> {
  const registry = new Registry(workspace.store, operations)
  const call = (actor: Actor, name: string, input: object) =>
    registry.execute(name, input, { actor, requestId: randomUUID() })
  const uuids = await fillProject(workspace, TASKS)
  const open = await openTasks(workspace)
  // PostgreSQL does so by itself within a minute of so many rows, and it would be measured too.
  if (postgres !== undefined) await sql`vacuum analyze`.execute(workspace.store.db)
  const { owner, developer } = workspace
  let next = 0
  const taskUuid = () => uuids[next++ % uuids.length]
  const updateOf = (one: string | undefined) =>
    call(owner, "chorus_update_task", { taskUuid: one, title: `Task ${randomUUID()}` })
  try {
    return await measure({
      workspace,
      postgres,
      uuids,
      updateOf,
      update: () => updateOf(uuids[next++ % uuids.length]),
      comment: () =>
        call(developer, "chorus_add_comment", { targetType: "task", targetUuid: taskUuid(), content: "It works." }),
      claim: () => call(developer, "chorus_claim_task", { taskUuid: open.pop() }),
    })
  } finally {
    await workspace.close()
  }
}

async function figures(
  engine: string,
  { postgres, update, comment, claim }: Writes,
  { cpu }: { cpu?: { update: number; claim: number } },
): Promise<Figure[]> {
  await times(WARM_UP, update)
  const floor = postgres && (await limitOf(postgres))
  const updates = await rate(postgres, update, SECONDS)
  const limit = floor === undefined || postgres === undefined ? undefined : (floor + (await limitOf(postgres))) / 2
  await times(WARM_UP, comment)
  const comments = await rate(postgres, comment, SECONDS)
  await times(WARM_UP, claim)
  const claims = await rate(postgres, claim, SECONDS)
  const statements = ([name, { statements: count }]: [string, Rate]): Figure[] =>
    postgres === undefined ? [] : [{ name: `${engine}, packets of statements of ${name}`, value: count, unit: "" }]
  // Rounds of one workspace exclude each other, so this is what more cores and servers do not make shorter.
  const serial = [
    { name: `${engine}, serial part of an update`, value: updates.serial, unit: "ms" },
    {
      name: `${engine}, updates of one workspace that any number of cores and servers could make`,
      value: 1000 / updates.serial,
      unit: "/s",
    },
  ]
  return [
    ...(limit === undefined
      ? []
      : [
          { name: `${engine}, pgbench -N with 16 clients`, value: limit, unit: "transactions/s" },
          {
            name: `${engine}, updates of what pgbench does`,
            value: (100 * updates.rate) / limit,
            unit: "%",
            budget: { atLeast: 40 },
          },
        ]),
    { name: `${engine}, updates by 16 callers`, value: updates.rate, unit: "updates/s" },
    { name: `${engine}, comments by 16 callers`, value: comments.rate, unit: "comments/s" },
    { name: `${engine}, claims by 16 callers`, value: claims.rate, unit: "claims/s" },
    {
      name: `${engine}, processor time of an update`,
      value: updates.cpu,
      unit: "ms",
      ...(cpu && { budget: { atMost: cpu.update } }),
    },
    { name: `${engine}, processor time of a comment`, value: comments.cpu, unit: "ms" },
    {
      name: `${engine}, processor time of a claim`,
      value: claims.cpu,
      unit: "ms",
      ...(cpu && { budget: { atMost: cpu.claim } }),
    },
    { name: `${engine}, 99 % of updates within`, value: updates.p99, unit: "ms", budget: { atMost: 40 } },
    ...(postgres === undefined ? [] : serial),
    ...Object.entries({ "an update": updates, "a comment": comments, "a claim": claims }).flatMap(statements),
  ]
}

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count
  const caller = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
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

interface Rate {
  readonly rate: number
  readonly cpu: number
  readonly p99: number
  readonly statements: number
  /** Milliseconds in which positions were given, for each. */
  readonly serial: number
}

/**
 * How many a second, for how much processor time of both programs and how many statements, and how long the slowest
 * took.
 */
async function rate(postgres: Postgres | undefined, work: () => Promise<unknown>, seconds: number): Promise<Rate> {
  const until = performance.now() + seconds * 1000
  const began = performance.now()
  const spent = processorTime(postgres)
  const asked = countStatements()
  const durations: number[] = []
  const caller = async () => {
    while (performance.now() < until) {
      const called = performance.now()
      await work()
      durations.push(performance.now() - called)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  const cpu = spent()
  const elapsed = (performance.now() - began) / 1000
  const { count, inRounds } = asked()
  return {
    rate: durations.length / elapsed,
    cpu: cpu / durations.length,
    p99: percentile(durations, 0.99),
    statements: count / durations.length,
    serial: inRounds / durations.length,
  }
}

/** Those that go out together count as one; the shared rounds are among them. */
function countStatements(): () => { count: number; inRounds: number } {
  const asked = Client.prototype.query as (...args: unknown[]) => unknown
  let [count, inRounds] = [0, 0]
  Object.assign(Client.prototype, {
    query(this: Client, ...args: unknown[]) {
      count++
      const began = performance.now()
      const answer = asked.apply(this, args)
      if (isRound(args[0])) void Promise.resolve(answer).then(() => (inRounds += performance.now() - began))
      return answer
    },
  })
  return () => {
    Object.assign(Client.prototype, { query: asked })
    return { count, inRounds }
  }
}

function isRound(asked: unknown): boolean {
  return typeof asked === "object" && asked !== null && "text" in asked && String(asked.text).includes("chorus_round")
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
  return percentile(times, 0.5)
}

/** What the server manages of transactions that write three rows each and nothing else. */
async function limitOf(postgres: Postgres): Promise<number> {
  const said = await pgbench(postgres, "-N", "-c", String(CALLERS), "-j", "2", "-T", "2")
  return Number(/tps = ([\d.]+)/.exec(said)?.[1])
}

async function pgbench({ port }: Postgres, ...args: string[]): Promise<string> {
  const program = join(installedPostgres() ?? "", "pgbench")
  if (!existsSync(program)) throw new Error("This needs pgbench; install PostgreSQL (apt-get install postgresql).")
  const place = ["-h", "127.0.0.1", "-p", String(port), "-U", "chorus"]
  return (await promisify(execFile)(program, [...place, ...args, "postgres"])).stdout
}
