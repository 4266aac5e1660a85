import { attentions, ChorusError, type KindAbout, type ParsedInputOf } from "@chorus/contracts"
import { answerWords } from "@chorus/core"
import type { Schema } from "@chorus/store"
import { forbidden, notFound, operation, type OperationContext, readPage } from "../../operation.ts"
import { writeComment } from "../comments/comment-record.ts"
import { findTask, type TaskRecord } from "../tasks/task-record.ts"
import { touchOwnSession } from "../sessions/session-record.ts"
import { passOn } from "./answer.ts"
import { type AttentionRecord, attentionEvent, attentionRows, attentionState, noticeOf } from "./attention-row.ts"

const MOST_DETAIL = 200_000

type Question = Omit<ParsedInputOf<typeof attentions.createAttention>, "sessionUuid" | "kind"> & {
  readonly kind: attentions.AttentionKind
}

export const createAttention = operation(attentions.createAttention, async (context, { sessionUuid, ...question }) => {
  if (context.actor.type !== "agent")
    throw forbidden("Only agents ask people here.", "Write a comment or assign a task instead.")
  if (sessionUuid !== undefined) await touchOwnSession(context, sessionUuid)
  // Which run asks is its runner's to say: no agent's question stands where people watch another's work.
  const { runUuid: _run, ...detail } = question.detail ?? {}
  return askPeople(context, { ...question, ...(question.detail && { detail }) }, sessionUuid ?? null)
})

export const getAttention = operation(attentions.getAttention, async (context, { attentionUuid }) => {
  return attentionRowOf(context, await findAttention(context, attentionUuid))
})

export const listAttentions = operation(attentions.listAttentions, async ({ db, actor, now }, input) => {
  let query = db.selectFrom("attentions").where("workspaceUuid", "=", actor.workspaceUuid)
  if (actor.type === "agent") query = query.where("agentUuid", "=", actor.uuid)
  if (input.projectUuid !== undefined) query = query.where("projectUuid", "=", input.projectUuid)
  if (input.taskUuid !== undefined) query = query.where("taskUuid", "=", input.taskUuid)
  if (input.open) {
    query = query
      .where("answeredAt", "is", null)
      .where("withdrawnAt", "is", null)
      .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]))
  }
  const { rows: records, page } = await readPage(query.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), input)
  return { attentions: await attentionRows(db, records, now), ...page }
})

/** Only a signed-in person who answers for the agent may answer it: its owner, or those who run the workspace. */
export const answerAttention = operation(attentions.answerAttention, async (context, { attentionUuid, answer }) => {
  const record = await find(context, attentionUuid)
  await assertAnswersFor(context, record)
  if (record.answerable === 0) {
    throw new ChorusError("not_answerable", "An answer given here would not reach the agent.", {
      status: 409,
      next: "Answer it in the agent's own terminal.",
    })
  }
  const answered = await settleWith(context, record, answer)
  await passOn(context, answered, answer)
  return told(context, answered, "attention.answered")
})

/** A person's reply to the comment in which a question stands is its answer, where that person may give it and nobody has. */
export async function answerByReply(context: OperationContext, to: Schema["comments"], text: string): Promise<void> {
  if (context.actor.type !== "user" || to.authorType !== "agent") return
  const asked = await context.db
    .selectFrom("attentions")
    .selectAll()
    .where("taskUuid", "=", to.targetUuid)
    .where("agentUuid", "=", to.authorUuid)
    // Question and comment are written at one moment.
    .where("createdAt", "=", to.createdAt)
    .where("kind", "=", "input")
    .where("answerable", "=", 1)
    .execute()
  const record = asked.find(({ title }) => to.content.split("\n", 1)[0] === heading(title))
  if (record === undefined || (await foreignAgent(context, record)) !== undefined) return
  const answered = await keepAnswer(context, record, { text })
  if (answered === undefined) return
  await passOn(context, answered, { text })
  await told(context, answered, "attention.answered")
}

/**
 * The person at the agent's own window has answered. It is the agent that says so, so it counts as a word to that agent and never as a
 * decision; where somebody was faster on the page, their answer is the one that comes back.
 */
export const relayAnswer = operation(attentions.relayAnswer, async (context, { attentionUuid, text }) => {
  const record = await find(context, attentionUuid)
  assertOwn(context, record)
  if (record.kind !== "input")
    throw new ChorusError("decision_missing", "A decision is given on the page, by somebody who is signed in.", {
      status: 409,
      next: "Wait for it with chorus_inbox.",
    })
  if (record.answeredAt !== null) return markDelivered(context, record)
  const answered = await settleWith(context, record, { text, data: { via: "window" } })
  await told(context, answered, "attention.answered")
  return markDelivered(context, answered)
})

