import { work } from "@chorus/contracts"
import { lastPosition } from "@chorus/store"
import { operation } from "../../operation.ts"
import { checkinRow, selectCheckins, sessionRow } from "../sessions/session-record.ts"
import { workSettings } from "./settings.ts"

export const getPresence = operation(work.getPresence, async ({ db, actor, now }, { projectUuid }) => {
  const position = await lastPosition(db, actor.workspaceUuid)
  const { sessionInactiveMinutes } = await workSettings(db, actor.workspaceUuid)
  const agents = await db
    .selectFrom("agents")
    .select(["uuid", "name", "ownerUuid", "lastActiveAt"])
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("archivedAt", "is", null)
    .orderBy("name")
    .orderBy("uuid")
    .execute()
  const sessions = await db
    .selectFrom("sessions as s")
    .innerJoin("agents as a", "a.uuid", "s.agentUuid")
    .selectAll("s")
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
    .where("s.status", "=", "active")
    .orderBy("s.lastActiveAt", "desc")
    .orderBy("s.uuid")
    .execute()
  const seen = projectUuid === undefined ? actor.projectUuids && [...actor.projectUuids] : [projectUuid]
  let staysQuery = selectCheckins(db)
    .innerJoin("tasks as t", "t.uuid", "c.taskUuid")
    .where("c.checkoutAt", "is", null)
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
  let workQuery = db
    .selectFrom("tasks as t")
    .innerJoin("agents as a", "a.uuid", "t.assigneeUuid")
    .select(["t.uuid", "t.shortId", "t.title", "t.projectUuid", "t.assigneeUuid", "t.startedAt"])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom("checkins as c")
          .innerJoin("sessions as s", "s.uuid", "c.sessionUuid")
          .select("c.uuid")
          .whereRef("c.taskUuid", "=", "t.uuid")
          .whereRef("s.agentUuid", "=", "t.assigneeUuid"),
      ).as("wasInSession"),
    )
    .where("a.workspaceUuid", "=", actor.workspaceUuid)
    .where("t.status", "=", "in_progress")
  if (seen !== null) {
    staysQuery = staysQuery.where("t.projectUuid", "in", seen)
    workQuery = workQuery.where("t.projectUuid", "in", seen)
  }
  const stays = Map.groupBy(
    (await staysQuery.orderBy("c.checkinAt").orderBy("c.uuid").execute()).map(checkinRow),
    (stay) => stay.sessionUuid,
  )
  const inProgress = Map.groupBy(
    await workQuery.orderBy("t.updatedAt").orderBy("t.uuid").execute(),
    (task) => task.assigneeUuid,
  )
  // A session belongs to no project; whoever is kept to some sees its own, and those at work there.
  const isSeen = ({ uuid, agentUuid }: (typeof sessions)[number]) =>
    actor.projectUuids === null || agentUuid === actor.uuid || stays.has(uuid)
  const sessionsOf = Map.groupBy(sessions.filter(isSeen), (session) => session.agentUuid)
  return {
    agents: agents.map((agent) => ({
      ...agent,
      // Calls are noted a little later; whoever began a task was there at that moment.
      lastActiveAt: agent.lastActiveAt ?? inProgress.get(agent.uuid)?.at(-1)?.startedAt ?? null,
      sessions: (sessionsOf.get(agent.uuid) ?? []).map((session) => ({
        ...sessionRow(session, now, sessionInactiveMinutes),
        working: stays.get(session.uuid) ?? [],
      })),
      inProgress: (inProgress.get(agent.uuid) ?? []).map((task) => ({
        uuid: task.uuid,
        shortId: task.shortId ?? task.uuid,
        title: task.title,
        projectUuid: task.projectUuid,
        wasInSession: Boolean(task.wasInSession),
      })),
    })),
    position,
  }
})
