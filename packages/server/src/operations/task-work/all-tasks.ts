import type { ActorKind, tasks } from "@chorus/contracts"
import type { GraphEdge } from "@chorus/core"
import { othersFirst } from "@chorus/store"
import { type Expression, sql } from "kysely"
import { type NameOf, namesOf, type OperationContext } from "../../operation.ts"
import { labelsIn } from "../labels/labels.ts"
import { ROW_COLUMNS } from "../tasks/task-record.ts"

/** What a row needs but for its project, which is the same for all. */
const COLUMNS = ROW_COLUMNS.filter((column) => column !== "projectUuid")

/** How many rows are read before others have their turn. */
const PAGE = 1000

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

/** Every task of a project, or some of them or of its plans, oldest first. */
export async function allTasks(
  { db, engine }: Pick<OperationContext, "db" | "engine">,
  { projectUuid, proposalUuids, uuids }: Wanted,
): Promise<tasks.TaskRow[]> {
  let query = db.selectFrom("tasks").where("projectUuid", "=", projectUuid)
  if (proposalUuids !== undefined) query = query.where("proposalUuid", "in", proposalUuids)
  if (uuids !== undefined) query = query.where("uuid", "in", uuids)
  const rows: tasks.TaskRow[] = []
  await inPages(async (last: Packed | undefined) => {
    const after = last && { createdAt: last[15], uuid: last[0] }
    const here = query
      .$if(after !== undefined, (from) =>
        from.where(sql<boolean>`("createdAt", "uuid") > (${after?.createdAt}, ${after?.uuid})`),
      )
      .select(COLUMNS)
      .orderBy("createdAt")
      .orderBy("uuid")
      .limit(PAGE)
    const records = await packed<Packed>({ db, engine }, here, COLUMNS)
    const nameOf = await namesOf(db, new Set(records.map((record) => record[10])))
    rows.push(...records.map((record) => taskRow(record, projectUuid, nameOf)))
    return records
  })
  return rows
}

function taskRow(
  [
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
  ]: Packed,
  projectUuid: string,
  nameOf: NameOf,
): tasks.TaskRow {
  return {
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
  }
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
  const edges: ContractedEdge[] = []
  await inPages(async (last: [string, string, string | null] | undefined) => {
    const here = db
      .selectFrom("taskEdges")
      .where("projectUuid", "=", projectUuid)
      .$if(last !== undefined, (from) =>
        from.where(sql<boolean>`("taskUuid", "dependsOnUuid") > (${last?.[0]}, ${last?.[1]})`),
      )
      .select(columns)
      .orderBy("taskUuid")
      .orderBy("dependsOnUuid")
      .limit(PAGE)
    const records = await packed<[string, string, string | null]>({ db, engine }, here, columns)
    edges.push(...records.map(([taskUuid, dependsOnUuid, contract]) => ({ taskUuid, dependsOnUuid, contract })))
    return records
  })
  return edges
}

/** Reads page after page, each behind the last row of the one before, with a turn for others in between. */
async function inPages<Row>(read: (last: Row | undefined) => Promise<readonly Row[]>): Promise<void> {
  let page = await read(undefined)
  while (page.length === PAGE) {
    await othersFirst()
    page = await read(page.at(-1))
  }
}

/** A thousand rows cross from the store as one text of JSON: handing them over value by value takes three times as long. */
async function packed<Row>(
  { db, engine }: Pick<OperationContext, "db" | "engine">,
  query: Expression<unknown>,
  columns: readonly string[],
): Promise<Row[]> {
  const values = sql.join(columns.map((column) => sql.ref(column)))
  const all =
    engine === "sqlite"
      ? sql`json_group_array(json_array(${values}))`
      : sql`coalesce(json_agg(json_build_array(${values})), '[]')::text`
  const { rows } = await sql<{ rows: string }>`select ${all} as rows from ${query} as page`.execute(db)
  return JSON.parse(rows[0]?.rows ?? "[]") as Row[]
}