/** Keeps the first answer; nothing where there is one, or the question is no longer open. */
function keepAnswer(
  context: OperationContext,
  { uuid }: AttentionRecord,
  answer: attentions.AttentionAnswer,
): Promise<AttentionRecord | undefined> {
  const { actor, now } = context
  return openStill(context, uuid)
    .set({
      answer: JSON.stringify(answer),
      answeredByType: actor.type,
      answeredByUuid: actor.uuid,
      answeredAt: now,
    })
    .returningAll()
    .executeTakeFirst()
}

/** Keeps the first answer, on the question and in the conversation of its task. */
async function settleWith(
  context: OperationContext,
  record: AttentionRecord,
  answer: attentions.AttentionAnswer,
): Promise<AttentionRecord> {
  const answered = await keepAnswer(context, record, answer)
  if (answered === undefined) throw await notOpen(context, record.uuid)
  if (answered.taskUuid !== null) {
    const task = await findTask(context.db, answered.taskUuid)
    await writeComment(context, { ...onTask(task), content: `${answered.title}\n\n${answerWords(answer)}` })
  }
  return answered
}

export const withdrawAttention = operation(attentions.withdrawAttention, async (context, { attentionUuid }) => {
  const record = await find(context, attentionUuid)
  // People may leave what broke off at that; whatever else stands still goes with the work that it is about.
  const { role } = context.actor
  const mayLeave = noticeOf(record) === "broken_off" && role !== null && role !== "viewer"
  if (!mayLeave) assertOwn(context, record)
  return withdraw(context, record)
})

export const attentionDelivered = operation(attentions.attentionDelivered, async (context, { attentionUuid }) => {
  const record = await find(context, attentionUuid)
  assertOwn(context, record)
  return markDelivered(context, record)
})

