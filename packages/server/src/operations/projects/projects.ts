import { projects } from "@chorus/contracts"
import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { operation, readPage } from "../../operation.ts"
import { projectRow } from "./project-row.ts"
import { changeKey, freeKey } from "./short-ids.ts"

export const createProject = operation(projects.createProject, async (context, input) => {
  const { db, actor, now, newId, emit } = context
  const key = await freeKey(context, input.name)
  const row = await db
    .insertInto("projects")
    .values({
      uuid: newId(),
      workspaceUuid: actor.workspaceUuid,
      groupUuid: input.groupUuid ?? null,
      name: input.name,
      description: input.description ?? null,
      status: "active",
      settings: "{}",
      key,
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const project = projectRow(row)
  emit({
    kind: "project.created",
    entityType: "project",
    entityUuid: row.uuid,
    projectUuid: row.uuid,
    action: "created",
    patch: project,
  })
  return project
})

export const getProject = operation(projects.getProject, async ({ db }, { projectUuid }) => {
  return projectRow(
    await db.selectFrom("projects").selectAll().where("uuid", "=", projectUuid).executeTakeFirstOrThrow(),
  )
})

export const listProjects = operation(projects.listProjects, async ({ db, actor }, input) => {
  let query = db.selectFrom("projects").where("workspaceUuid", "=", actor.workspaceUuid)
  if (!input.includeArchived) query = query.where("status", "=", "active")
  if (actor.projectUuids !== null) query = query.where("uuid", "in", [...actor.projectUuids])
  const { rows, page } = await readPage(query.selectAll().orderBy("createdAt", "desc").orderBy("uuid"), input)
  const counts = await countsOf(
    db,
    rows.map(({ uuid }) => uuid),
  )
  return {
    projects: rows.map((row) => ({ ...projectRow(row), _count: counts.get(row.uuid) ?? NONE })),
    ...page,
  }
})

export const updateProject = operation(projects.updateProject, async (context, { projectUuid, ...changes }) => {
  const { db, now, emit } = context
  if (changes.key !== undefined) await changeKey(context, projectUuid, changes.key)
  const row = await db
    .updateTable("projects")
    .set({ ...changes, updatedAt: now })
    .where("uuid", "=", projectUuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  emit({
    kind: "project.updated",
    entityType: "project",
    entityUuid: projectUuid,
    projectUuid,
    action: "updated",
    patch: { ...changes, updatedAt: now },
  })
  return projectRow(row)
})

export const moveProject = operation(projects.moveProject, async ({ db, now, emit }, { projectUuid, groupUuid }) => {
  const row = await db
    .updateTable("projects")
    .set({ groupUuid, updatedAt: now })
    .where("uuid", "=", projectUuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  emit({
    kind: "project.moved",
    entityType: "project",
    entityUuid: projectUuid,
    projectUuid,
    action: "updated",
    patch: { groupUuid, updatedAt: now },
  })
  return projectRow(row)
})

const NONE = { ideas: 0, tasks: 0, openTasks: 0 }

/** How much there is in each of some projects, in two queries. */
async function countsOf(db: Db, projectUuids: readonly string[]): Promise<Map<string, typeof NONE>> {
  if (projectUuids.length === 0) return new Map()
  const ideas = await db
    .selectFrom("ideas")
    .select(["projectUuid", sql<number>`count(*)`.as("ideas")])
    .where("projectUuid", "in", projectUuids)
    .groupBy("projectUuid")
    .execute()
  const tasks = await db
    .selectFrom("tasks")
    .select([
      "projectUuid",
      sql<number>`count(*)`.as("tasks"),
      sql<number>`sum(case when "status" in ('done', 'closed') then 0 else 1 end)`.as("openTasks"),
    ])
    .where("projectUuid", "in", projectUuids)
    .groupBy("projectUuid")
    .execute()
  const counts = new Map(projectUuids.map((uuid) => [uuid, { ...NONE }]))
  for (const { projectUuid, ...counted } of [...ideas, ...tasks]) Object.assign(counts.get(projectUuid) ?? {}, counted)
  return counts
}
