import { ChorusError, type EventKind, type ParsedInputOf, work } from "@chorus/contracts"
import { actionForMove, chainWeights, type GraphTask, holds, type TaskAction } from "@chorus/core"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { holdersFor } from "../checkin/trackers.ts"
import { beginStay, checkOutAll, type SessionRecord, touchOwnSession } from "../sessions/session-record.ts"
import { selfCheck } from "../tasks/criterion-marks.ts"
import { changeOf, claim, close, release, reopen, start, submit, takeBack, verify } from "../tasks/task-life.ts"
import {
  alreadyClaimed,
  assertMayWork,
  criteriaOf,
  findTask,
  type TaskRecord,
  wrongMove,
  wrongStatus,
} from "../tasks/task-record.ts"
import { moveOn } from "../tasks/update-task.ts"
import { allEdges } from "./all-tasks.ts"
import { briefOf } from "./brief.ts"
import { newsFor } from "./news.ts"
import { noWork } from "./no-work.ts"
import { addReport } from "./report-entry.ts"

type NextInput = ParsedInputOf<typeof work.nextTask>
type Candidate = Pick<TaskRecord, "uuid" | "status" | "priority" | "createdAt">

const RANK = { in_progress: 0, assigned: 10, open: 20, to_verify: 30, done: 30, closed: 30 } as const
const URGENCY = { high: 0, medium: 1, low: 2 } as const

export const startTask = operation(work.startTask, async (context, { taskUuid, sessionUuid, takeBack: again }) => {
  const session = sessionUuid === undefined ? null : await touchOwnSession(context, sessionUuid)
  const task = await findTask(context.db, taskUuid)
  if (task.status === "to_verify" && holds(context.actor, task) && again !== true) throw handedIn(task)
  return begin(context, task.status === "to_verify" ? await takeBack(context, task) : task, session)
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
  const brief = await briefOf(context, started, session)
  await context.db.updateTable("tasks").set({ briefedAt: context.now }).where("uuid", "=", task.uuid).execute()
  return brief
}

/**
 * What came back to the caller comes first, until it has been taken up again; then what is assigned to it; then priority, then the
 * longest chain of work behind it, then age.
 */
async function ranked(context: OperationContext, input: NextInput): Promise<Candidate[]> {
  const { db, actor } = context
  let query = db
    .selectFrom("tasks")
    .select(["uuid", "status", "priority", "createdAt"])
    .where("projectUuid", "=", input.projectUuid)
    .where(({ or, and, eb, ref }) =>
      or([
        and([eb("status", "=", "open"), eb("openDependencies", "=", 0)]),
        and([
          eb("status", "=", "assigned"),
          eb("openDependencies", "=", 0),
          eb("assigneeUuid", "in", holdersFor(actor)),
        ]),
        and([
          eb("status", "=", "in_progress"),
          eb("assigneeUuid", "in", holdersFor(actor)),
          eb("returnedAt", "is not", null),
          or([eb("briefedAt", "is", null), eb("briefedAt", "<=", ref("returnedAt"))]),
        ]),
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
  return RANK[task.status] + URGENCY[task.priority]
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
  return changeOf(await moveTo(context, await findTask(context.db, taskUuid), status))
})

/** The one step of a task's life that leads to a status, if the caller may take it. */
export async function moveTo(
  context: OperationContext,
  task: TaskRecord,
  status: TaskRecord["status"],
): Promise<TaskRecord> {
  if (task.status === status) return task
  const step = STEPS[actionForMove(task.status, status) ?? "assign"]
  if (step === undefined) throw wrongMove(task, status)
  if (!context.actor.permissions.has(step.needs))
    throw forbidden(`Moving this card needs ${step.needs}.`, "Ask somebody who has it.")
  return step.take(context, task)
}

export const reportWork = operation(work.reportWork, async (context, input) => {
  const { taskUuid, report, status, to, sessionUuid, insist } = input
  if (sessionUuid !== undefined) await touchOwnSession(context, sessionUuid)
  const task = await findTask(context.db, taskUuid)
  await assertMayWork(context, task)
  const reportUuid = await addReport(context, task, report, sessionUuid ?? null, to)
  const after = status === undefined ? task : await moveOn(context, task, status, insist)
  return { uuid: after.uuid, title: after.title, status: after.status, reportUuid }
})

export const finishTask = operation(work.finishTask, async (context, input) => {
  const { taskUuid, report, criteria, sessionUuid, insist } = input
  const { db } = context
  const task = await findTask(db, taskUuid)
  await assertMayWork(context, task)
  if (task.status !== "in_progress") throw wrongStatus(task, "submit")
  if (sessionUuid !== undefined) await touchOwnSession(context, sessionUuid)
  if (criteria !== undefined && criteria.length > 0) await selfCheck(context, task, criteria)
  const reportUuid = await addReport(context, task, report, sessionUuid ?? null)
  const submitted = await submit(context, task, { insist })
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

function handedIn(task: TaskRecord): ChorusError {
  return new ChorusError("wrong_status", `You have handed in "${task.title}"; it waits for a verdict.`, {
    status: 409,
    next: "Call again with takeBack: true to take the hand-in back and go on working.",
    details: { taskUuid: task.uuid, status: task.status },
  })
}
