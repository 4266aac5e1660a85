import type { Db } from "@chorus/store"
import { sql } from "kysely"
import { type Actor, mayRead } from "../../operation.ts"
import { standingsOf } from "../ideas/standings.ts"

interface Project {
  readonly uuid: string
  readonly name: string
}

/** What is assigned to the caller, or to the person it belongs to; its own first. */
export function holdersFor({ uuid, ownerUuid }: Actor): string[] {
  return ownerUuid === null ? [uuid] : [uuid, ownerUuid]
}

/** The ideas the caller holds that are not done. */
export async function heldIdeas(db: Db, actor: Actor, projects: readonly Project[], limit: number) {
  if (projects.length === 0 || !mayRead(actor, "idea")) return []
  const rows = await db
    .selectFrom("ideas as i")
    .leftJoin("ideaStandings as s", "s.ideaUuid", "i.uuid")
    .select(["i.uuid", "i.shortId", "i.title", "i.status", "i.projectUuid"])
    .select(sql<number>`(select count(*) from "proposalInputs" p where p."ideaUuid" = i."uuid")`.as("proposals"))
    .select(
      sql<number>`(select count(*) from tasks t join "proposalInputs" p on p."proposalUuid" = t."proposalUuid" where p."ideaUuid" = i."uuid")`.as(
        "tasks",
      ),
    )
    .where("i.assigneeUuid", "in", holdersFor(actor))
    .where(
      "i.projectUuid",
      "in",
      projects.map((project) => project.uuid),
    )
    .where((where) => where.or([where("s.derivedStatus", "is", null), where("s.derivedStatus", "<>", "done")]))
    .orderBy(sql`case when i."assigneeUuid" = ${actor.uuid} then 0 else 1 end`)
    .orderBy("i.updatedAt", "desc")
    .orderBy("i.uuid")
    .limit(limit)
    .execute()
  const standings = await standingsOf(
    db,
    rows.map((row) => row.uuid),
  )
  return rows.map((row) => ({
    ...row,
    shortId: row.shortId ?? row.uuid,
    ...(standings.get(row.uuid) ?? { derivedStatus: "todo" as const, badgeHint: "open" as const }),
  }))
}

/** The tasks the caller holds that are neither done nor closed. */
export async function heldTasks(db: Db, actor: Actor, projects: readonly Project[], limit: number) {
  if (projects.length === 0 || !mayRead(actor, "task")) return []
  const rows = await db
    .selectFrom("tasks")
    .select([
      "uuid",
      "shortId",
      "title",
      "status",
      "priority",
      "storyPoints",
      "proposalUuid",
      "projectUuid",
      "openDependencies",
      "assignedAt",
      "criteriaPassed",
      "criteriaTotal",
    ])
    .where("assigneeUuid", "in", holdersFor(actor))
    .where("status", "not in", ["done", "closed"])
    .where(
      "projectUuid",
      "in",
      projects.map((project) => project.uuid),
    )
    .orderBy(sql`case when "assigneeUuid" = ${actor.uuid} then 0 else 1 end`)
    .orderBy("updatedAt", "desc")
    .orderBy("uuid")
    .limit(limit)
    .execute()
  return rows.map(({ criteriaPassed, criteriaTotal, ...row }) => ({
    ...row,
    shortId: row.shortId ?? row.uuid,
    ac: { passed: criteriaPassed, total: criteriaTotal },
  }))
}

/** Rows by their project's id, each project with its name. */
export function byProject<Row extends { projectUuid: string }, Key extends string>(
  projects: readonly Project[],
  rows: readonly Row[],
  key: Key,
) {
  const grouped = Map.groupBy(rows, (row) => row.projectUuid)
  const entries = projects
    .filter(({ uuid }) => grouped.has(uuid))
    .map(({ uuid, name }) => [uuid, { name, [key]: grouped.get(uuid) ?? [] }] as const)
  return Object.fromEntries(entries) as Record<string, { name: string } & Record<Key, Row[]>>
}
