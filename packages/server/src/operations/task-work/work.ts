import { ChorusError, type EventKind, type ParsedInputOf, work } from "@chorus/contracts"
import { actionForMove, chainWeights, type GraphTask, holds, type Lease, leaseOf, type TaskAction } from "@chorus/core"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { holdersFor } from "../checkin/trackers.ts"
import { beginStay, checkOutAll, type SessionRecord, touchOwnSession } from "../sessions/session-record.ts"
import { selfCheck } from "../tasks/criterion-marks.ts"
import { changeOf, claim, close, release, reopen, start, submit, verify } from "../tasks/task-life.ts"
import {
  alreadyClaimed,
  assertMayWork,
  criteriaOf,
  findTask,
  holderOf,
  type TaskRecord,
  wrongMove,
  wrongStatus,
} from "../tasks/task-record.ts"
import { endWork, HELD_BY_NOBODY, takeStep } from "../tasks/task-step.ts"
import { moveOn } from "../tasks/update-task.ts"
import { allEdges } from "./all-tasks.ts"
import { briefOf } from "./brief.ts"
import { newsFor } from "./news.ts"
import { noWork } from "./no-work.ts"
import { addReport } from "./report-entry.ts"
import { workSettings } from "./settings.ts"

type NextInput = ParsedInputOf<typeof work.nextTask>
type Candidate = Pick<TaskRecord, "uuid" | "status" | "priority" | "createdAt">

const URGENCY = { high: 0, medium: 1, low: 2 } as const

export const startTask = operation(work.startTask, async (context, { taskUuid, sessionUuid }) => {
  const session = sessionUuid === undefined ? null : await touchOwnSession(context, sessionUuid)
  return begin(context, await findTask(context.db, taskUuid), session)
})

export const nextTask = operation(
  work.nextTask,
  async (context, input) => {
    const session = input.sessionUuid === undefined ? null : await touchOwnSession(context, input.sessionUuid)
    for (const candidate of await ranked(context, input)) {
      try {
        return await begin(context, await findTask(context.db, candidate.uuid), session)
      } catch (error) {
        // Somebody was faster with this one; nothing was changed by trying.
        if (!(error instanceof ChorusError) || !LOST.has(error.code)) throw error
      }
    }
    return noWork(context.db, input.projectUuid)
  },
  {
    enough: ({ task }) => task !== null,
    wakes: ({ kind, projectUuid }, _, input) => projectUuid === input.projectUuid && READIES.has(kind),
  },
)

/** What may make a task ready for somebody. */
const READIES: ReadonlySet<string> = new Set<EventKind>([
  "task.assigned",
  "task.created",
  "task.reclaimed",
  "task.released",
  "task.reopened",
  "task.unblocked",
])

const LOST = new Set(["already_claimed", "changed_meanwhile"])

/** Puts the caller to work on a task, in a session of its own if it has one, and hands it the brief. */
export async function begin(
  context: OperationContext,
  task: TaskRecord,
  session: SessionRecord | null,
): Promise<work.TaskBrief> {
  if (task.status !== "open" && !holds(context.actor, task)) throw await alreadyClaimed(context.db, task)
  const started = await start(context, task.status === "open" ? await claim(context, task) : task)
  if (session !== null) await beginStay(context, session, started)
  return briefOf(context, started, session)
}

/** What is already assigned to the caller comes first; then priority, then the longest chain of work behind it, then age. */
async function ranked(context: OperationContext, input: NextInput): Promise<Candidate[]> {
  const { db, actor } = context
  let query = db
    .selectFrom("tasks")
    .select(["uuid", "status", "priority", "createdAt"])
    .where("projectUuid", "=", input.projectUuid)
    .where("openDependencies", "=", 0)
    .where(({ or, and, eb }) =>
      or([
        eb("status", "=", "open"),
        and([eb("status", "=", "assigned"), eb("assigneeUuid", "in", holdersFor(actor))]),
      ]),
    )
  if (input.proposalUuids !== undefined) query = query.where("proposalUuid", "in", input.proposalUuids)
  const ready = await query.execute()
  const first = Math.min(...ready.map(rankOf))
  const best = ready.filter((task) => rankOf(task) === first)
  const rest = ready.filter((task) => rankOf(task) !== first)
  const chains = best.length > 1 ? await chainsOf(context, input.projectUuid) : new Map<string, number>()
  return [
    ...best.toSorted((a, b) => (chains.get(b.uuid) ?? 0) - (chains.get(a.uuid) ?? 0) || byAge(a, b)),
    ...rest.toSorted((a, b) => rankOf(a) - rankOf(b) || byAge(a, b)),
  ]
}

function rankOf(task: Candidate): number {
  return (task.status === "assigned" ? 0 : 10) + URGENCY[task.priority]
}

function byAge(a: Candidate, b: Candidate): number {
  return a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.uuid < b.uuid ? -1 : 1
}

async function chainsOf(context: OperationContext, projectUuid: string): Promise<Map<string, number>> {
  const { db } = context
  const unfinished = await db
    .selectFrom("tasks")
    .select(["uuid", "storyPoints"])
    .where("projectUuid", "=", projectUuid)
    .where("status", "not in", ["done", "closed"])
    .execute()
  const edges = await allEdges(context, projectUuid)
  return chainWeights(
    unfinished.map(({ uuid, storyPoints }): GraphTask => ({ uuid, weight: storyPoints, finished: false })),
    edges,
  )
}

