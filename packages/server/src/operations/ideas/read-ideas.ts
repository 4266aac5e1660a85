import { ideas } from "@chorus/contracts"
import { asForest } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"
import { namesOf } from "../../names.ts"
import { operation } from "../../operation.ts"
import { offsetOf, pageOf } from "../../paging.ts"
import { attachmentsOf } from "../attachments/attachment-row.ts"
import { referencesOf } from "../references/reference-row.ts"
import { findIdea, ideaRow, ideaRows } from "./idea-row.ts"

const MOST_AVAILABLE = 50

export const getIdeas = operation(ideas.getIdeas, async ({ db }, input) => {
  let query = db.selectFrom("ideas").where("projectUuid", "=", input.projectUuid)
  if (input.status !== undefined) query = query.where("status", "=", input.status)
  const rows = await query
    .selectAll()
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { ideas: await ideaRows(db, rows), ...pageOf(input, rows.length, total) }
})

export const getAvailableIdeas = operation(ideas.getAvailableIdeas, async ({ db }, { projectUuid }) => {
  const query = db.selectFrom("ideas").where("projectUuid", "=", projectUuid).where("status", "=", "open")
  const rows = await query.selectAll().orderBy("createdAt", "desc").orderBy("uuid").limit(MOST_AVAILABLE).execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { ideas: await ideaRows(db, rows), ...pageOf({ page: 1, pageSize: MOST_AVAILABLE }, rows.length, total) }
})

export const getIdeaTree = operation(ideas.getIdeaTree, async ({ db }, { projectUuid }) => {
  const rows = await db
    .selectFrom("ideas")
    .selectAll()
    .where("projectUuid", "=", projectUuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  return { ideas: asForest(await ideaRows(db, rows)) }
})

export const getIdea = operation(ideas.getIdea, async ({ db }, { ideaUuid }) => {
  const row = await findIdea(db, ideaUuid)
  const children = await db
    .selectFrom("ideas")
    .selectAll()
    .where("parentUuid", "=", ideaUuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const parent = row.parentUuid === null ? null : await findIdea(db, row.parentUuid)
  const nameOf = await namesOf(db, [row.assigneeUuid, row.assignedByUuid])
  const assignee = nameOf(row.assigneeType, row.assigneeUuid)
  return {
    ...(await ideaRow(db, row)),
    content: row.content,
    elaborationReason: row.elaborationReason,
    assignee: assignee && {
      ...assignee,
      assignedAt: row.assignedAt,
      assignedBy: nameOf(row.assignedByType, row.assignedByUuid),
    },
    attachments: await attachmentsOf(db, ideaUuid),
    references: await referencesOf(db, ideaUuid),
    project: await db
      .selectFrom("projects")
      .select(["uuid", "name"])
      .where("uuid", "=", row.projectUuid)
      .executeTakeFirstOrThrow(),
    parent: parent && (await ideaRow(db, parent)),
    children: await ideaRows(db, children),
    descendantUuids: await descendantsOf(db, row),
    ...(await proposalsAndReports(db, ideaUuid)),
  }
})

/** Every idea below one, in no particular order. */
export async function descendantsOf(
  db: Db,
  { uuid, projectUuid }: Pick<Schema["ideas"], "uuid" | "projectUuid">,
): Promise<string[]> {
  const rows = await db
    .selectFrom("ideas")
    .select(["uuid", "parentUuid"])
    .where("projectUuid", "=", projectUuid)
    .execute()
  const below = Map.groupBy(rows, (row) => row.parentUuid)
  const walk = (parent: string): string[] => (below.get(parent) ?? []).flatMap((row) => [row.uuid, ...walk(row.uuid)])
  return walk(uuid)
}

async function proposalsAndReports(db: Db, ideaUuid: string) {
  const proposals = await db
    .selectFrom("proposals as p")
    .innerJoin("proposalInputs as i", "i.proposalUuid", "p.uuid")
    .select(["p.uuid", "p.title", "p.status"])
    .where("i.ideaUuid", "=", ideaUuid)
    .orderBy("p.createdAt")
    .execute()
  const reports = await db
    .selectFrom("documents")
    .select(["uuid", "title", "proposalUuid", "createdAt"])
    .where("type", "=", "report")
    .where(
      "proposalUuid",
      "in",
      proposals.map((proposal) => proposal.uuid),
    )
    .orderBy("createdAt")
    .execute()
  return { proposals, reports }
}
