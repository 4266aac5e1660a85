import type { ActorKind, tasks } from "@chorus/contracts"
import type { GraphEdge } from "@chorus/core"
import type { Engine } from "@chorus/store"
import { sql } from "kysely"
import { namesOf, type OperationContext } from "../../operation.ts"
import { labelsIn } from "../labels/labels.ts"
import { ROW_COLUMNS } from "../tasks/task-record.ts"

/** What a row needs but for its project, which is the same for all. */
const COLUMNS = ROW_COLUMNS.filter((column) => column !== "projectUuid")

/** The values of one task in the order of the columns. */
type Packed = [
  string,
  string | null,
  string | null,
  string,
  tasks.TaskStatus,
  tasks.TaskPriority,
  number | null,
  string,
  string | null,
  ActorKind | null,
  string | null,
  number,
  number,
  number,
  number,
  string,
  string,
]

interface Wanted {
  readonly projectUuid: string
  readonly proposalUuids?: readonly string[] | undefined
  readonly uuids?: readonly string[] | undefined
}

/** Every task of a project, or some of them or of its plans, in no order. */
export async function allTasks(
  { db, engine }: Pick<OperationContext, "db" | "engine">,
  { projectUuid, proposalUuids, uuids }: Wanted,
): Promise<tasks.TaskRow[]> {
  let query = db.selectFrom("tasks").where("projectUuid", "=", projectUuid)
  if (proposalUuids !== undefined) query = query.where("proposalUuid", "in", proposalUuids)
  if (uuids !== undefined) query = query.where("uuid", "in", uuids)
  const { rows } = await query.select(packed(engine, COLUMNS).as("rows")).executeTakeFirstOrThrow()
  const records = JSON.parse(rows) as Packed[]
  const nameOf = await namesOf(db, new Set(records.map((record) => record[10])))
  return records.map(
    ([
      uuid,
      shortId,
      proposalUuid,
      title,
      status,
      priority,
      storyPoints,
      labels,
      dueOn,
      assigneeType,
      assigneeUuid,
      openDependencies,
      total,
      passed,
      checked,
      createdAt,
      updatedAt,
    ]): tasks.TaskRow => ({
      uuid,
      projectUuid,
      shortId: shortId ?? uuid,
      proposalUuid,
      title,
      status,
      priority,
      storyPoints,
      labels: labels === "[]" ? [] : labelsIn(labels),
      dueOn,
      assignee: nameOf(assigneeType, assigneeUuid),
      openDependencies,
      ac: { total, passed, checked },
      createdAt,
      updatedAt,
    }),
  )
}

export interface ContractedEdge extends GraphEdge {
  readonly contract: string | null
}

/** Every dependency of a project. */
export async function allEdges(
  { db, engine }: Pick<OperationContext, "db" | "engine">,
  projectUuid: string,
): Promise<ContractedEdge[]> {
  const columns = ["taskUuid", "dependsOnUuid", "contract"] as const
  const { rows } = await db
    .selectFrom("taskEdges")
    .where("projectUuid", "=", projectUuid)
    .select(packed(engine, columns).as("rows"))
    .executeTakeFirstOrThrow()
  return (JSON.parse(rows) as [string, string, string | null][]).map(([taskUuid, dependsOnUuid, contract]) => ({
    taskUuid,
    dependsOnUuid,
    contract,
  }))
}

/** Ten thousand rows cross from the store as one text of JSON: handing them over value by value takes three times as long. */
function packed(engine: Engine, columns: readonly string[]) {
  const values = sql.join(columns.map((column) => sql.ref(column)))
  return engine === "sqlite"
    ? sql<string>`json_group_array(json_array(${values}))`
    : sql<string>`coalesce(json_agg(json_build_array(${values})), '[]')::text`
}
