import { ChorusError, type EventKind, work } from "@chorus/contracts"
import { actionForMove, holds, type TaskAction } from "@chorus/core"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { reviewsFor } from "../inbox/review-work.ts"
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
import { takenBack } from "../tasks/taken-back.ts"
import { moveOn } from "../tasks/update-task.ts"
import { briefOf } from "./brief.ts"
import { newsFor } from "./news.ts"
import { noWork } from "./no-work.ts"
import { addReport } from "./report-entry.ts"
import { type Candidate, tasksInOrder } from "./task-order.ts"

export const startTask = operation(work.startTask, async (context, { taskUuid, sessionUuid, takeBack: again }) => {
  const session = sessionUuid === undefined ? null : await touchOwnSession(context, sessionUuid)
  const task = await findTask(context.db, taskUuid)
  if (task.status === "to_verify" && holds(context.actor, task) && again !== true) throw handedIn(task)
  return resume(context, task, session)
})

export const nextTask = operation(
  work.nextTask,
  async (context, input) => {
    const session = input.sessionUuid === undefined ? null : await touchOwnSession(context, input.sessionUuid)
    const { projectUuid, proposalUuids } = input
    const held = await underWay(context, projectUuid)
    const toReview = await reviewsFor(context, [projectUuid])
    const candidates = await tasksInOrder(context, [projectUuid], proposalUuids)
    const open = candidates.filter(({ status }) => status === "open").map(({ uuid }) => uuid)
    const taken = await takenBack(context.db, context.actor.uuid, open)
    for (const candidate of candidates) {
      if (isUnderWay(candidate) || taken.has(candidate.uuid)) continue
      try {
        const task = await findTask(context.db, candidate.uuid)
        if (task.status !== candidate.status) continue
        const brief = await resume(context, task, session)
        const others = held.filter(({ uuid }) => uuid !== candidate.uuid)
        return { ...brief, ...listed("held", others), ...listed("toReview", toReview) }
      } catch (error) {
        // Somebody was faster with this one; nothing was changed by trying.
        if (!(error instanceof ChorusError) || !LOST.has(error.code)) throw error
      }
    }
    const none = await noWork(context.db, projectUuid, { toReview, taken })
    return { ...none, ...listed("held", held), ...listed("toReview", toReview) }
  },
  {
    enough: ({ task, toReview }) => task !== null || toReview !== undefined,
    wakes: ({ kind, projectUuid }, _, input) => projectUuid === input.projectUuid && READIES.has(kind),
  },
)

/** What the caller has begun here: whoever lost an answer on the way finds in the next one what it was given. */
function underWay({ db, actor }: OperationContext, projectUuid: string): Promise<work.HeldTask[]> {
  return db
    .selectFrom("tasks")
    .select(["uuid", "title"])
    .where("projectUuid", "=", projectUuid)
    .where("assigneeUuid", "=", actor.uuid)
    .where("status", "=", "in_progress")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("checkins as c")
            .select("c.uuid")
            .whereRef("c.taskUuid", "=", "tasks.uuid")
            .where("c.checkoutAt", "is", null),
        ),
      ),
    )
    .orderBy("startedAt")
    .limit(10)
    .execute()
}

function listed<Name extends "held" | "toReview">(name: Name, rows: readonly work.HeldTask[]) {
  const said = rows.map(({ uuid, title }) => ({ uuid, title }))
  return (rows.length === 0 ? {} : { [name]: said }) as { [N in Name]?: work.HeldTask[] }
}

/** What came back is given out until it has been taken up again. */
function isUnderWay({ returnedAt, briefedAt }: Candidate): boolean {
  return returnedAt !== null && briefedAt !== null && briefedAt > returnedAt
}

/** What may make a task ready for somebody, or ask for a review. */
const READIES: ReadonlySet<string> = new Set<EventKind>([
  "task.assigned",
  "task.created",
  "task.reclaimed",
  "task.released",
  "task.reopened",
  "task.submitted",
  "task.unblocked",
  "review.submitted",
])

const LOST = new Set(["already_claimed", "changed_meanwhile"])

/** Begins a task, which the caller may have handed in. */
async function resume(context: OperationContext, task: TaskRecord, session: SessionRecord | null) {
  return begin(context, task.status === "to_verify" ? await takeBack(context, task) : task, session)
}

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
  if (task.status === "to_verify") throw handedIn(task)
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
    next: "Nothing is left to do on it. To go on working, take it back: chorus_start_task with takeBack: true.",
    details: { taskUuid: task.uuid, status: task.status },
  })
}
