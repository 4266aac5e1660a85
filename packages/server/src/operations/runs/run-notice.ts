import type { attentions, runs, TaskId } from "@chorus/contracts"
import { isFinished } from "@chorus/core"
import type { OperationContext } from "../../operation.ts"
import { askPeople } from "../attentions/attentions.ts"
import { noticeId } from "../attentions/attention-row.ts"
import { takeRunNoticesBack } from "../attentions/notices.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { findRun, type ShownRun } from "./run-select.ts"

/** So long whoever sends work back has to let it go on. */
const MOMENT_MS = 30_000
/** Of what a call answered, so much is told with the work that broke off. */
const MOST_SAID = 1000
/** So many entries are looked through for the last call. */
const LOOKED_AT = 50

/**
 * A task whose run has ended without handing it in stands still until a person decides how it goes on. Whoever stopped
 * the run knows, and where the agent has asked something its question is what waits.
 */
export async function tellEnded(context: OperationContext, run: ShownRun): Promise<void> {
  const { work, taskUuid, state, stoppedFor, agentUuid } = run
  await takeRunNoticesBack(context, run)
  if (state === "stopped" && stoppedFor === null) return
  if (work === "plan" && state === "finished") return tellUnplanned(context, run)
  if (work !== "build") return state === "finished" ? undefined : noticeOf(context, "broken_off", run, {})
  if (taskUuid === null) return
  const task = await findTask(context.db, taskUuid)
  const isHeld = task.status === "in_progress" && task.assigneeUuid === agentUuid
  const isFree = state !== "finished" && task.status === "open"
  if (isFinished(task.status) || (!isHeld && !isFree) || (await isAsked(context, run))) return
  await tellOf(context, "ended", run, task, isHeld)
}

/** Planning is over with a proposal or a question to people; what ends with neither has come to nothing. */
async function tellUnplanned(context: OperationContext, run: ShownRun): Promise<void> {
  if ((await hasPlanned(context, run)) || (await isAsked(context, run))) return
  const failed = await failedCall(context, run)
  const reason = ["It ended without a proposal and without a question.", failed].filter(Boolean).join(" ")
  await noticeOf(context, "broken_off", { ...run, reason }, {})
}

async function hasPlanned({ db }: OperationContext, { ideaUuid, createdAt }: ShownRun): Promise<boolean> {
  const plan = await db
    .selectFrom("proposals as p")
    .innerJoin("proposalInputs as i", "i.proposalUuid", "p.uuid")
    .select("p.uuid")
    .where("i.ideaUuid", "=", ideaUuid)
    .where(({ or, and, eb }) =>
      or([
        eb("p.status", "=", "pending"),
        and([eb("p.status", "=", "approved"), eb("p.submittedAt", ">=", createdAt)]),
      ]),
    )
    .executeTakeFirst()
  if (plan !== undefined) return true
  const round = await db
    .selectFrom("elaborationRounds")
    .select("uuid")
    .where("ideaUuid", "=", ideaUuid)
    .where(({ or, and, eb }) =>
      or([eb("status", "=", "pending_answers"), and([eb("validatedAt", "is", null), eb("askAgain", "=", 0)])]),
    )
    .executeTakeFirst()
  return round !== undefined
}

/** What its last call to Chorus came to, where that failed. */
async function failedCall({ db }: OperationContext, { uuid }: ShownRun): Promise<string | undefined> {
  const rows = await db
    .selectFrom("runEntries")
    .select("body")
    .where("runUuid", "=", uuid)
    .where("body", "like", "%chorus_%")
    .orderBy("place", "desc")
    .limit(LOOKED_AT)
    .execute()
  for (const { body } of rows) {
    const { kind, title, status, text } = JSON.parse(body) as runs.RunEntry
    const tool = kind === "tool" ? /chorus_\w+$/.exec(title ?? "")?.[0].replace(/^.*__/, "") : undefined
    if (tool === undefined) continue
    return status === "failed" ? `${tool} failed: ${(text ?? "").trim().slice(0, MOST_SAID)}` : undefined
  }
  return undefined
}

/** One whose turn was cut off, or whose person has to sign in, asks nothing, and goes on only when somebody speaks. */
export async function tellWaits(context: OperationContext, run: ShownRun): Promise<void> {
  await takeRunNoticesBack(context, run)
  if (run.state === "waiting" && run.reason !== null) await noticeOf(context, "waits", run, {})
}

/**
 * Work that went back after its run had ended stands still as well, unless somebody takes it up at once: whoever sent
 * it back was another agent, did not want it to go on, or wanted it and its machine or budget did not allow that.
 */
export async function tellReturned(context: OperationContext): Promise<void> {
  const { db, actor, now } = context
  const left = await db
    .selectFrom("runs as r")
    .innerJoin("tasks as t", "t.uuid", "r.taskUuid")
    .select(["r.uuid", "t.uuid as taskUuid"])
    .where("r.workspaceUuid", "=", actor.workspaceUuid)
    .where("r.work", "=", "build")
    .where("t.status", "=", "in_progress")
    .where("t.returnedAt", "<", new Date(Date.parse(now) - MOMENT_MS).toISOString())
    .whereRef("t.assigneeUuid", "=", "r.agentUuid")
    .whereRef("r.endedAt", "<=", "t.returnedAt")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("runs as o")
            .select("o.uuid")
            .whereRef("o.taskUuid", "=", "t.uuid")
            .where("o.work", "=", "build")
            .whereRef("o.createdAt", ">", "r.createdAt"),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("attentions as a")
            .select("a.uuid")
            .whereRef("a.taskUuid", "=", "t.uuid")
            .where("a.answeredAt", "is", null)
            .where("a.withdrawnAt", "is", null),
        ),
      ),
    )
    .execute()
  for (const { uuid, taskUuid } of left)
    await tellOf(context, "returned", await findRun(context, uuid), await findTask(db, taskUuid), true)
}

async function tellOf(
  context: OperationContext,
  notice: "ended" | "returned",
  run: ShownRun,
  { uuid: taskUuid, shortId, title }: TaskRecord,
  held: boolean,
): Promise<void> {
  await noticeOf(context, notice, { ...run, taskUuid, taskShortId: shortId, taskTitle: title }, { held })
}

async function noticeOf(
  context: OperationContext,
  notice: attentions.AttentionNotice,
  run: ShownRun,
  more: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { uuid: runUuid, machineName: machine, reason, taskUuid, ideaUuid, work, projectUuid } = run
  const personUuid = run.startedByType === "user" ? run.startedByUuid : null
  const question = {
    kind: "input" as const,
    title: `${run.taskShortId ?? ""} ${run.taskTitle}`.trim().slice(0, 300),
    ...(taskUuid === null ? {} : { taskUuid: taskUuid as TaskId }),
    detail: { reason, machine, runUuid, work, ideaUuid, personUuid, ...more },
    answerable: false,
  }
  const of = { projectUuid, runUuid, agentUuid: null, requestId: noticeId(notice, runUuid) }
  // Who waits is at its place in the office as well.
  await askPeople(context, question, notice === "waits" ? run.sessionUuid : null, of)
}

async function isAsked({ db }: OperationContext, { taskUuid, sessionUuid }: ShownRun): Promise<boolean> {
  const open = await db
    .selectFrom("attentions")
    .select("uuid")
    .where(({ or, eb }) => or([eb("taskUuid", "=", taskUuid), eb("sessionUuid", "=", sessionUuid)]))
    .where("answerable", "=", 1)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .executeTakeFirst()
  return open !== undefined
}
