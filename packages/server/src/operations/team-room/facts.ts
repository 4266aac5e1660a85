import { TEAM_LEAD, type TeamFact } from "@chorus/contracts"
import type { OperationContext } from "../../operation.ts"
import { dismissFailedLandings } from "./failed-landings.ts"
import { memberRow, teamRow } from "./team-row.ts"

interface Machine {
  readonly uuid: string
  readonly name: string
}

type FactOf<Kind extends TeamFact["fact"]> = Extract<TeamFact, { fact: Kind }>

/** Writes down one thing a companion saw of a team. The same fact twice changes nothing. */
export async function recordFact(context: OperationContext, machine: Machine, fact: TeamFact): Promise<void> {
  const teamUuid = await teamOf(context, machine, fact)
  if (fact.fact === "team_gone") return gone(context, teamUuid, fact)
  if (fact.fact === "member") return member(context, teamUuid, fact)
  if (fact.fact === "member_left") return left(context, teamUuid, fact)
  if (fact.fact === "message") return message(context, teamUuid, fact)
  if (fact.fact === "task") return task(context, teamUuid, fact)
  if (fact.fact === "request_settled") return settled(context, teamUuid, fact)
  if (fact.fact === "task_removed") return taskRemoved(context, teamUuid, fact)
}

async function teamOf(context: OperationContext, machine: Machine, fact: TeamFact): Promise<string> {
  const { db, now, newId, emit } = context
  const described =
    fact.fact === "team"
      ? { era: fact.era, description: fact.description ?? null, ledByChorus: fact.ledByChorus ? 1 : 0, goneAt: null }
      : {}
  const before = await db
    .selectFrom("teams")
    .selectAll()
    .where("machineUuid", "=", machine.uuid)
    .where("name", "=", fact.team)
    .executeTakeFirst()
  if (before !== undefined) {
    const known = await db
      .updateTable("teams")
      .set({ lastFactAt: now, ...described })
      .where("uuid", "=", before.uuid)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (differs(before, described))
      await announce(
        context,
        teamRow({ ...known, machine: machine.name }),
        before.goneAt === null ? "updated" : "created",
      )
    return known.uuid
  }
  const record = {
    uuid: newId(),
    machineUuid: machine.uuid,
    name: fact.team,
    era: "unknown",
    description: null,
    ledByChorus: 0,
    createdAt: now,
    lastFactAt: now,
    goneAt: null,
    ...described,
  }
  await db.insertInto("teams").values(record).execute()
  const row = teamRow({ ...record, machine: machine.name })
  emit({
    kind: "team.appeared",
    entityType: "team",
    entityUuid: record.uuid,
    projectUuid: null,
    action: "created",
    patch: { ...row, members: [] },
  })
  return record.uuid
}

/**
 * A team that came back, which is new to those who see only what is there, or that is described otherwise than before.
 */
async function announce(
  { db, emit }: OperationContext,
  team: ReturnType<typeof teamRow>,
  action: "created" | "updated",
): Promise<void> {
  const members = await db
    .selectFrom("teamMembers")
    .selectAll()
    .where("teamUuid", "=", team.uuid)
    .orderBy("name")
    .execute()
  emit({
    kind: "team.appeared",
    entityType: "team",
    entityUuid: team.uuid,
    projectUuid: null,
    action,
    patch: { ...team, members: members.map(memberRow) },
  })
}

function differs(before: object, now: object): boolean {
  const known = new Map(Object.entries(before))
  return Object.entries(now).some(([field, value]) => known.get(field) !== value)
}

async function gone(context: OperationContext, teamUuid: string, _fact: FactOf<"team_gone">): Promise<void> {
  const { db, now, emit } = context
  const left = await db
    .updateTable("teams")
    .set({ goneAt: now })
    .where("uuid", "=", teamUuid)
    .where("goneAt", "is", null)
    .returning("uuid")
    .executeTakeFirst()
  if (left === undefined) return
  await dismissFailedLandings(context, teamUuid)
  emit({
    kind: "team.gone",
    entityType: "team",
    entityUuid: teamUuid,
    projectUuid: null,
    action: "updated",
    patch: { goneAt: now },
  })
}

