import { projects } from "@chorus/contracts"
import { sql } from "kysely"
import { operation } from "../../operation.ts"
import { offsetOf, pageOf } from "../../paging.ts"
import { groupRow } from "./project-row.ts"

export const listGroups = operation(projects.listGroups, async ({ db, actor }, input) => {
  const groups = db.selectFrom("projectGroups as g").where("g.workspaceUuid", "=", actor.workspaceUuid)
  const rows = await groups
    .select(["g.uuid", "g.name", "g.description", "g.createdAt", "g.updatedAt"])
    .select(sql<number>`(select count(*) from projects p where p."groupUuid" = g."uuid")`.as("projectCount"))
    .orderBy("g.createdAt", "desc")
    .orderBy("g.uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await groups.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  const { ungroupedCount } = await db
    .selectFrom("projects")
    .select(sql<number>`count(*)`.as("ungroupedCount"))
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("groupUuid", "is", null)
    .executeTakeFirstOrThrow()
  return { groups: rows, ungroupedCount, ...pageOf(input, rows.length, total) }
})

export const getGroup = operation(projects.getGroup, async ({ db, actor }, { groupUuid }) => {
  let members = db.selectFrom("projects").select(["uuid", "name", "description"]).where("groupUuid", "=", groupUuid)
  if (actor.projectUuids !== null) members = members.where("uuid", "in", [...actor.projectUuids, ""])
  return { ...(await groupRow(db, groupUuid)), projects: await members.orderBy("name").execute() }
})

export const createGroup = operation(projects.createGroup, async ({ db, actor, now, newId, emit }, input) => {
  const uuid = newId()
  await db
    .insertInto("projectGroups")
    .values({ uuid, workspaceUuid: actor.workspaceUuid, name: input.name, description: input.description ?? null, createdAt: now, updatedAt: now })
    .execute()
  const group = await groupRow(db, uuid)
  emit({ kind: "group.created", entityType: "project_group", entityUuid: uuid, projectUuid: null, action: "created", patch: group })
  return group
})

export const updateGroup = operation(projects.updateGroup, async ({ db, now, emit }, { groupUuid, ...changes }) => {
  await db.updateTable("projectGroups").set({ ...changes, updatedAt: now }).where("uuid", "=", groupUuid).execute()
  emit({ kind: "group.updated", entityType: "project_group", entityUuid: groupUuid, projectUuid: null, action: "updated", patch: { ...changes, updatedAt: now } })
  return groupRow(db, groupUuid)
})

export const deleteGroup = operation(projects.deleteGroup, async ({ db, now, emit }, { groupUuid }) => {
  const freed = await db.updateTable("projects").set({ groupUuid: null, updatedAt: now }).where("groupUuid", "=", groupUuid).returning("uuid").execute()
  await db.deleteFrom("projectGroups").where("uuid", "=", groupUuid).execute()
  emit({ kind: "group.deleted", entityType: "project_group", entityUuid: groupUuid, projectUuid: null, action: "deleted", patch: {} })
  for (const { uuid } of freed) {
    emit({ kind: "project.moved", entityType: "project", entityUuid: uuid, projectUuid: uuid, action: "updated", patch: { groupUuid: null, updatedAt: now } })
  }
  return { uuid: groupUuid, deleted: true as const }
})
