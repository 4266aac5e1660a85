import type { ActorKind, tasks } from "@chorus/contracts"
import { sql } from "kysely"
import { namesOf } from "../../names.ts"
import type { OperationContext } from "../../operation.ts"

const COLUMNS = [
  "uuid",
  "proposalUuid",
  "title",
  "status",
  "priority",
  "storyPoints",
  "assigneeType",
  "assigneeUuid",
  "openDependencies",
  "criteriaTotal",
  "criteriaPassed",
  "criteriaChecked",
  "createdAt",
  "updatedAt",
] as const

/** The values of one task in the order of the columns. */
type Packed = [
  string,
  string | null,
  string,
  tasks.TaskStatus,
  tasks.TaskPriority,
  number | null,
  ActorKind | null,
  string | null,
  number,
  number,
  number,
  number,
  string,
  string,
]

/**
 * Every task of a project, or of some of its plans, in no order. Ten thousand rows cross from the store as one text of JSON:
 * handing them over value by value takes three times as long.
 */
export async function allTasks(
  { db, engine }: Pick<OperationContext, "db" | "engine">,
  { projectUuid, proposalUuids }: { projectUuid: string; proposalUuids?: readonly string[] | undefined },
): Promise<tasks.TaskRow[]> {
  const values = sql.join(COLUMNS.map((column) => sql.ref(column)))
  const packed = engine === "sqlite" ? sql<string>`json_group_array(json_array(${values}))` : sql<string>`coalesce(json_agg(json_build_array(${values})), '[]')::text`
  let query = db.selectFrom("tasks").where("projectUuid", "=", projectUuid)
  if (proposalUuids !== undefined) query = query.where("proposalUuid", "in", [...proposalUuids, ""])
  const { rows } = await query.select(packed.as("rows")).executeTakeFirstOrThrow()
  const records = JSON.parse(rows) as Packed[]
  const nameOf = await namesOf(db, new Set(records.map((record) => record[7])))
  return records.map(
    ([uuid, proposalUuid, title, status, priority, storyPoints, assigneeType, assigneeUuid, openDependencies, total, passed, checked, createdAt, updatedAt]): tasks.TaskRow => ({
      uuid,
      projectUuid,
      proposalUuid,
      title,
      status,
      priority,
      storyPoints,
      assignee: nameOf(assigneeType, assigneeUuid),
      openDependencies,
      ac: { total, passed, checked },
      createdAt,
      updatedAt,
    }),
  )
}