async function member(
  { db, emit }: OperationContext,
  teamUuid: string,
  { member: who, state, lead, progress, branch }: FactOf<"member">,
): Promise<void> {
  const row = {
    state,
    lead: lead ? 1 : 0,
    agentType: who.agentType ?? null,
    model: who.model ?? null,
    color: who.color ?? null,
    leftAt: null,
    lastLine: progress?.line ?? null,
    lastAt: progress?.at ?? null,
    microUsd: progress?.costUsd === undefined ? null : Math.round(progress.costUsd * 1e6),
    tokens: progress?.tokens ?? null,
    branch: branch ?? null,
  }
  const before = await db
    .selectFrom("teamMembers")
    .selectAll()
    .where("teamUuid", "=", teamUuid)
    .where("name", "=", who.name)
    .executeTakeFirst()
  if (before !== undefined && !differs(before, row)) return
  await db
    .insertInto("teamMembers")
    .values({ teamUuid, name: who.name, ...row })
    .onConflict((conflict) => conflict.columns(["teamUuid", "name"]).doUpdateSet(row))
    .execute()
  emit({
    kind: "team.member_changed",
    entityType: "team",
    entityUuid: teamUuid,
    projectUuid: null,
    action: "updated",
    patch: { member: memberRow({ name: who.name, ...row }) },
  })
}

async function left(
  { db, now, emit }: OperationContext,
  teamUuid: string,
  { name, branch }: FactOf<"member_left">,
): Promise<void> {
  const before = await db
    .selectFrom("teamMembers")
    .select(["leftAt", "branch"])
    .where("teamUuid", "=", teamUuid)
    .where("name", "=", name)
    .executeTakeFirst()
  if (before === undefined) return
  const row = { leftAt: before.leftAt ?? now, branch: branch === null ? null : before.branch }
  if (!differs(before, row)) return
  await db.updateTable("teamMembers").set(row).where("teamUuid", "=", teamUuid).where("name", "=", name).execute()
  emit({
    kind: "team.member_left",
    entityType: "team",
    entityUuid: teamUuid,
    projectUuid: null,
    action: "updated",
    patch: { member: { name, ...row } },
  })
}

async function message(
  { db, emit }: OperationContext,
  teamUuid: string,
  { id, from, to, kind, text, summary, sentAt }: FactOf<"message">,
): Promise<void> {
  const added = await db
    .insertInto("teamMessages")
    .values({ teamUuid, id, sender: from, recipient: to, kind, text, summary: summary ?? null, sentAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst()
  if (added === undefined) return
  emit({
    kind: "team.message_sent",
    entityType: "team",
    entityUuid: teamUuid,
    projectUuid: null,
    action: "updated",
    patch: { message: { id, from, to, kind, text, summary: summary ?? null, sentAt } },
  })
}

/** Stands among the messages, where it was said or came about; told again, it is what it was told first. */
async function settled(
  context: OperationContext,
  teamUuid: string,
  { team, at, settledAt = at, requestId, member: to, how, by, ...what }: FactOf<"request_settled">,
): Promise<void> {
  const text = JSON.stringify({ ...what, fact: undefined, type: "decision", requestId, how, by })
  const from = by ?? (how === "lead" ? TEAM_LEAD : to)
  const row = { id: `settled-${requestId}`, from, to, kind: "decision", text, sentAt: settledAt }
  return message(context, teamUuid, { fact: "message", team, at, ...row })
}

async function task(
  { db, emit }: OperationContext,
  teamUuid: string,
  { task: item, links }: FactOf<"task">,
): Promise<void> {
  const row = { task: JSON.stringify(item), links: JSON.stringify(links) }
  const before = await db
    .selectFrom("teamTasks")
    .selectAll()
    .where("teamUuid", "=", teamUuid)
    .where("taskId", "=", item.id)
    .executeTakeFirst()
  if (before !== undefined && !differs(before, row)) return
  await db
    .insertInto("teamTasks")
    .values({ teamUuid, taskId: item.id, ...row })
    .onConflict((conflict) => conflict.columns(["teamUuid", "taskId"]).doUpdateSet(row))
    .execute()
  emit({
    kind: "team.task_changed",
    entityType: "team",
    entityUuid: teamUuid,
    projectUuid: null,
    action: "updated",
    patch: { task: { task: item, taskUuids: links } },
  })
}

async function taskRemoved(
  { db, emit }: OperationContext,
  teamUuid: string,
  { taskId }: FactOf<"task_removed">,
): Promise<void> {
  const removed = await db
    .deleteFrom("teamTasks")
    .where("teamUuid", "=", teamUuid)
    .where("taskId", "=", taskId)
    .returning("taskId")
    .executeTakeFirst()
  if (removed === undefined) return
  emit({
    kind: "team.task_removed",
    entityType: "team",
    entityUuid: teamUuid,
    projectUuid: null,
    action: "updated",
    patch: { removedTaskId: taskId },
  })
}
