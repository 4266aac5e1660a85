import type { reviews, runs } from "@chorus/contracts"
import { holds } from "@chorus/core"
import type { Actor, OperationContext } from "../../operation.ts"
import { agentRow, permissionsOf, projectsOf } from "../agents/agent-row.ts"
import { presentChecks } from "../checks/check-record.ts"
import { writeComment } from "../comments/comment-record.ts"
import { briefText } from "../hooks/brief-text.ts"
import { takeUp } from "../hooks/take-up.ts"
import { findIdea } from "../ideas/idea-record.ts"
import { giveReview } from "../reviews/reviews.ts"
import { beginStay, type SessionRecord } from "../sessions/session-record.ts"
import { briefOf } from "../task-work/brief.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { policyOf } from "./policy.ts"
import { queueRun } from "./queue.ts"
import { findRun, type ShownRun } from "./run-select.ts"

/** Agents that do what the builder itself must not: judge its work, or plan new work. */
const WORKERS: Partial<Record<runs.RunWork, { readonly name: string; readonly preset: "developer" | "lead" }>> = {
  plan: { name: "Planner", preset: "lead" },
  review: { name: "Reviewer", preset: "developer" },
}

const PLANNING = [
  "Plan this idea; build nothing and change no files. Everything you need is in the Chorus tools:",
  "1. `chorus_claim_idea`, then read the repository and what the project knows (`chorus_search`).",
  "2. Where only a person can say what is meant, ask in one round (`chorus_pm_start_elaboration`) and end there: somebody takes you up again once it is answered.",
  "3. Otherwise `chorus_submit_plan` with documents and tasks: small ones, each with criteria that can be checked, and what depends on what.",
  "End with a few lines on what you planned, or what you asked.",
].join("\n")

const REVIEWING = [
  "Review this work; you did not build it, and you change no files. It lies before you as it was handed in; `chorus_get_change` shows every line of it, what was said about them and what Chorus itself checked. Check each criterion by doing what it says: a report is a claim, not evidence. Look also for what the criteria forgot. What concerns a line is said there with `chorus_comment_on_change`.",
  "Begin your last message with `PASS` or `FAIL`; after `FAIL` say what blocks it, with paths and what you saw. That message is recorded as the review.",
].join("\n")

const ANSWERING =
  "Answer the question below from the repository and from Chorus; change no files. Your last message is put under it as the answer."

/** The first words to the agent, once its work has been begun; or why it cannot be. */
export async function beginWork(
  context: OperationContext,
  run: ShownRun,
  session: SessionRecord,
): Promise<{ words: string; goesOn: boolean; obstacle?: string | undefined }> {
  const { db, actor } = context
  const goesOn = run.startedAt !== null
  if (run.work === "build" && run.taskUuid !== null) {
    const task = await findTask(db, run.taskUuid)
    if (goesOn && task.status === "to_verify" && holds(actor, task)) return answerAbout(context, task, session)
    const { begun, words, obstacle } = await takeUp(context, task, session)
    const isHeld = task.status === "in_progress" && task.assigneeUuid === actor.uuid
    return { words, goesOn: goesOn && isHeld, ...(begun ? {} : { obstacle: obstacle ?? "" }) }
  }
  const about =
    run.taskUuid === null
      ? await ideaText(context, run.ideaUuid ?? "")
      : briefText(await briefOf(context, await findTask(db, run.taskUuid), null))
  const task = { plan: PLANNING, review: REVIEWING, answer: ANSWERING, build: "" }[run.work]
  return { words: `${task}\n\n${about}`, goesOn }
}

/** A word after the hand-in takes nothing back: the agent answers it, and the answer is added to its report. */
async function answerAbout(context: OperationContext, task: TaskRecord, session: SessionRecord) {
  await beginStay(context, session, task)
  return { words: briefText(await briefOf(context, task, session)), goesOn: true }
}

/** What a run that has finished leads to: a review of what it handed in, the review itself, or its answer. */
export async function handOn(context: OperationContext, run: ShownRun, words: string): Promise<void> {
  const { db } = context
  const { projectUuid, taskUuid, ideaUuid } = run
  if (run.work === "build" && taskUuid !== null) {
    // What Chorus checks comes to a reviewer once it has held.
    const checks = await presentChecks(db, taskUuid)
    const isChecked = !checks.some(({ state }) => state === "queued" || state === "running")
    if (isChecked && !(await isReviewed(context, taskUuid))) await reviewHandIn(context, run.uuid)
  }
  if (run.work === "review" && taskUuid !== null) await recordReview(context, run, taskUuid, words)
  if (run.work === "answer" && words.trim() !== "") {
    const targetType = taskUuid === null ? "idea" : "task"
    const targetUuid = taskUuid ?? ideaUuid ?? ""
    await writeComment(context, { projectUuid, targetType, targetUuid, parentUuid: null, content: words })
  }
}

