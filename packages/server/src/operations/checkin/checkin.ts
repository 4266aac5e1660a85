import { ACTIONS, checkin as contract, type OutputOf, RESOURCES } from "@chorus/contracts"
import { type Db, lastPosition } from "@chorus/store"
import { sql } from "kysely"
import { type Actor, mayRead, operation, type OperationContext } from "../../operation.ts"
import { cutAt, waitsOf } from "../inbox/inbox.ts"
import { toldTo, unreadCount } from "../notifications/notifications.ts"
import { focusedProjects } from "./focused-projects.ts"
import { byProject, heldIdeas, heldTasks } from "./trackers.ts"

export type Checkin = OutputOf<typeof contract.checkin>

const MOST_IDEAS = 10
const MOST_TASKS = 20
const MOST_PROJECTS = 20
const MOST_NEWS = 5
const MOST_MESSAGE = 500
const MOST_NEXT = 5
const MOST_NOTE = 1000
const MOST_ASSIGNMENTS = 100

export const checkin = operation(contract.checkin, checkInSelf)

export const getMyAssignments = operation(contract.getMyAssignments, async (context) => {
  const { db, actor } = context
  const projects = await focusedProjects(context)
  const ideas = await heldIdeas(db, actor, projects, MOST_ASSIGNMENTS)
  const tasks = await heldTasks(db, actor, projects, MOST_ASSIGNMENTS)
  return {
    ideaTracker: byProject(projects, ideas, "ideas"),
    taskTracker: byProject(projects, tasks, "tasks"),
    ideas,
    tasks,
  }
})

/** The caller says that it is there, and hears who it is, what it holds and what is new. */
export async function checkInSelf(context: OperationContext): Promise<Checkin> {
  const { db, actor, now, emit } = context
  if (actor.type === "agent") {
    await db.updateTable("agents").set({ lastActiveAt: now }).where("uuid", "=", actor.uuid).execute()
    emit({
      kind: "agent.checked_in",
      entityType: "agent",
      entityUuid: actor.uuid,
      projectUuid: null,
      action: "updated",
      patch: { lastActiveAt: now },
    })
  }
  return ownStanding(context)
}

/** What a check-in tells, without one. */
export async function ownStanding(context: OperationContext): Promise<Checkin> {
  const { db, actor, now } = context
  const cursor = await lastPosition(db, actor.workspaceUuid)
  const projects = await focusedProjects(context)
  const ideas = await heldIdeas(db, actor, projects, MOST_IDEAS)
  const tasks = await heldTasks(db, actor, projects, MOST_TASKS)
  const waits = await waitsOf(
    context,
    projects.map(({ uuid }) => uuid),
  )
  return {
    checkinTime: now,
    agent: await self(db, actor),
    ideaTracker: byProject(projects, ideas, "ideas"),
    taskTracker: byProject(projects, tasks, "tasks"),
    activeProjects: await activity(db, actor, projects.slice(0, MOST_PROJECTS)),
    assignments: { ideas: ideas.length, tasks: tasks.length },
    notifications: await news(context),
    next: waits
      .slice(0, MOST_NEXT)
      .map((item) => (item.note === undefined ? item : { ...item, note: cutAt(item.note, MOST_NOTE, "inbox") })),
    cursor,
  }
}

async function self(db: Db, actor: Actor) {
  const agent = await db
    .selectFrom("agents")
    .select(["persona", "systemPrompt", "presets"])
    .where("uuid", "=", actor.uuid)
    .executeTakeFirst()
  const owner = await db
    .selectFrom("users")
    .select(["uuid", "name", "email"])
    .where("uuid", "=", actor.ownerUuid ?? actor.uuid)
    .executeTakeFirst()
  const allowed = RESOURCES.map(
    (resource) => [resource, ACTIONS.filter((action) => actor.permissions.has(`${resource}:${action}`))] as const,
  )
  return {
    uuid: actor.uuid,
    name: actor.name,
    type: actor.type,
    roles: agent === undefined ? [actor.role ?? actor.type] : (JSON.parse(agent.presets) as string[]),
    permissions: Object.fromEntries(allowed.filter(([, actions]) => actions.length > 0)),
    persona: agent?.persona ?? null,
    systemPrompt: agent?.systemPrompt ?? null,
    owner: owner ?? null,
  }
}

async function activity(db: Db, actor: Actor, projects: readonly { uuid: string; name: string }[]) {
  if (projects.length === 0 || !mayRead(actor, "project")) return []
  const uuids = projects.map((project) => project.uuid)
  const ideas = await db
    .selectFrom("ideas as i")
    .leftJoin("ideaStandings as s", "s.ideaUuid", "i.uuid")
    .select(["i.projectUuid", sql<number>`count(*)`.as("total")])
    .where("i.projectUuid", "in", uuids)
    .where((where) => where.or([where("s.derivedStatus", "is", null), where("s.derivedStatus", "<>", "done")]))
    .groupBy("i.projectUuid")
    .execute()
  const tasks = await db
    .selectFrom("tasks")
    .select(["projectUuid", sql<number>`count(*)`.as("total")])
    .where("projectUuid", "in", uuids)
    .where("status", "in", ["open", "assigned", "in_progress", "to_verify"])
    .groupBy("projectUuid")
    .execute()
  return projects.map(({ uuid, name }) => {
    const activeIdeas = ideas.find((row) => row.projectUuid === uuid)?.total ?? 0
    return {
      uuid,
      name,
      activeIdeas,
      activeIdeaCount: activeIdeas,
      openTasks: tasks.find((row) => row.projectUuid === uuid)?.total ?? 0,
    }
  })
}

/** The latest unread notifications. They stay unread: whoever goes on with the cursor has read them. */
async function news({ db, actor }: OperationContext) {
  const unread = await unreadCount(db, actor)
  const rows = await toldTo(db, actor)
    .selectAll()
    .where("readAt", "is", null)
    .where("archivedAt", "is", null)
    .orderBy("createdAt", "desc")
    .orderBy("uuid", "desc")
    .limit(MOST_NEWS)
    .execute()
  return {
    unread,
    recent: rows.map((row) => ({
      uuid: row.uuid,
      action: row.action,
      entity: row.entityType,
      entityUuid: row.entityUuid,
      title: row.entityTitle,
      actor: row.actorName,
      at: row.createdAt,
      message: cutAt(row.message, MOST_MESSAGE, row.entityType),
    })),
  }
}
