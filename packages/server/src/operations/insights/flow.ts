import { insights } from "@chorus/contracts"
import { FLOW_STATUSES, flowByDay, type FlowStatus, lastDays, spreadOf, type TaskStepFact } from "@chorus/core"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { operation } from "../../operation.ts"

const HOUR_MS = 60 * 60 * 1000
const STEPS = [
  "created",
  "claimed",
  "assigned",
  "released",
  "reclaimed",
  "started",
  "submitted",
  "verified",
  "reopened",
  "closed",
  "deleted",
].map((step) => `task.${step}`)

export const getFlow = operation(insights.getFlow, async ({ db, now }, { projectUuid, days, offsetMinutes }) => {
  const span = lastDays(now, days, offsetMinutes)
  const tasks = await tasksOf(db, projectUuid)
  const flow = flowByDay(await stepsOf(db, projectUuid, tasks), span, offsetMinutes)
  const since = Date.parse(`${span[0] ?? now}T00:00:00Z`) - offsetMinutes * 60_000
  const durations = tasks.flatMap(({ status, startedAt, doneAt }) =>
    status === "done" && startedAt !== null && doneAt !== null && Date.parse(doneAt) >= since
      ? [(Date.parse(doneAt) - Date.parse(startedAt)) / HOUR_MS]
      : [],
  )
  const spread = spreadOf(durations)
  return {
    throughput: flow.map(({ day, finished, finishedPoints }) => ({ day, tasks: finished, points: finishedPoints })),
    cycleTime: { count: spread.count, medianHours: spread.median, p85Hours: spread.p85, longestHours: spread.longest },
    cumulativeFlow: flow.map(({ day, counts }) => ({ day, counts })),
    burnUp: flow.map(({ day, counts, points }) => ({
      day,
      scope: inScope(counts),
      done: counts.done,
      scopePoints: inScope(points),
      donePoints: points.done,
    })),
  }
})

type Task = Awaited<ReturnType<typeof tasksOf>>[number]

async function tasksOf(db: Db, projectUuid: string) {
  return db
    .selectFrom("tasks")
    .select(["uuid", "status", "storyPoints", "createdAt", "startedAt", "submittedAt", "doneAt", "updatedAt"])
    .where("projectUuid", "=", projectUuid)
    .execute()
}

/** Every step the log tells of, and for tasks it tells nothing of (moved here, or older than the log) what the task itself remembers. */
async function stepsOf(db: Db, projectUuid: string, tasks: readonly Task[]): Promise<TaskStepFact[]> {
  const points = new Map(tasks.map((task) => [task.uuid, task.storyPoints]))
  const events = await db
    .selectFrom("events")
    .select(["entityUuid", "kind", "at"])
    // What a task was created with is in the task itself; reading it from thousands of patches is most of the cost.
    .select(sql<string>`case when "kind" = 'task.created' then '{"status":"open"}' else "patch" end`.as("patch"))
    .where("projectUuid", "=", projectUuid)
    .where("kind", "in", STEPS)
    .orderBy("id")
    .execute()
  const logged = events.flatMap(({ entityUuid, kind, at, patch }): TaskStepFact[] => {
    if (kind === "task.deleted") return [{ taskUuid: entityUuid, at, status: null }]
    const { status } = JSON.parse(patch) as { status?: unknown }
    return isStatus(status) ? [{ taskUuid: entityUuid, at, status, points: points.get(entityUuid) ?? null }] : []
  })
  const begun = new Set(events.filter(({ kind }) => kind === "task.created").map(({ entityUuid }) => entityUuid))
  const told = new Set(logged.map(({ taskUuid }) => taskUuid))
  const remembered = tasks
    .filter((task) => !begun.has(task.uuid))
    .flatMap((task) => memoriesOf(task, told.has(task.uuid)))
  if (remembered.length === 0) return logged
  return [...remembered, ...logged].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function memoriesOf(task: Task, isTold: boolean): TaskStepFact[] {
  const step = (at: string | null, status: FlowStatus): TaskStepFact[] =>
    at === null ? [] : [{ taskUuid: task.uuid, at, status, points: task.storyPoints }]
  const first = step(task.createdAt, "open")
  if (isTold) return first
  return [
    ...first,
    ...step(task.startedAt, "in_progress"),
    ...step(task.submittedAt, "to_verify"),
    ...step(task.doneAt ?? task.updatedAt, task.status),
  ]
}

function inScope(counts: Record<FlowStatus, number>): number {
  return FLOW_STATUSES.filter((status) => status !== "closed").reduce((sum, status) => sum + counts[status], 0)
}

function isStatus(value: unknown): value is FlowStatus {
  return FLOW_STATUSES.some((status) => status === value)
}
