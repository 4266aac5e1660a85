import { type ParsedInputOf, usage } from "@chorus/contracts"
import { type Db, lock } from "@chorus/store"
import { sql } from "kysely"
import { forbidden, operation, type OperationContext } from "../../operation.ts"
import { ownSession, type SessionRecord } from "../sessions/session-record.ts"
import { findTask } from "../tasks/task-record.ts"

type Input = ParsedInputOf<typeof usage.reportUsage>
type Question = ParsedInputOf<typeof usage.getUsage>

export const reportUsage = operation(usage.reportUsage, (context, { of, ...input }) =>
  of === undefined ? report(context, input) : reportUpTo(context, of, input),
)

const KINDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens"] as const

/** What somebody has used up to now: what is new in it is counted. */
export async function reportUpTo(context: OperationContext, of: string, input: Omit<Input, "of">) {
  const who = `${of}:${input.model ?? ""}:`.slice(-180)
  await lock(context, `usage-of:${who}`)
  const known = await context.db
    .selectFrom("usages")
    .select(KINDS.map((kind) => sql<number>`coalesce(sum(${sql.ref(kind)}), 0)`.as(kind)))
    .where("agentUuid", "=", context.actor.uuid)
    .where(sql<boolean>`substr("dedupeKey", 1, ${who.length}) = ${who}`)
    .executeTakeFirstOrThrow()
  const fresh = (kind: (typeof KINDS)[number]) => Math.max(0, input[kind] - Number(known[kind]))
  if (KINDS.every((kind) => fresh(kind) === 0)) return { recorded: false, taskUuid: input.taskUuid ?? null }
  const total = KINDS.reduce((sum, kind) => sum + input[kind], 0)
  return report(context, {
    ...input,
    inputTokens: fresh("inputTokens"),
    outputTokens: fresh("outputTokens"),
    cacheReadTokens: fresh("cacheReadTokens"),
    cacheCreationTokens: fresh("cacheCreationTokens"),
    key: `${who}${total}`,
  })
}

export async function report(context: OperationContext, input: Omit<Input, "of">) {
  const { db, actor, now, newId, emit } = context
  if (actor.type !== "agent") throw forbidden("Only agents spend tokens here.", "Call this with an agent's key.")
  const session = input.sessionUuid === undefined ? undefined : await ownSession(context, input.sessionUuid)
  // What an agent uses in a run is told by the run, and only once.
  if (await isInRun(context, session)) return { recorded: false, taskUuid: input.taskUuid ?? null }
  const taskUuid = input.taskUuid ?? (session === undefined ? null : await taskOfSession(db, session))
  const task = taskUuid === null ? null : await findTask(db, taskUuid)
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = input
  const spent = {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    costUsd: input.costUsd ?? null,
    model: input.model ?? null,
  }
  const inserted = await db
    .insertInto("usages")
    .values({
      uuid: newId(),
      workspaceUuid: actor.workspaceUuid,
      projectUuid: task?.projectUuid ?? null,
      agentUuid: actor.uuid,
      sessionUuid: input.sessionUuid ?? null,
      taskUuid,
      dedupeKey: input.key ?? null,
      ...spent,
      source: input.source,
      at: now,
    })
    .onConflict((conflict) => conflict.columns(["agentUuid", "dedupeKey"]).doNothing())
    .returning("uuid")
    .executeTakeFirst()
  if (inserted !== undefined) {
    const patch = { ...spent, taskUuid, sessionUuid: input.sessionUuid ?? null, agentUuid: actor.uuid }
    emit({
      kind: "usage.reported",
      entityType: "usage",
      entityUuid: inserted.uuid,
      projectUuid: task?.projectUuid ?? null,
      action: "created",
      patch,
    })
  }
  return { recorded: inserted !== undefined, taskUuid }
}

async function isInRun({ db, actor }: OperationContext, session: SessionRecord | undefined): Promise<boolean> {
  if (session?.source === "run") return true
  if (actor.keyUuid === undefined) return false
  const run = await db.selectFrom("runs").select("uuid").where("keyUuid", "=", actor.keyUuid).executeTakeFirst()
  return run !== undefined
}

