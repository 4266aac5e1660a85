import { documents } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { sql } from "kysely"
import { namesOf, notFound, offsetOf, operation, pageOf } from "../../operation.ts"
import { findDocument } from "./document-row.ts"
import { lineDiff, unifiedDiff } from "./text-diff.ts"

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
