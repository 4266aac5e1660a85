import { ChorusError, documents } from "@chorus/contracts"
import { lock } from "@chorus/store"
import { notFound, operation, type OperationContext, readPage } from "../../operation.ts"
import { askSubjects } from "../../reactors/subject.ts"
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
} from "./document-record.ts"
import { assertMayRewrite, assertMayTakeAway } from "../change-requests/rewrite.ts"
import { type Author, assertVersion, holdText, keepText } from "../versions/text-version.ts"
import { findVersion } from "../versions/versions.ts"

export const getDocuments = operation(documents.getDocuments, async ({ db }, input) => {
  let query = db.selectFrom("documents").where("projectUuid", "=", input.projectUuid)
  if (input.type !== undefined) query = query.where("type", "=", input.type)
  if (input.proposalUuid !== undefined) query = query.where("proposalUuid", "=", input.proposalUuid)
  const { rows, page } = await readPage(
    query
      .select([...DOCUMENT_COLUMNS, contentLength])
      .orderBy("createdAt", "desc")
      .orderBy("uuid"),
    input,
  )
  return { documents: await documentRows(db, rows), ...page }
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
  async (context, { documentUuid, expectedVersion, ...words }) =>
    rewriteDocument(context, documentUuid, words, { expectedVersion }),
)

/** Changes a document, which makes a version; what was approved or a person wrote is not for an agent to rewrite. */
export async function rewriteDocument(
  context: OperationContext,
  documentUuid: string,
  words: { title?: string | undefined; content?: string | undefined },
  { expectedVersion, author }: { expectedVersion?: number | undefined; author?: Author | undefined } = {},
): Promise<documents.DocumentRow> {
  const { db, now, emit } = context
  await holdText(context, documentUuid)
  const before = await findDocument(db, documentUuid)
  const about = { targetType: "document", targetUuid: documentUuid, uuid: documentUuid } as const
  await assertVersion(db, { ...about, title: before.title, version: before.version }, expectedVersion)
  const { title = before.title, content = before.content } = words
  if (title === before.title && content === before.content) return documentRow(db, before)
  await assertMayRewrite(context, { ...before, ...about })
  const row = await db
    .updateTable("documents")
    .set({ title, content, version: before.version + 1, updatedAt: now })
    .where("uuid", "=", documentUuid)
    .returningAll()
    .executeTakeFirstOrThrow()
  keepText(context, { ...about, version: row.version, title, content }, author)
  const document = await documentRow(db, row)
  const patch = { title, version: row.version, contentLength: document.contentLength, updatedAt: now }
  emit({
    kind: "document.updated",
    entityType: "document",
    entityUuid: documentUuid,
    projectUuid: row.projectUuid,
    action: "updated",
    patch,
  })
  return document
}

export const deleteDocument = operation(documents.deleteDocument, async (context, { documentUuid }) => {
  const { db, emit } = context
  await holdText(context, documentUuid)
  const document = await findDocument(db, documentUuid)
  await assertMayTakeAway(context, { ...document, targetType: "document" })
  askSubjects(context, "document", [documentUuid])
  await dropAttached(db, [documentUuid])
  await db.deleteFrom("documents").where("uuid", "=", documentUuid).execute()
  emit({
    kind: "document.deleted",
    entityType: "document",
    entityUuid: documentUuid,
    projectUuid: document.projectUuid,
    action: "deleted",
    patch: { title: document.title },
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

export const exportDocument = operation(documents.exportDocument, async ({ db }, { documentUuid, version }) => {
  const document = await findDocument(db, documentUuid)
  const { title, content } = await findVersion(db, "document", documentUuid, version ?? document.version)
  return {
    fileName: `${fileNameOf(title)}.md`,
    mediaType: "text/markdown" as const,
    content: asMarkdown(title, content),
  }
})

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