/** Whether a reviewer has been put to work on what is handed in now: an answer to a word about it asks for no second one. */
async function isReviewed({ db }: OperationContext, taskUuid: string): Promise<boolean> {
  const { submittedAt } = await findTask(db, taskUuid)
  const review = await db
    .selectFrom("runs")
    .select("uuid")
    .where("taskUuid", "=", taskUuid)
    .where("work", "=", "review")
    .where("createdAt", ">=", submittedAt ?? "")
    .executeTakeFirst()
  return review !== undefined
}

/** Puts a reviewer to work on what a run handed in, where the project asks for that. */
export async function reviewHandIn(context: OperationContext, runUuid: string): Promise<void> {
  const { uuid, projectUuid, taskUuid, machineName, folder } = await findRun(context, runUuid)
  if (taskUuid === null) return
  const { status } = await findTask(context.db, taskUuid)
  const { reviewFirst } = await policyOf(context.db, projectUuid)
  if (!reviewFirst || status !== "to_verify") return
  const machine = machineName ?? undefined
  const fork = { of: uuid, turn: null }
  await queueRun(context, projectUuid, { work: "review", taskUuid, machine, folder: folder ?? undefined, fork })
}

/** The agent in whose name a run of this kind speaks: the runner's own, or one beside it that sees no more than it. */
export async function workerFor(context: OperationContext, work: runs.RunWork): Promise<string> {
  return WORKERS[work] === undefined ? context.actor.uuid : (await worker(context, WORKERS[work])).uuid
}

async function worker(context: OperationContext, { name, preset }: NonNullable<(typeof WORKERS)["plan"]>) {
  const { db, actor, now, newId, emit } = context
  const own = await db.selectFrom("agents").selectAll().where("uuid", "=", actor.uuid).executeTakeFirstOrThrow()
  const known = await db
    .selectFrom("agents")
    .selectAll()
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("name", "=", name)
    .where("presets", "=", JSON.stringify([preset]))
    .where("archivedAt", "is", null)
    .where("ownerUuid", own.ownerUuid === null ? "is" : "=", own.ownerUuid)
    .where("projectUuids", own.projectUuids === null ? "is" : "=", own.projectUuids)
    .executeTakeFirst()
  if (known !== undefined) return known
  const { ownerUuid, projectUuids, workspaceUuid } = own
  const blank = { persona: null, systemPrompt: null, permissions: "[]", lastActiveAt: null, archivedAt: null }
  const made = await db
    .insertInto("agents")
    .values({
      ...blank,
      uuid: newId(),
      workspaceUuid,
      ownerUuid,
      projectUuids,
      name,
      createdAt: now,
      presets: JSON.stringify([preset]),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  emit({
    kind: "agent.created",
    entityType: "agent",
    entityUuid: made.uuid,
    projectUuid: null,
    action: "created",
    patch: agentRow(made),
  })
  return made
}

/** The reviewer's last words as its review, unless it recorded one itself. */
async function recordReview(context: OperationContext, run: ShownRun, taskUuid: string, words: string): Promise<void> {
  const said = /^[\s*_#>`]*(PASS|FAIL)(?:ED)?\b/.exec(words)?.[1]
  if (said === undefined || WORKERS.review === undefined) return
  const { db, actor } = context
  const row = await worker(context, WORKERS.review)
  const given = await db
    .selectFrom("reviews")
    .select("uuid")
    .where("targetUuid", "=", taskUuid)
    .where("reviewerUuid", "=", row.uuid)
    .where("createdAt", ">=", run.startedAt ?? "")
    .executeTakeFirst()
  if (given !== undefined) return
  const reviewer: Actor = {
    type: "agent",
    uuid: row.uuid,
    name: row.name,
    workspaceUuid: actor.workspaceUuid,
    role: null,
    permissions: permissionsOf(row),
    projectUuids: projectsOf(row) === null ? null : new Set(projectsOf(row)),
    ownerUuid: row.ownerUuid,
  }
  const summary = words.slice(0, 10_000)
  const verdict: reviews.ReviewVerdict = said === "PASS" ? "pass" : "fail"
  const findings = verdict === "pass" ? [] : [{ severity: "blocker" as const, text: summary }]
  const target = { targetType: "task", targetUuid: taskUuid } as const
  await giveReview({ ...context, actor: reviewer }, { ...target, verdict, summary, findings, resolvedKeys: [] })
}

async function ideaText({ db }: OperationContext, ideaUuid: string): Promise<string> {
  const { uuid, title, content, shortId, projectUuid } = await findIdea(db, ideaUuid)
  const { name } = await db
    .selectFrom("projects")
    .select("name")
    .where("uuid", "=", projectUuid)
    .executeTakeFirstOrThrow()
  return [`Idea ${shortId ?? ""} (${uuid}) of project ${name} (${projectUuid}): ${title}`, content ?? ""]
    .join("\n\n")
    .trim()
}
