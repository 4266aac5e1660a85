import { randomUUID } from "node:crypto"
import { sql } from "kysely"
import { type Actor, operations, Registry } from "../packages/server/src/index.ts"
import { forgetEvents, giveBack, tidyUp } from "../packages/server/src/housekeeping.ts"
import { openWorkspace, type Workspace } from "../packages/server/test/workspace-fixture.ts"
import type { Measured } from "./figure.ts"

const AGENTS = 50
/** What one of them finishes in a day, each with what an agent says and does on the way. */
const TASKS_A_DAY = 16
const DAYS = 15
/** The busy days lie so far apart, so that what is kept for three months goes within the bench. */
const APART_MS = 15 * 86_400_000
const EVENTS_KEPT_DAYS = 60
const REPORT = "What was done, what was found on the way, and what comes next. ".repeat(12)

/**
 * What busy days of fifty agents leave on the disk of the embedded store, and that what only piles up goes again: days lie apart on the
 * clock that operations see, and after each the store is tidied as a server does it.
 */
export async function bench(): Promise<Measured> {
  const workspace = await openWorkspace()
  const { store } = workspace
  let now = Date.parse("2026-04-01T08:00:00.000Z")
  const registry = new Registry(store, operations, { now: () => new Date((now += 5)) })
  const agents = await Promise.all(Array.from({ length: AGENTS }, (_, n) => workspace.agent(`Busy ${n}`)))
  const sizes = [await bytesOf(workspace)]
  const used: number[] = []
  const passing: number[] = []
  for (let day = 0; day < DAYS; day++) {
    await Promise.all(agents.map((agent) => dayOf(agent, workspace, registry)))
    for (const actor of [...agents, workspace.pm, workspace.admin, workspace.owner])
      await registry.execute("chorus_mark_notification_read", { all: true }, { actor, requestId: randomUUID() })
    used.push((await bytesOf(workspace)) - (sizes.at(-1) ?? 0))
    now += APART_MS
    await tidyUp(store, new Date(now))
    await forgetEvents(store, EVENTS_KEPT_DAYS, new Date(now))
    await giveBack(store)
    sizes.push(await bytesOf(workspace))
    passing.push(await passingRows(workspace))
  }
  await workspace.close()
  const third = DAYS / 3
  const growth = sizes.slice(1).map((size, day) => size - (sizes[day] ?? 0))
  const late = growth.slice(-third)
  const most = (rows: readonly number[]) => Math.max(...rows)
  const mb = (bytes: number) => bytes / 2 ** 20
  return {
    figures: [
      {
        name: `a day of ${AGENTS} busy agents, ${AGENTS * TASKS_A_DAY} tasks done, on the disk`,
        value: mb(used[0] ?? Number.NaN),
        unit: "MB",
        budget: { atMost: 65 },
      },
      { name: "of one agent", value: (used[0] ?? Number.NaN) / AGENTS / 1024, unit: "kB" },
      {
        name: `what stays of it for good, with events kept for ${EVENTS_KEPT_DAYS} days`,
        value: mb(late.reduce((sum, bytes) => sum + bytes, 0) / late.length),
        unit: "MB a day",
        budget: { atMost: 30 },
      },
      {
        name: "rows that are kept for a time, most in the last third of the days beside the second",
        value: most(passing.slice(-third)) / most(passing.slice(third, -third)),
        unit: "times",
        budget: { atMost: 1.1 },
      },
    ],
    plots: [
      {
        name: "days-on-disk",
        says: "What the embedded store takes on the disk after each of some busy days.",
        across: { label: "busy days", values: sizes.map((_, day) => day), scale: "linear" },
        up: { label: "MB", scale: "linear" },
        lines: [{ name: "with what is old dropped", values: sizes.map(mb) }],
      },
    ],
  }
}

/** What an agent does with its day, and a person at the end of each task. */
async function dayOf(agent: Actor, { pm, admin, project: projectUuid }: Workspace, registry: Registry): Promise<void> {
  const call = async <T = unknown>(actor: Actor, name: string, input: object) => {
    // As agents' programs do it, so that a retry changes nothing.
    const idempotencyKey = actor === agent ? randomUUID() : undefined
    return (await registry.execute(name, input, { actor, requestId: randomUUID(), idempotencyKey })) as T
  }
  const act = <T = unknown>(name: string, input: object) => call<T>(agent, name, input)
  const { uuid: sessionUuid } = await act<{ uuid: string }>("chorus_create_session", { name: "a day" })
  await act("chorus_checkin", {})
  for (let done = 0; done < TASKS_A_DAY; done++) {
    const acceptanceCriteriaItems = ["it works", "it is told how", "nothing else changed"].map((description) => ({
      description,
    }))
    const { tasks } = await call<{ tasks: { uuid: string }[] }>(pm, "chorus_create_tasks", {
      projectUuid,
      tasks: [{ title: `Task ${done} of ${agent.name}`, description: REPORT, acceptanceCriteriaItems }],
    })
    const taskUuid = tasks[0]?.uuid
    await act("chorus_session_checkin_task", { sessionUuid, taskUuid })
    await act("chorus_update_task", { taskUuid, status: "in_progress" })
    for (let report = 0; report < 3; report++)
      await act("chorus_report_work", { taskUuid, report: REPORT, sessionUuid })
    await act("chorus_session_heartbeat", { sessionUuid })
    await act("chorus_report_usage", { taskUuid, sessionUuid, inputTokens: 90_000, outputTokens: 8000 })
    const { acceptanceCriteriaItems: criteria } = await act<{ acceptanceCriteriaItems: { uuid: string }[] }>(
      "chorus_get_task",
      { taskUuid },
    )
    await act("chorus_report_criteria_self_check", {
      taskUuid,
      criteria: criteria.map(({ uuid }) => ({ uuid, devStatus: "passed", devEvidence: "seen to work" })),
    })
    await act("chorus_submit_for_verify", { taskUuid, insist: true })
    await act("chorus_session_checkout_task", { sessionUuid, taskUuid })
    await call(admin, "chorus_mark_acceptance_criteria", {
      taskUuid,
      criteria: criteria.map(({ uuid }) => ({ uuid, status: "passed", exitCode: 0 })),
    })
    await call(admin, "chorus_admin_verify_task", { taskUuid })
  }
  await act("chorus_close_session", { sessionUuid })
}

async function bytesOf({ store }: Workspace): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select page_count * page_size as bytes
    from pragma_page_count(), pragma_page_size()`.execute(store.db)
  return rows[0]?.bytes ?? Number.NaN
}

async function passingRows({ store }: Workspace): Promise<number> {
  const { rows } = await sql<{ total: number }>`select (select count(*) from events) + (select count(*) from receipts)
    + (select count(*) from notifications) + (select count(*) from deliveries) as total`.execute(store.db)
  return rows[0]?.total ?? Number.NaN
}