/** Puts a question of the caller's before people. */
export async function askPeople(
  context: OperationContext,
  input: Question,
  sessionUuid: string | null,
  of: Partial<Pick<AttentionRecord, "agentUuid" | "projectUuid" | "runUuid" | "requestId">> = {},
): Promise<attentions.AttentionRow> {
  const { db, actor, now, newId, emit } = context
  const task = input.taskUuid === undefined ? undefined : await findTask(db, input.taskUuid)
  const { text, options } = input
  const said = { ...(text === undefined ? {} : { text }), ...(options === undefined ? {} : { options }) }
  const detail = JSON.stringify({ ...input.detail, ...said })
  if (detail.length > MOST_DETAIL)
    throw new ChorusError("invalid_input", `The detail has at most ${MOST_DETAIL} characters.`, {
      next: "Say less, or link to a document.",
    })
  const record = await db
    .insertInto("attentions")
    .values({
      uuid: newId(),
      workspaceUuid: actor.workspaceUuid,
      projectUuid: task?.projectUuid ?? input.projectUuid ?? null,
      agentUuid: actor.uuid,
      sessionUuid: sessionUuid,
      taskUuid: task?.uuid ?? null,
      kind: input.kind,
      title: input.title,
      detail,
      answerable: input.answerable === false ? 0 : 1,
      createdAt: now,
      expiresAt:
        input.expiresInMinutes === undefined
          ? null
          : new Date(Date.parse(now) + input.expiresInMinutes * 60_000).toISOString(),
      answer: null,
      answeredByType: null,
      answeredByUuid: null,
      answeredAt: null,
      deliveredAt: null,
      withdrawnAt: null,
      ...of,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const row = await attentionRowOf(context, record)
  emit({
    kind: "attention.created",
    entityType: "attention",
    entityUuid: row.uuid,
    projectUuid: row.projectUuid,
    action: "created",
    patch: row,
  })
  if (task !== undefined && row.notice === null)
    await writeComment(context, { ...onTask(task), content: asComment(input) })
  return row
}

function onTask({ uuid, projectUuid }: TaskRecord) {
  return { projectUuid, targetType: "task" as const, targetUuid: uuid, parentUuid: null }
}

/** The question as it stands in the task's conversation, where the answer follows it. */
function asComment({ title, text, options = [] }: Pick<Question, "title" | "text" | "options">): string {
  const words = text === undefined ? [] : ["", text, ""]
  return [heading(title), ...words, ...options.map((option) => `- ${option}`)].join("\n").trimEnd()
}

function heading(title: string): string {
  return `**${title}**`
}

/** A question the caller may see: an agent only its own. */
export async function findAttention(context: OperationContext, attentionUuid: string): Promise<AttentionRecord> {
  const record = await find(context, attentionUuid)
  if (context.actor.type === "agent" && record.agentUuid !== context.actor.uuid)
    throw notFound("attention", attentionUuid)
  return record
}

/** Takes back a question that nobody has answered. */
export async function withdraw(
  context: OperationContext,
  { uuid }: Pick<AttentionRecord, "uuid">,
): Promise<attentions.AttentionRow> {
  const withdrawn = await openStill(context, uuid).set({ withdrawnAt: context.now }).returningAll().executeTakeFirst()
  if (withdrawn === undefined) throw await notOpen(context, uuid)
  return told(context, withdrawn, "attention.withdrawn")
}

/** From now on a question can be answered in its terminal alone; for so long it may still be open there. */
export async function leaveToTerminal(
  context: OperationContext,
  { uuid }: Pick<AttentionRecord, "uuid">,
  minutes: number,
): Promise<attentions.AttentionRow> {
  const expiresAt = new Date(Date.parse(context.now) + minutes * 60_000).toISOString()
  const left = await openStill(context, uuid).set({ answerable: 0, expiresAt }).returningAll().executeTakeFirst()
  if (left === undefined) throw await notOpen(context, uuid)
  return told(context, left, "attention.left")
}

/** Notes that the answer has reached the agent; a second time changes nothing. */
export async function markDelivered(
  context: OperationContext,
  record: AttentionRecord,
): Promise<attentions.AttentionRow> {
  if (record.deliveredAt !== null) return attentionRowOf(context, record)
  if (record.answeredAt === null)
    throw new ChorusError("not_answered", "Nobody has answered this yet.", {
      status: 409,
      next: "Wait for the answer.",
    })
  const delivered = await context.db
    .updateTable("attentions")
    .set({ deliveredAt: context.now })
    .where("uuid", "=", record.uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  return told(context, delivered, "attention.delivered")
}

/** The answer did not reach the agent, which went on without it: its terminal was faster, or its program has ended. */
export async function markUnheard(
  context: OperationContext,
  { uuid }: Pick<AttentionRecord, "uuid">,
): Promise<attentions.AttentionRow> {
  const unheard = await context.db
    .updateTable("attentions")
    .set({ deliveredAt: null, withdrawnAt: context.now })
    .where("uuid", "=", uuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  return told(context, unheard, "attention.unheard")
}

function openStill({ db, now }: OperationContext, uuid: string) {
  return db
    .updateTable("attentions")
    .where("uuid", "=", uuid)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]))
}

async function told(
  context: OperationContext,
  record: AttentionRecord,
  kind: KindAbout<"attention", "updated">,
): Promise<attentions.AttentionRow> {
  const { row, event } = await attentionEvent(context.db, record, context.now, kind)
  context.emit(event)
  return row
}

async function find({ db, actor }: OperationContext, uuid: string): Promise<AttentionRecord> {
  const record = await db
    .selectFrom("attentions")
    .selectAll()
    .where("uuid", "=", uuid)
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .executeTakeFirst()
  if (record === undefined) throw notFound("attention", uuid)
  return record
}

export async function attentionRowOf(
  { db, now }: OperationContext,
  record: AttentionRecord,
): Promise<attentions.AttentionRow> {
  const [row] = await attentionRows(db, [record], now)
  if (row === undefined) throw notFound("attention", record.uuid)
  return row
}

function assertOwn({ actor }: OperationContext, record: AttentionRecord): void {
  if (record.agentUuid === actor.uuid || actor.type === "system") return
  throw forbidden("Another agent asked this.", "Only the agent that asked may do this.")
}

async function assertAnswersFor(context: OperationContext, record: AttentionRecord): Promise<void> {
  const agent = await foreignAgent(context, record)
  if (agent !== undefined)
    throw forbidden(`${agent} belongs to somebody else.`, "Let its owner answer, or an admin of this workspace.")
}

/** The name of the agent that asked, where the caller does not answer for it. */
async function foreignAgent({ db, actor }: OperationContext, record: AttentionRecord): Promise<string | undefined> {
  if (actor.role === "owner" || actor.role === "admin" || record.agentUuid === null) return undefined
  // Whoever may make a change themselves may agree to it.
  if (record.kind === "change" && actor.role === "member") return undefined
  const agent = await db
    .selectFrom("agents")
    .select(["name", "ownerUuid"])
    .where("uuid", "=", record.agentUuid)
    .executeTakeFirst()
  return agent?.ownerUuid === actor.uuid ? undefined : (agent?.name ?? "This agent")
}

async function notOpen(context: OperationContext, uuid: string): Promise<ChorusError> {
  const record = await find(context, uuid)
  const { answeredBy } = await attentionRowOf(context, record)
  const state = attentionState(record, context.now)
  return new ChorusError(
    "attention_settled",
    answeredBy === null ? `This is ${state} already.` : `${answeredBy.name} has answered this already.`,
    {
      status: 409,
      next: "Nothing is left to do.",
      details: { attentionUuid: uuid, state, answeredBy },
    },
  )
}
