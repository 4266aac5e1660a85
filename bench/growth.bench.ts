import { randomUUID } from "node:crypto"
import { sql } from "kysely"
import { operations, Registry } from "../packages/server/src/index.ts"
import { openWorkspace, type Workspace } from "../packages/server/test/workspace-fixture.ts"
import { openPostgresStore } from "../packages/store/src/postgres-store.ts"
import { type Postgres, startPostgres } from "../packages/testing/src/index.ts"
import { type Figure, type Measured, percentile } from "./figure.ts"
import { fillProject, FIRST_EVENT } from "./large-project.ts"
import { processorTime } from "./processor-time.ts"

const SIZES = [100, 1000, 10_000, 100_000]
/** A median of so many measurements, each of as many calls as take this long on the processor. */
const ROUNDS = 5
const ENOUGH_MS = 20
const MOST_CALLS = 100
/** What costs by what is shown or changed, not by what is there, and what the noise of one run may add. */
const FLAT = new Set([
  "the board after a change",
  "a page of tasks",
  "one task",
  "a search",
  "activity",
  "notifications",
  "a page of tasks, deep",
  "activity, long ago",
  "notifications, long ago",
])
const WORST_FLAT = 1.5
/** A ten times larger project may cost this much more: ten times for n, a quarter for log n from 10,000 to 100,000, and a third for the noise of one run. */
const WORST_GROWTH = 10 * (5 / 4) * 1.33

type Work = (project: LargeProject) => Promise<unknown>

interface LargeProject {
  readonly workspace: Workspace
  readonly tasks: readonly string[]
  /** A notification with a fifth of all before it. */
  readonly longAgo: string
  call(actor: "owner" | "developer" | "pm", name: string, input: object): Promise<unknown>
}

const WORKS: Record<string, Work> = {
  "ready tasks": ({ call, workspace }) =>
    call("developer", "chorus_get_unblocked_tasks", { projectUuid: workspace.project }),
  "the board after a change": ({ call, workspace }) =>
    call("owner", "chorus_get_board", { projectUuid: workspace.project }),
  "a page of tasks": ({ call, workspace }) =>
    call("owner", "chorus_list_tasks", { projectUuid: workspace.project, pageSize: 100 }),
  "one task": ({ call, tasks }) => call("owner", "chorus_get_task", { taskUuid: tasks[Math.floor(tasks.length / 2)] }),
  "a search": ({ call, workspace }) =>
    call("owner", "chorus_search", { query: "Task 77", scope: "project", scopeUuid: workspace.project }),
  "a page of tasks, deep": ({ call, workspace, tasks }) =>
    call("owner", "chorus_list_tasks", {
      projectUuid: workspace.project,
      pageSize: 100,
      afterTaskUuid: tasks[Math.floor(tasks.length / 5)],
    }),
  "activity, long ago": ({ call, workspace, tasks }) =>
    call("owner", "chorus_get_activity", { projectUuid: workspace.project, before: FIRST_EVENT + tasks.length / 5 }),
  "notifications, long ago": ({ call, longAgo }) =>
    call("owner", "chorus_get_notifications", { status: "all", limit: 50, afterNotificationUuid: longAgo }),
  notifications: ({ call }) => call("owner", "chorus_get_notifications", { status: "all", limit: 50 }),
  activity: ({ call, workspace }) => call("owner", "chorus_get_activity", { projectUuid: workspace.project }),
  "a new task": ({ call, workspace }) =>
    call("pm", "chorus_create_tasks", {
      projectUuid: workspace.project,
      tasks: [{ title: "one more", acceptanceCriteriaItems: [{ description: "it holds" }] }],
    }),
}

/**
 * What the same work costs as a project grows from a hundred tasks to a hundred thousand, without the network: in time of the
 * processor, which other work on the machine changes little.
 */
export async function bench(): Promise<Measured> {
  const embedded = await growth(SIZES)
  await using postgres = await startPostgres()
  const shared = await growth(SIZES.slice(-2), postgres)
  return {
    figures: [...figures("embedded", embedded), ...figures("PostgreSQL", shared)],
    plots: [
      {
        name: "growth-tasks",
        says: "Processor time of one call as a project grows (median; both axes logarithmic).",
        across: { label: "tasks in the project", values: SIZES, scale: "log" },
        up: { label: "ms", scale: "log" },
        lines: [...embedded].map(([name, values]) => ({ name, values })),
      },
    ],
  }
}

async function growth(sizes: readonly number[], postgres?: Postgres): Promise<Map<string, number[]>> {
  const medians = new Map(Object.keys(WORKS).map((name) => [name, [] as number[]]))
  for (const size of sizes) {
    const store = postgres && (await openPostgresStore(await postgres.database()))
    const workspace = await openWorkspace(store && { store })
    const registry = new Registry(workspace.store, operations)
    const tasks = await fillProject(workspace, size)
    // PostgreSQL does so by itself within a minute of such a change.
    if (store !== undefined) await sql`vacuum analyze`.execute(store.db)
    const { uuid: longAgo } = await workspace.store.db
      .selectFrom("notifications")
      .select("uuid")
      .where("recipientUuid", "=", workspace.owner.uuid)
      .where("entityUuid", "=", tasks[Math.floor(size / 5)] ?? "")
      .executeTakeFirstOrThrow()
    const project: LargeProject = {
      workspace,
      tasks,
      longAgo,
      call: (actor, name, input) => registry.execute(name, input, { actor: workspace[actor], requestId: randomUUID() }),
    }
    // What has not changed may be answered from memory; what a change costs is the question here.
    let changes = 0
    const change = () =>
      project.call("owner", "chorus_update_task", {
        taskUuid: tasks[changes++ % tasks.length],
        priority: changes % 2 ? "high" : "low",
      })
    for (const [name, work] of Object.entries(WORKS))
      medians.get(name)?.push(await medianOf(() => work(project), change, postgres))
    await workspace.close()
  }
  return medians
}

function figures(engine: string, medians: ReadonlyMap<string, readonly number[]>): Figure[] {
  return [...medians].map(([name, values]) => ({
    name: `${engine}, ${name}: 100,000 tasks beside 10,000 (${(values.at(-1) ?? 0).toFixed(1)} ms)`,
    value: ratio(values),
    unit: "times",
    budget: { atMost: FLAT.has(name) ? WORST_FLAT : WORST_GROWTH },
  }))
}

async function medianOf(
  work: () => Promise<unknown>,
  before: () => Promise<unknown>,
  postgres: Postgres | undefined,
): Promise<number> {
  const measured = async (calls: number) => {
    let spent = 0
    for (let call = 0; call < calls; call++) {
      await before()
      const took = processorTime(postgres)
      await work()
      spent += took()
    }
    return spent / calls
  }
  await measured(3)
  const calls = Math.min(MOST_CALLS, Math.ceil(ENOUGH_MS / (await measured(3))))
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push(await measured(calls))
  return percentile(times, 0.5)
}

function ratio(values: readonly number[]): number {
  return (values.at(-1) ?? Number.NaN) / (values.at(-2) ?? Number.NaN)
}
