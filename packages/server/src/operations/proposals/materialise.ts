import type { Db, Schema } from "@chorus/store"
import type { Insertable } from "kysely"
import type { OperationContext } from "../../operation.ts"
import { insertDocument } from "../documents/document-record.ts"
import { nextShortIds } from "../projects/short-ids.ts"
import { newCriterion, NOT_BEGUN, taskRows } from "../tasks/task-record.ts"
import { draftsOf } from "./draft-record.ts"

const ROWS_PER_STATEMENT = 200

/** Turns drafts into documents, tasks, dependencies and criteria. The caller has made sure that it happens once. */
export async function materialise(context: OperationContext, proposal: Schema["proposals"]): Promise<void> {
  const { documents, tasks } = await draftsOf(context.db, proposal.uuid)
  for (const { uuid, type, title, content } of documents) {
    await insertDocument(context, {
      projectUuid: proposal.projectUuid,
      type,
      title,
      content,
      proposalUuid: proposal.uuid,
      draftUuid: uuid,
    })
  }
  const { db, actor, now, newId, emit } = context
  const begun = tasks.map((draft) => ({ draft, uuid: newId() }))
  const taskOf = new Map(begun.map(({ draft, uuid }) => [draft.uuid, uuid]))
  const common = {
    projectUuid: proposal.projectUuid,
    proposalUuid: proposal.uuid,
    createdByType: actor.type,
    createdByUuid: actor.uuid,
    createdAt: now,
    updatedAt: now,
  }
  const shortIds = await nextShortIds(db, proposal.projectUuid, begun.length)
  const rows = begun.map(({ draft, uuid }, at): Insertable<Schema["tasks"]> => ({
    ...NOT_BEGUN,
    ...common,
    uuid,
    shortId: shortIds[at] ?? null,
    draftUuid: draft.uuid,
    title: draft.title,
    description: draft.description,
    priority: draft.priority ?? "medium",
    storyPoints: draft.storyPoints,
  }))
  for (const batch of batches(rows)) await db.insertInto("tasks").values(batch).execute()
  const items = begun.flatMap(({ draft, uuid }) =>
    draft.acceptanceCriteriaItems.map((item, sortOrder) => newCriterion(context, uuid, item, sortOrder)),
  )
  for (const batch of batches(items)) await db.insertInto("criteria").values(batch).execute()
  const edges = begun.flatMap(({ draft, uuid: taskUuid }) =>
    draft.dependsOnDraftUuids.flatMap((wanted) => {
      const dependsOnUuid = taskOf.get(wanted)
      return dependsOnUuid === undefined
        ? []
        : [
            {
              taskUuid,
              dependsOnUuid,
              projectUuid: proposal.projectUuid,
              contract: draft.contracts?.[wanted] ?? null,
              createdAt: now,
            },
          ]
    }),
  )
  for (const batch of batches(edges)) await db.insertInto("taskEdges").values(batch).execute()
  const made = await db
    .selectFrom("tasks")
    .selectAll()
    .where("uuid", "in", [...taskOf.values()])
    .execute()
  const order = new Map([...taskOf.values()].map((uuid, index) => [uuid, index]))
  made.sort((one, other) => (order.get(one.uuid) ?? 0) - (order.get(other.uuid) ?? 0))
  for (const row of await taskRows(db, made)) {
    emit({
      kind: "task.created",
      entityType: "task",
      entityUuid: row.uuid,
      projectUuid: row.projectUuid,
      action: "created",
      patch: row,
    })
  }
}

/** What an approved proposal was turned into, in the order of its drafts. */
export async function materialised(db: Db, proposalUuid: string) {
  const tasks = await db
    .selectFrom("tasks as t")
    .innerJoin("taskDrafts as d", "d.uuid", "t.draftUuid")
    .select(["d.uuid as draftUuid", "t.uuid as taskUuid", "t.title"])
    .where("t.proposalUuid", "=", proposalUuid)
    .orderBy("d.position")
    .execute()
  const documents = await db
    .selectFrom("documents as m")
    .innerJoin("documentDrafts as d", "d.uuid", "m.draftUuid")
    .select(["d.uuid as draftUuid", "m.uuid as documentUuid", "m.title"])
    .where("m.proposalUuid", "=", proposalUuid)
    .orderBy("d.position")
    .execute()
  return { materializedTasks: tasks, materializedDocuments: documents }
}

function* batches<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) yield rows.slice(from, from + ROWS_PER_STATEMENT)
}
