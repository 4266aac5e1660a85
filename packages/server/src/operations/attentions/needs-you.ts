import { type ActorKind, attentions } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { namesOf, operation, type OperationContext, readPage } from "../../operation.ts"
import { PENDING } from "../checks/check-record.ts"
import { LIVE } from "../runs/waits.ts"
import { withoutDoubles } from "./asked-twice.ts"
import { attentionRows } from "./attention-row.ts"

interface Waiting {
  readonly kind: attentions.WaitingItem["kind"]
  readonly uuid: string
  readonly title: string
  readonly shortId?: string | null
  readonly projectUuid: string | null
  readonly since: string
  readonly fromType: ActorKind | null
  readonly fromUuid: string | null
  readonly ideaUuid: string | null
  readonly session?: attentions.WaitingItem["session"]
  readonly task?: attentions.WaitingItem["task"]
  readonly dueOn?: string | null
  readonly attention: attentions.AttentionRow | null
}

/** Longer queues are cut here: what lapses comes first, then the oldest. */
const MOST_PER_KIND = 200

/** What waits of one kind, as far as it is told, and how much there is of it. */
interface Queue {
  readonly rows: readonly Waiting[]
  readonly total: number
}

const FIRST = { page: 1, pageSize: MOST_PER_KIND }
const NOTHING: Queue = { rows: [], total: 0 }

export const needsYou = operation(attentions.needsYou, async (context, { projectUuid }) => {
  const { items, queues } = await waitingFor(context, projectUuid)
  const counts = {
    elaboration: queues.elaboration.total,
    proposal: queues.proposal.total,
    task: queues.task.total,
    attention: queues.attention.total,
    delivery: queues.delivery.total,
  }
  return { items, counts, total: Object.values(counts).reduce((sum, each) => sum + each, 0) }
})

/** Everything that only a person moves on, oldest first. */
export async function thingsForPeople(
  context: OperationContext,
  projectUuid: string | undefined,
): Promise<attentions.WaitingItem[]> {
  return (await waitingFor(context, projectUuid)).items
}

async function waitingFor(
  context: OperationContext,
  projectUuid: string | undefined,
): Promise<{ items: attentions.WaitingItem[]; queues: Record<Waiting["kind"], Queue> }> {
  const { db, actor } = context
  const projects = await projectsOf(context, projectUuid)
  const uuids = [...projects.keys()]
  const may = (permission: "idea:read" | "proposal:read" | "task:read") => actor.permissions.has(permission)
  const queues = {
    elaboration: may("idea:read") ? await openRounds(db, uuids) : NOTHING,
    proposal: may("proposal:read") ? await pendingProposals(db, uuids) : NOTHING,
    task: may("task:read") ? await workToVerify(db, uuids) : NOTHING,
    attention: await openAttentions(context, uuids, projectUuid === undefined),
    delivery: projectUuid === undefined ? await undelivered(context) : NOTHING,
  }
  const waiting = Object.values(queues).flatMap(({ rows }) => rows)
  const nameOf = await namesOf(
    db,
    waiting.map((item) => item.fromUuid),
  )
  const items = waiting
    .toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
    .map(({ fromType, fromUuid, ...item }) => ({
      task: null,
      dueOn: null,
      shortId: null,
      session: null,
      ...item,
      projectName: item.projectUuid === null ? null : (projects.get(item.projectUuid) ?? null),
      from: nameOf(fromType, fromUuid),
    }))
  return { items, queues }
}

