import { ChorusError, documents } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { sql } from "kysely"
import { notFound, offsetOf, operation, pageOf } from "../../operation.ts"
import { attachmentsOf } from "../attachments/attachment-row.ts"
import { dropAttached } from "../attachments/drop-attached.ts"
import { findProposal } from "../proposals/proposal-row.ts"
import { referencesOf } from "../references/reference-row.ts"
import { contentLength, DOCUMENT_COLUMNS, documentRow, documentRows, findDocument } from "./document-row.ts"
import { insertDocument, keepVersion } from "./write-document.ts"

export const getDocuments = operation(documents.getDocuments, async ({ db }, input) => {
  let query = db.selectFrom("documents").where("projectUuid", "=", input.projectUuid)
  if (input.type !== undefined) query = query.where("type", "=", input.type)
  if (input.proposalUuid !== undefined) query = query.where("proposalUuid", "=", input.proposalUuid)
  const rows = await query
    .select([...DOCUMENT_COLUMNS, contentLength])
    .orderBy("createdAt", "desc")
    .orderBy("uuid")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  return { documents: await documentRows(db, rows), ...pageOf(input, rows.length, total) }
})

export const getDocument = operation(documents.getDocument, async ({ db }, { documentUuid }) => {
  const row = await findDocument(db, documentUuid)
  return {
    ...(await documentRow(db, row)),
    content: row.content,
    project: await db
      .selectFrom("projects")
      .select(["uuid", "name"])
      .where("uuid", "=", row.projectUuid)
      .executeTakeFirstOrThrow(),
    attachments: await attachmentsOf(db, documentUuid),
    references: await referencesOf(db, documentUuid),
  }
})

export const createDocument = operation(
  documents.createDocument,
  async (context, { proposalUuid = null, ...given }) => {
    if (proposalUuid !== null && (await findProposal(context.db, proposalUuid)).projectUuid !== given.projectUuid)
      throw notFound("proposal", proposalUuid)
    return documentRow(context.db, await insertDocument(context, { ...given, proposalUuid, draftUuid: null }))
  },
)

export const updateDocument = operation(
  documents.updateDocument,
  async (context, { documentUuid, expectedVersion, ...changes }) => {
    const { db, engine, now, emit } = context
    await lock({ db, engine }, `document:${documentUuid}`)
    const before = await findDocument(db, documentUuid)
    if (expectedVersion !== undefined && expectedVersion !== before.version) throw staleVersion(before, expectedVersion)
    if ((changes.title ?? before.title) === before.title && (changes.content ?? before.content) === before.content)
      return documentRow(db, before)
    const row = await db
      .updateTable("documents")
      .set({ ...changes, version: before.version + 1, updatedAt: now })
      .where("uuid", "=", documentUuid)
      .returningAll()
      .executeTakeFirstOrThrow()
    await keepVersion(context, row)
    const document = await documentRow(db, row)
    const patch = {
      title: document.title,
      version: document.version,
      contentLength: document.contentLength,
      updatedAt: now,
    }
    emit({
      kind: "document.updated",
      entityType: "document",
      entityUuid: documentUuid,
      projectUuid: row.projectUuid,
      action: "updated",
      patch,
    })
    return document
  },
)

export const deleteDocument = operation(documents.deleteDocument, async ({ db, emit }, { documentUuid }) => {
  await dropAttached(db, [documentUuid])
  const row = await db
    .deleteFrom("documents")
    .where("uuid", "=", documentUuid)
    .returning(["projectUuid", "title"])
    .executeTakeFirst()
  if (row === undefined) throw notFound("document", documentUuid)
  emit({
    kind: "document.deleted",
    entityType: "document",
    entityUuid: documentUuid,
    projectUuid: row.projectUuid,
    action: "deleted",
    patch: { title: row.title },
  })
  return { uuid: documentUuid, deleted: true as const }
})

export const createReport = operation(
  documents.createReport,
  async (context, { proposalUuid, title, content, force }) => {
    const { db, engine } = context
    await lock({ db, engine }, `proposal:${proposalUuid}`)
    const proposal = await findProposal(db, proposalUuid)
    if (proposal.status !== "approved") {
      throw new ChorusError(
        "wrong_status",
        `"${proposal.title}" is ${proposal.status}; a report follows an approved proposal.`,
        {
          status: 409,
          next: "Have the proposal approved and its work done first.",
          details: { proposalUuid, status: proposal.status },
        },
      )
    }
    const earlier = await db
      .selectFrom("documents")
      .select("uuid")
      .where("proposalUuid", "=", proposalUuid)
      .where("type", "=", "report")
      .executeTakeFirst()
    if (earlier !== undefined && !force) {
      throw new ChorusError("report_exists", `"${proposal.title}" has a report already.`, {
        status: 409,
        next: "Change that report with chorus_pm_update_document, or pass force to write another.",
        details: { documentUuid: earlier.uuid },
      })
    }
    const { projectUuid } = proposal
    const row = await insertDocument(
      context,
      { projectUuid, type: "report", title, content, proposalUuid, draftUuid: null },
      "report.created",
    )
    return { documentUuid: row.uuid, projectUuid, version: row.version }
  },
)

function staleVersion(
  { uuid, title, version }: { uuid: string; title: string; version: number },
  expectedVersion: number,
): ChorusError {
  return new ChorusError(
    "stale_version",
    `"${title}" is at version ${version}, not ${expectedVersion}: somebody changed it meanwhile.`,
    {
      status: 409,
      next: "Get the document, put your change on top of it and call again with its version. Nothing was changed.",
      details: { documentUuid: uuid, expectedVersion, currentVersion: version },
    },
  )
}