export const getUsage = operation(usage.getUsage, async (context, input) => {
  const { keyOf, nameOf } = DIMENSIONS[input.by]
  const rows = await spent(context, input)
    .select([keyOf.as("key"), nameOf.as("name"), ...SUMS])
    .groupBy([sql`1`, sql`2`])
    .execute()
  const total = await spent(context, input).select(SUMS).executeTakeFirstOrThrow()
  return {
    total: totals(total),
    rows: rows
      .map((row) => ({ key: row.key, name: row.name ?? "—", ...totals(row) }))
      .toSorted((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.totalTokens - a.totalTokens),
  }
})

const SUMS = [
  sql<number>`coalesce(sum(u."inputTokens"), 0)`.as("inputTokens"),
  sql<number>`coalesce(sum(u."outputTokens"), 0)`.as("outputTokens"),
  sql<number>`coalesce(sum(u."cacheReadTokens"), 0)`.as("cacheReadTokens"),
  sql<number>`coalesce(sum(u."cacheCreationTokens"), 0)`.as("cacheCreationTokens"),
  sql<number | null>`sum(u."costUsd")`.as("costUsd"),
]

/** The idea that work came from: of a plan that came of several, the first. */
export const IDEA_OF = sql<string | null>`coalesce(u."ideaUuid", (
  select pi."ideaUuid" from tasks w join "proposalInputs" pi on pi."proposalUuid" = w."proposalUuid"
  where w."uuid" = u."taskUuid" and pi."ideaUuid" is not null order by pi."position" limit 1))`

const DIMENSIONS = {
  run: { keyOf: sql<string | null>`u."runUuid"`, nameOf: sql<string | null>`coalesce(t."title", i."title")` },
  task: { keyOf: sql<string | null>`u."taskUuid"`, nameOf: sql<string | null>`t."title"` },
  proposal: { keyOf: sql<string | null>`o."uuid"`, nameOf: sql<string | null>`o."title"` },
  idea: { keyOf: sql<string | null>`i."uuid"`, nameOf: sql<string | null>`i."title"` },
  project: { keyOf: sql<string | null>`u."projectUuid"`, nameOf: sql<string | null>`p."name"` },
  agent: { keyOf: sql<string | null>`u."agentUuid"`, nameOf: sql<string | null>`a."name"` },
  model: { keyOf: sql<string | null>`u."model"`, nameOf: sql<string | null>`u."model"` },
} as const

/** Each report once, with the task, plan, project, agent and idea that it was for. */
function spent({ db, actor }: OperationContext, input: Question) {
  let query = db
    .selectFrom("usages as u")
    .leftJoin("tasks as t", "t.uuid", "u.taskUuid")
    .leftJoin("proposals as o", "o.uuid", "t.proposalUuid")
    .leftJoin("projects as p", "p.uuid", "u.projectUuid")
    .leftJoin("agents as a", "a.uuid", "u.agentUuid")
    .leftJoin("ideas as i", (join) => join.on("i.uuid", "=", IDEA_OF))
    .where("u.workspaceUuid", "=", actor.workspaceUuid)
  if (actor.projectUuids !== null) query = query.where("u.projectUuid", "in", [...actor.projectUuids])
  if (input.projectUuid !== undefined) query = query.where("u.projectUuid", "=", input.projectUuid)
  if (input.taskUuid !== undefined) query = query.where("u.taskUuid", "=", input.taskUuid)
  if (input.proposalUuid !== undefined) query = query.where("t.proposalUuid", "=", input.proposalUuid)
  if (input.runUuid !== undefined) query = query.where("u.runUuid", "=", input.runUuid)
  if (input.agentUuid !== undefined) query = query.where("u.agentUuid", "=", input.agentUuid)
  if (input.ideaUuid !== undefined) query = query.where("i.uuid", "=", input.ideaUuid)
  // Times are kept to the millisecond and compared as text.
  if (input.since !== undefined) query = query.where("u.at", ">=", new Date(input.since).toISOString())
  return query
}

function totals(row: Omit<usage.UsageTotals, "totalTokens">): usage.UsageTotals {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, costUsd } = row
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens,
    costUsd,
    totalTokens: inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens,
  }
}

/** The only one it stands at; of a session that was closed before it told what it had used, the one that it stood at last. */
async function taskOfSession(db: Db, { uuid, status }: SessionRecord): Promise<string | null> {
  const stays = await db
    .selectFrom("checkins")
    .select(["taskUuid", "checkoutAt"])
    .where("sessionUuid", "=", uuid)
    .where("checkoutAt", status === "closed" ? "is not" : "is", null)
    .orderBy("checkoutAt", "desc")
    .limit(2)
    .execute()
  const [last, other] = stays
  return last === undefined || other?.checkoutAt === last.checkoutAt ? null : last.taskUuid
}
