import { ChorusError, work } from "@chorus/contracts"
import { type Lease, leaseOf, patienceWith } from "@chorus/core"
import { operation, type OperationContext } from "../../operation.ts"
import { findTask, holderOf, type TaskRecord, wrongStatus } from "../tasks/task-record.ts"
import { LOST } from "./session-record.ts"
import { endWork, HELD_BY_NOBODY, takeStep } from "../tasks/task-step.ts"
import { minutesBefore, workSettings } from "../task-work/settings.ts"

export const reclaimTask = operation(work.reclaimTask, async (context, { taskUuid }) => {
  const task = await findTask(context.db, taskUuid)
  const lease = await leaseOn(context, task, "settled")
  if (lease.state === "none") throw wrongStatus(task, "reclaim")
  if (lease.state !== "lapsed") throw leaseHeld(task, lease, (await holderOf(context.db, task))?.name ?? "somebody")
  const { uuid, title, status } = await takeBack(context, task, lease.silentSince)
  return { uuid, title, status }
})

export const returnLapsedTasks = operation(work.returnLapsedTasks, async (context) => ({
  returned: await returnLapsed(context),
}))

/**
 * Work that died is ready for others again, unless the workspace wants a person to look first. What somebody else
 * assigned waits for its agent.
 */
async function returnLapsed(context: OperationContext): Promise<number> {
  const { db, actor, now } = context
  const { lapsedTasks, leaseMinutes } = await workSettings(db, actor.workspaceUuid)
  if (lapsedTasks === "keep") return 0
  const held = await db
    .selectFrom("tasks as t")
    .innerJoin("projects as p", "p.uuid", "t.projectUuid")
    .selectAll("t")
    .where("p.workspaceUuid", "=", actor.workspaceUuid)
    .where("t.assigneeType", "=", "agent")
    .where("t.assignedAt", "<", minutesBefore(now, patienceWith({ process: "some" }, leaseMinutes)))
    .where(({ or, and, eb, ref }) =>
      or([
        eb("t.status", "=", "in_progress"),
        and([eb("t.status", "=", "assigned"), eb("t.assignedByUuid", "=", ref("t.assigneeUuid"))]),
      ]),
    )
    .orderBy("t.createdAt")
    .orderBy("t.uuid")
    .execute()
  let returned = 0
  for (const task of held) {
    const lease = await leaseOn(context, task, "settled")
    if (lease.state !== "lapsed") continue
    try {
      await takeBack(context, task, lease.silentSince)
      returned++
    } catch (error) {
      // Somebody moved it in the meantime; it is theirs then.
      if (!(error instanceof ChorusError) || error.code !== "changed_meanwhile") throw error
    }
  }
  return returned
}

async function takeBack(context: OperationContext, task: TaskRecord, silentSince: string): Promise<TaskRecord> {
  const from = await holderOf(context.db, task)
  const open = await takeStep(context, task, "reclaim", HELD_BY_NOBODY, { title: task.title, from, silentSince })
  await endWork(context, task, "task_reclaimed")
  return open
}

/**
 * The hold on a task, by the signs of life of whoever is at it. Sub-agents share a key, so a sibling's life is no sign:
 * where sessions stood at the task since it was taken, only theirs count. Where none did, the holder's sessions that
 * are at nothing else speak for it, and for an agent without any session its key.
 */
export async function leaseOn(
  context: Pick<OperationContext, "db" | "engine" | "actor" | "now">,
  task: TaskRecord,
  signs: "seen" | "settled" = "seen",
): Promise<Lease> {
  const { db, actor, now } = context
  const { leaseMinutes } = await workSettings(db, actor.workspaceUuid)
  const report = await db
    .selectFrom("workReports")
    .select(({ fn }) => fn.max("createdAt").as("at"))
    .where("taskUuid", "=", task.uuid)
    .where("authorUuid", "=", task.assigneeUuid)
    .executeTakeFirst()
  const sessions = await signsOf(context, task, signs)
  const signsOfLife = [task.assignedAt, task.startedAt, report?.at ?? null, ...sessions.map(({ at }) => at)]
  const minutes = Math.max(0, ...sessions.map((session) => patienceWith(session, leaseMinutes))) || leaseMinutes
  return leaseOf({ ...task, signsOfLife }, now, minutes)
}

async function signsOf(
  { db, engine }: Pick<OperationContext, "db" | "engine">,
  { uuid, assigneeUuid, assignedAt }: TaskRecord,
  signs: "seen" | "settled",
): Promise<{ at: string; process: string | null }[]> {
  if (assigneeUuid === null) return []
  const stays = db
    .selectFrom("checkins as c")
    .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
    .select(["c.checkinAt", "c.checkoutAt", "c.checkoutReason", "s.lastActiveAt", "s.process"])
    .where("c.taskUuid", "=", uuid)
    .where("s.agentUuid", "=", assigneeUuid)
    .where("c.checkinAt", ">=", assignedAt ?? "")
  // Who takes the task away waits for a heartbeat that is being written: it comes before or after, never beside.
  const stayed = await (engine === "postgres" && signs === "settled" ? stays.forUpdate("s") : stays).execute()
  // Whoever left before another came has been taken over from.
  const speak = stayed.filter(
    ({ checkoutAt: left }) => left === null || !stayed.some(({ checkinAt }) => checkinAt > left),
  )
  if (speak.length > 0)
    return speak.map(({ checkoutAt, checkoutReason, lastActiveAt, process }) => ({
      at: checkoutAt ?? lastActiveAt,
      // Whoever left in good order may come back to it.
      process: checkoutAt === null || checkoutReason === LOST ? process : null,
    }))
  const sessions = await db
    .selectFrom("sessions as s")
    .leftJoin("checkins as c", (join) => join.onRef("c.sessionUuid", "=", "s.uuid").on("c.checkoutAt", "is", null))
    .select(["s.lastActiveAt as at", "s.process", "c.uuid as elsewhere"])
    .where("s.agentUuid", "=", assigneeUuid)
    .orderBy("s.lastActiveAt", "desc")
    .execute()
  if (sessions.length > 0) return sessions.filter(({ elsewhere }) => elsewhere === null).slice(0, 1)
  const agent = await db.selectFrom("agents").select("lastActiveAt").where("uuid", "=", assigneeUuid).executeTakeFirst()
  return agent?.lastActiveAt ? [{ at: agent.lastActiveAt, process: null }] : []
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
