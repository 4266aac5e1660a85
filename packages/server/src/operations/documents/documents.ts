import { ChorusError, documents } from "@chorus/contracts"
import { type Db, lock, type Schema } from "@chorus/store"
import { sql } from "kysely"
import { namesOf, notFound, offsetOf, operation, pageOf } from "../../operation.ts"
import { attachmentsOf } from "../attachments/attachment-row.ts"
import { dropAttached } from "../attachments/drop-attached.ts"
import { findProposal } from "../proposals/proposal-row.ts"
import { referencesOf } from "../references/reference-row.ts"
import {
  contentLength,
  DOCUMENT_COLUMNS,
  documentRow,
  documentRows,
  findDocument,
  insertDocument,
  keepVersion,
} from "./document-record.ts"
import { lineDiff, unifiedDiff } from "./text-diff.ts"

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

export const getDocumentVersions = operation(documents.getDocumentVersions, async ({ db }, input) => {
  const query = db.selectFrom("documentVersions").where("documentUuid", "=", input.documentUuid)
  const rows = await query
    .select([
      "version",
      "title",
      "changedByType",
      "changedByUuid",
      "changedAt",
      sql<number>`length("content")`.as("contentLength"),
    ])
    .orderBy("version", "desc")
    .offset(offsetOf(input))
    .limit(input.pageSize)
    .execute()
  const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.changedByUuid),
  )
  const versions = rows.map(({ changedByType, changedByUuid, ...row }) => ({
    ...row,
    changedBy: nameOf(changedByType, changedByUuid),
  }))
  return { versions, ...pageOf(input, rows.length, total) }
})

export const getDocumentVersion = operation(documents.getDocumentVersion, async ({ db }, { documentUuid, version }) => {
  const { title, content, changedAt, changedByType, changedByUuid } = await findVersion(db, documentUuid, version)
  const changedBy = (await namesOf(db, [changedByUuid]))(changedByType, changedByUuid)
  return { version, title, content, changedBy, changedAt }
})

export const diffDocument = operation(documents.diffDocument, async ({ db }, input) => {
  const before = await findVersion(db, input.documentUuid, input.from)
  const after = await findVersion(
    db,
    input.documentUuid,
    input.to ?? (await findDocument(db, input.documentUuid)).version,
  )
  const lines = lineDiff(before.content, after.content)
  return {
    from: before.version,
    to: after.version,
    title: { before: before.title, after: after.title },
    added: lines.filter((line) => line.kind === "added").length,
    removed: lines.filter((line) => line.kind === "removed").length,
    lines,
    patch: unifiedDiff(after.title, before.content, after.content),
  }
})

export const exportDocument = operation(documents.exportDocument, async ({ db }, { documentUuid, version }) => {
  const document = await findDocument(db, documentUuid)
  const { title, content } = await findVersion(db, documentUuid, version ?? document.version)
  return {
    fileName: `${fileNameOf(title)}.md`,
    mediaType: "text/markdown" as const,
    content: asMarkdown(title, content),
  }
})

async function findVersion(db: Db, documentUuid: string, version: number): Promise<Schema["documentVersions"]> {
  const row = await db
    .selectFrom("documentVersions")
    .selectAll()
    .where("documentUuid", "=", documentUuid)
    .where("version", "=", version)
    .executeTakeFirst()
  if (row === undefined) throw notFound("document version", `${documentUuid} v${version}`)
  return row
}

/** The content as it is, under its title unless it starts with a top heading of its own. */
function asMarkdown(title: string, content: string): string {
  const body = content.endsWith("\n") || content === "" ? content : `${content}\n`
  return /^\s*# /.test(content) ? body : `# ${title}\n\n${body}`
}

/** Letters and digits of any script, so that a Chinese title stays readable; nothing a file system minds, be it a sign, the length or a device's name. */
function fileNameOf(title: string): string {
  const letters = title.normalize("NFC").replace(/[^\p{Letter}\p{Number}]+/gu, "-")
  const name = shortened(letters.replace(/^-+/, "")).replace(/-+$/, "")
  if (name === "") return "document"
  return /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(name) ? `${name}-document` : name
}

/** Names have at most 255 bytes nearly everywhere. */
function shortened(name: string): string {
  let bytes = 0
  const kept = [...name]
    .slice(0, MOST_NAME_LETTERS)
    .filter((letter) => (bytes += Buffer.byteLength(letter)) <= MOST_NAME_BYTES)
  return kept.join("")
}

const MOST_NAME_LETTERS = 80
const MOST_NAME_BYTES = 240
