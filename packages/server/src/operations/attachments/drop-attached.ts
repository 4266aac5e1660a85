import type { Db } from "@chorus/store"

/** Removes what hangs on things that are being deleted: links, files, reviews, comments, mentions and earlier versions. */
export async function dropAttached(db: Db, targetUuids: readonly string[]): Promise<void> {
  if (targetUuids.length === 0) return
  const targets = [...targetUuids]
  const comments = await db.selectFrom("comments").select("uuid").where("targetUuid", "in", targets).execute()
  await db
    .deleteFrom("mentions")
    .where("sourceUuid", "in", [...targets, ...comments.map((comment) => comment.uuid)])
    .execute()
  for (const table of ["referenceLinks", "attachmentFiles", "reviews", "comments", "textVersions"] as const) {
    await db.deleteFrom(table).where("targetUuid", "in", targets).execute()
  }
}