async function projectsOf(
  { db, actor }: OperationContext,
  projectUuid: string | undefined,
): Promise<Map<string, string>> {
  let query = db
    .selectFrom("projects")
    .select(["uuid", "name"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("status", "=", "active")
  if (projectUuid !== undefined) query = query.where("uuid", "=", projectUuid)
  if (actor.projectUuids !== null) query = query.where("uuid", "in", [...actor.projectUuids])
  return new Map((await query.execute()).map(({ uuid, name }) => [uuid, name]))
}

/** Rounds that wait for answers, and those that an agent answered and nobody who may has accepted. */
async function openRounds(db: Db, projectUuids: readonly string[]): Promise<Queue> {
  const query = db
    .selectFrom("elaborationRounds as r")
    .innerJoin("ideas as i", "i.uuid", "r.ideaUuid")
    .select([
      "r.uuid",
      "i.uuid as ideaUuid",
      "i.title",
      "i.shortId",
      "i.projectUuid",
      "r.createdAt as since",
      "r.createdByType as fromType",
      "r.createdByUuid as fromUuid",
    ])
    .where("i.projectUuid", "in", projectUuids)
    .where(({ or, and, eb }) =>
      or([
        eb("r.status", "=", "pending_answers"),
        and([
          eb("i.status", "=", "elaborating"),
          eb("i.elaborationStatus", "=", "validating"),
          eb("r.validatedAt", "is", null),
          eb("r.askAgain", "=", 0),
        ]),
      ]),
    )
    .orderBy("r.createdAt")
  const { rows, page } = await readPage(query, FIRST)
  return { rows: rows.map((row) => ({ ...row, kind: "elaboration", attention: null })), total: page.total }
}

export async function pendingProposals(db: Db, projectUuids: readonly string[]): Promise<Queue> {
  const query = db
    .selectFrom("proposals")
    .select([
      "uuid",
      "title",
      "projectUuid",
      "submittedAt",
      "updatedAt",
      "createdByType as fromType",
      "createdByUuid as fromUuid",
    ])
    .where("projectUuid", "in", projectUuids)
    .where("status", "=", "pending")
    .orderBy("submittedAt")
  const { rows, page } = await readPage(query, FIRST)
  const waiting = rows.map(({ submittedAt, updatedAt, ...row }) => ({
    ...row,
    kind: "proposal" as const,
    since: submittedAt ?? updatedAt,
    ideaUuid: null,
    attention: null,
  }))
  return { rows: waiting, total: page.total }
}

export async function workToVerify(db: Db, projectUuids: readonly string[]): Promise<Queue> {
  const query = db
    .selectFrom("tasks")
    .select([
      "uuid",
      "title",
      "shortId",
      "projectUuid",
      "dueOn",
      "submittedAt",
      "updatedAt",
      "assigneeType as fromType",
      "assigneeUuid as fromUuid",
    ])
    .where("projectUuid", "in", projectUuids)
    .where("status", "=", "to_verify")
    // What a reviewer is still to read, or reads, is not asked about before.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("runs as r")
            .select("r.uuid")
            .whereRef("r.taskUuid", "=", "tasks.uuid")
            .where("r.work", "=", "review")
            .where("r.state", "in", LIVE),
        ),
      ),
    )
    // Nor is what Chorus still checks: it may go back by itself.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("checks as c")
            .select("c.uuid")
            .whereRef("c.taskUuid", "=", "tasks.uuid")
            .where("c.decides", "=", 1)
            .where("c.state", "in", PENDING),
        ),
      ),
    )
    .orderBy("submittedAt")
  const { rows, page } = await readPage(query, FIRST)
  const waiting = rows.map(({ submittedAt, updatedAt, ...row }) => ({
    ...row,
    kind: "task" as const,
    since: submittedAt ?? updatedAt,
    ideaUuid: null,
    attention: null,
  }))
  return { rows: waiting, total: page.total }
}