type Step = (context: OperationContext, task: TaskRecord) => Promise<TaskRecord>

const STEPS: Partial<Record<TaskAction, { needs: "task:write" | "task:admin"; take: Step }>> = {
  claim: { needs: "task:write", take: claim },
  release: {
    needs: "task:write",
    take: async (context, task) => {
      await assertMayWork(context, task)
      return release(context, task)
    },
  },
  start: { needs: "task:write", take: start },
  submit: { needs: "task:write", take: submit },
  verify: { needs: "task:admin", take: verify },
  reopen: { needs: "task:admin", take: (context, task) => reopen(context, task, { force: false }) },
  close: { needs: "task:admin", take: close },
}

export const moveTask = operation(work.moveTask, async (context, { taskUuid, status }) => {
  const task = await findTask(context.db, taskUuid)
  if (task.status === status) return changeOf(task)
  const step = STEPS[actionForMove(task.status, status) ?? "assign"]
  if (step === undefined) throw wrongMove(task, status)
  if (!context.actor.permissions.has(step.needs))
    throw forbidden(`Moving this card needs ${step.needs}.`, "Ask somebody who has it.")
  return changeOf(await step.take(context, task))
})

export const reportWork = operation(work.reportWork, async (context, { taskUuid, report, status, sessionUuid }) => {
  if (sessionUuid !== undefined) await touchOwnSession(context, sessionUuid)
  const task = await findTask(context.db, taskUuid)
  await assertMayWork(context, task)
  const reportUuid = await addReport(context, task, report, sessionUuid ?? null)
  const after = status === undefined ? task : await moveOn(context, task, status)
  return { uuid: after.uuid, title: after.title, status: after.status, reportUuid }
})

export const finishTask = operation(work.finishTask, async (context, { taskUuid, report, criteria, sessionUuid }) => {
  const { db } = context
  const task = await findTask(db, taskUuid)
  await assertMayWork(context, task)
  if (task.status !== "in_progress") throw wrongStatus(task, "submit")
  if (sessionUuid !== undefined) await touchOwnSession(context, sessionUuid)
  if (criteria !== undefined && criteria.length > 0) await selfCheck(context, task, criteria)
  const reportUuid = await addReport(context, task, report, sessionUuid ?? null)
  const submitted = await submit(context, task)
  // The work is handed in: whoever of the holder's sessions stood at it leaves it.
  const checkedOut = await checkOutAll(context, { taskUuid }, "task_submitted")
  const unchecked = (await criteriaOf(db, taskUuid))
    .filter((item) => item.required && item.devStatus === "pending")
    .map((item) => item.description)
  return {
    uuid: submitted.uuid,
    title: submitted.title,
    status: submitted.status,
    reportUuid,
    unchecked,
    checkedOut,
    news: await newsFor(context, task),
  }
})

export const reclaimTask = operation(work.reclaimTask, async (context, { taskUuid }) => {
  const task = await findTask(context.db, taskUuid)
  const lease = await leaseOn(context, task)
  if (lease.state === "none") throw wrongStatus(task, "reclaim")
  const holder = await holderOf(context.db, task)
  if (lease.state !== "lapsed") throw leaseHeld(task, lease, holder?.name ?? "somebody")
  const { uuid, title, status } = await takeStep(context, task, "reclaim", HELD_BY_NOBODY, {
    title: task.title,
    from: holder,
    silentSince: lease.since,
  })
  await endWork(context, task, "task_reclaimed")
  return { uuid, title, status }
})

/** The holder's hold on the task, by every sign of life there is: all its sessions, and its reports on this task. */
export async function leaseOn(
  { db, actor, now }: Pick<OperationContext, "db" | "actor" | "now">,
  task: TaskRecord,
): Promise<Lease> {
  const { leaseMinutes } = await workSettings(db, actor.workspaceUuid)
  const session = await db
    .selectFrom("sessions")
    .select(({ fn }) => fn.max("lastActiveAt").as("at"))
    .where("agentUuid", "=", task.assigneeUuid)
    .executeTakeFirst()
  const report = await db
    .selectFrom("workReports")
    .select(({ fn }) => fn.max("createdAt").as("at"))
    .where("taskUuid", "=", task.uuid)
    .where("authorUuid", "=", task.assigneeUuid)
    .executeTakeFirst()
  return leaseOf(
    { ...task, signsOfLife: [task.assignedAt, task.startedAt, session?.at ?? null, report?.at ?? null] },
    now,
    leaseMinutes,
  )
}

function leaseHeld(task: TaskRecord, lease: Lease, holder: string): ChorusError {
  const until = lease.state === "held" ? lease.until : null
  const why =
    until === null
      ? "is a person; only they or whoever assigns tasks can give it up"
      : `showed a sign of life recently; the hold lasts until ${until}`
  return new ChorusError("lease_held", `"${task.title}" is held by ${holder}, who ${why}.`, {
    status: 409,
    next:
      until === null
        ? "Ask them, or have the task reassigned."
        : "Try again after that time, or ask the holder to release it.",
    details: { taskUuid: task.uuid, holder: task.assigneeUuid, until },
  })
}
