import { projects } from "@chorus/contracts"
import { sql } from "kysely"
import { offsetOf, operation, pageOf } from "../../operation.ts"
import { groupRow, selectGroups } from "./project-row.ts"

export const listGroups = operation(projects.listGroups, async ({ db, actor }, input) => {
  const rows = await selectGroups(db, actor)
    .where("g.workspaceUuid", "=", actor.workspaceUuid)
    .orderBy("g.createdAt", "desc")
    .orderBy("g.uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const groups = selectGroups(db, actor).where("g.workspaceUuid", "=", actor.workspaceUuid)
  const { total } = await db
    .selectFrom(groups.as("seen"))
    .select(sql<number>`count(*)`.as("total"))
    .executeTakeFirstOrThrow()
  let ungrouped = db
    .selectFrom("projects")
    .where("workspaceUuid", "=", actor.workspaceUuid)
    .where("groupUuid", "is", null)
  if (actor.projectUuids !== null) ungrouped = ungrouped.where("uuid", "in", [...actor.projectUuids])
  const { ungroupedCount } = await ungrouped
    .select(sql<number>`count(*)`.as("ungroupedCount"))
    .executeTakeFirstOrThrow()
  return { groups: rows, ungroupedCount, ...pageOf(input, rows.length, total) }
})

export const getGroup = operation(projects.getGroup, async ({ db, actor }, { groupUuid }) => {
  let members = db.selectFrom("projects").select(["uuid", "name", "description"]).where("groupUuid", "=", groupUuid)
  if (actor.projectUuids !== null) members = members.where("uuid", "in", [...actor.projectUuids])
  return { ...(await groupRow(db, groupUuid, actor)), projects: await members.orderBy("name").execute() }
})

export const createGroup = operation(projects.createGroup, async ({ db, actor, now, newId, emit }, input) => {
  const uuid = newId()
  await db
    .insertInto("projectGroups")
    .values({
      uuid,
      workspaceUuid: actor.workspaceUuid,
      name: input.name,
      description: input.description ?? null,
      createdAt: now,
      updatedAt: now,
    })
    .execute()
  const group = await groupRow(db, uuid, actor)
  emit({
    kind: "group.created",
    entityType: "project_group",
    entityUuid: uuid,
    projectUuid: null,
    action: "created",
    patch: group,
  })
  return group
})

export const updateGroup = operation(
  projects.updateGroup,
  async ({ db, actor, now, emit }, { groupUuid, ...changes }) => {
    await db
      .updateTable("projectGroups")
      .set({ ...changes, updatedAt: now })
      .where("uuid", "=", groupUuid)
      .execute()
    emit({
      kind: "group.updated",
      entityType: "project_group",
      entityUuid: groupUuid,
      projectUuid: null,
      action: "updated",
      patch: { ...changes, updatedAt: now },
    })
    return groupRow(db, groupUuid, actor)
  },
)

export const deleteGroup = operation(projects.deleteGroup, async ({ db, now, emit }, { groupUuid }) => {
  const freed = await db
    .updateTable("projects")
    .set({ groupUuid: null, updatedAt: now })
    .where("groupUuid", "=", groupUuid)
    .returning("uuid")
    .execute()
  await db.deleteFrom("projectGroups").where("uuid", "=", groupUuid).execute()
  emit({
    kind: "group.deleted",
    entityType: "project_group",
    entityUuid: groupUuid,
    projectUuid: null,
    action: "deleted",
    patch: {},
  })
  for (const { uuid } of freed) {
    emit({
      kind: "project.moved",
      entityType: "project",
      entityUuid: uuid,
      projectUuid: uuid,
      action: "updated",
      patch: { groupUuid: null, updatedAt: now },
    })
  }
  return { uuid: groupUuid, deleted: true as const }
})