async function openAttentions(
  { db, actor, now }: OperationContext,
  projectUuids: readonly string[],
  anywhere: boolean,
): Promise<Queue> {
  let query = db
    .selectFrom("attentions")
    .selectAll()
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("answeredAt", "is", null)
    .where("withdrawnAt", "is", null)
    .where(({ or, eb }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]))
    .where(({ or, eb }) =>
      or([eb("projectUuid", "in", projectUuids), ...(anywhere ? [eb("projectUuid", "is", null)] : [])]),
    )
  if (actor.type === "agent") query = query.where("agentUuid", "=", actor.uuid)
  query = query.orderBy("expiresAt", (lapse) => lapse.asc().nullsLast()).orderBy("createdAt")
  const { rows, page } = await readPage(query, FIRST)
  const records = await withoutDoubles(db, rows)
  const taskOf = await tasksOf(db, records)
  const sessions = await db
    .selectFrom("sessions")
    .select(["uuid", "name", "machine"])
    .where("uuid", "in", present(records.map(({ sessionUuid }) => sessionUuid)))
    .execute()
  const sessionOf = new Map(sessions.map(({ uuid, ...session }) => [uuid, session]))
  const waiting = (await attentionRows(db, records, now)).map((attention) => ({
    kind: "attention" as const,
    uuid: attention.uuid,
    title: attention.title,
    projectUuid: attention.projectUuid,
    since: attention.createdAt,
    fromType: attention.agent?.type ?? null,
    fromUuid: attention.agent?.uuid ?? null,
    ideaUuid: null,
    ...taskOf(attention.uuid),
    session: sessionOf.get(attention.sessionUuid ?? "") ?? null,
    attention,
  }))
  return { rows: waiting, total: page.total - rows.length + records.length }
}

/**
 * The task each question names, or else the one its run or session is at: a person decides about work, not about a
 * command line.
 */
async function tasksOf(
  db: Db,
  asked: readonly Schema["attentions"][],
): Promise<(attentionUuid: string) => Pick<attentions.WaitingItem, "task" | "dueOn">> {
  const runs = await db
    .selectFrom("runs")
    .select(["uuid", "taskUuid"])
    .where("uuid", "in", present(asked.map(({ runUuid }) => runUuid)))
    .execute()
  const stays = await db
    .selectFrom("checkins")
    .select(["sessionUuid", "taskUuid"])
    .where("sessionUuid", "in", present(asked.map(({ sessionUuid }) => sessionUuid)))
    .where("checkoutAt", "is", null)
    .execute()
  const named = asked.map(({ uuid, taskUuid, runUuid, sessionUuid }) => {
    const ofRun = runs.find((run) => run.uuid === runUuid)?.taskUuid
    const ofSession = stays.filter((stay) => stay.sessionUuid === sessionUuid)
    return [uuid, taskUuid ?? ofRun ?? (ofSession.length === 1 ? ofSession[0]?.taskUuid : undefined) ?? null] as const
  })
  const tasks = await db
    .selectFrom("tasks")
    .select(["uuid", "shortId", "title", "dueOn"])
    .where("uuid", "in", present(named.map(([, taskUuid]) => taskUuid)))
    .execute()
  const about = new Map(named)
  return (uuid) => {
    const found = tasks.find((each) => each.uuid === about.get(uuid))
    if (found === undefined) return { task: null, dueOn: null }
    const { dueOn, ...task } = found
    return { task, dueOn }
  }
}

function present<T>(values: readonly (T | null)[]): T[] {
  return values.filter((value) => value !== null)
}

/** What the person said to some machine, and that did not get there. */
async function undelivered({ db, actor }: OperationContext): Promise<Queue> {
  const query = db
    .selectFrom("deliveries")
    .select(["uuid", "title", "createdAt", "settledAt"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("byUuid", "=", actor.uuid)
    .where("state", "=", "dead")
    .where("kind", "in", ["answer", "order"])
    .orderBy("createdAt")
  const { rows, page } = await readPage(query, FIRST)
  const waiting = rows.map(({ uuid, title, createdAt, settledAt }) => ({
    kind: "delivery" as const,
    uuid,
    title,
    projectUuid: null,
    since: settledAt ?? createdAt,
    fromType: null,
    fromUuid: null,
    ideaUuid: null,
    attention: null,
  }))
  return { rows: waiting, total: page.total }
}
