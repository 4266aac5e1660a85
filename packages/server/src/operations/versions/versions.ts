import { versions } from "@chorus/contracts"
import { type Db, othersFirst } from "@chorus/store"
import { sql } from "kysely"
import { assertMayRead, costly, namesOf, notFound, offsetOf, operation, pageOf } from "../../operation.ts"
import { lineDiff, unifiedDiff } from "../documents/text-diff.ts"
import { presentText } from "./text-version.ts"

export const getVersions = operation(
  versions.getVersions,
  async ({ db, actor }, { targetType, targetUuid, ...page }) => {
    assertMayRead(actor, targetType)
    const query = db.selectFrom("textVersions").where("targetUuid", "=", targetUuid)
    const { total } = await query.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow()
    if (total === 0) {
      const { content, ...first } = await findVersion(db, targetType, targetUuid, 1)
      const only = page.page === 1 ? [{ ...first, contentLength: [...content].length }] : []
      return { versions: only, ...pageOf(page, only.length, 1) }
    }
    const rows = await query
      .select(["version", "title", "changedByType", "changedByUuid", "changedAt"])
      .select(sql<number>`length("content")`.as("contentLength"))
      .orderBy("version", "desc")
      .offset(offsetOf(page))
      .limit(page.pageSize)
      .execute()
    const nameOf = await namesOf(
      db,
      rows.map((row) => row.changedByUuid),
    )
    const kept = rows.map(({ changedByType, changedByUuid, ...row }) => ({
      ...row,
      changedBy: nameOf(changedByType, changedByUuid),
    }))
    return { versions: kept, ...pageOf(page, rows.length, total) }
  },
)

export const getVersion = operation(versions.getVersion, async ({ db, actor }, { targetType, targetUuid, version }) => {
  assertMayRead(actor, targetType)
  return findVersion(db, targetType, targetUuid, version)
})

export const diffVersions = costly(
  versions.diffVersions,
  async ({ db, actor }, { targetType, targetUuid, from, to }) => {
    assertMayRead(actor, targetType)
    const before = await findVersion(db, targetType, targetUuid, from)
    const last = to ?? (await presentText(db, targetType, targetUuid)).version
    const after = await findVersion(db, targetType, targetUuid, last)
    const lines = lineDiff(before.content, after.content)
    // Two long texts take a moment each time they are compared; others have their turn in between.
    await othersFirst()
    return {
      from: before.version,
      to: after.version,
      title: { before: before.title, after: after.title },
      added: lines.filter((line) => line.kind === "added").length,
      removed: lines.filter((line) => line.kind === "removed").length,
      lines,
      patch: unifiedDiff(after.title, before.content, after.content),
    }
  },
)

/** One version; the only one of what was never changed is what stands there now. */
export async function findVersion(db: Db, targetType: versions.VersionTarget, targetUuid: string, version: number) {
  const kept = await db
    .selectFrom("textVersions")
    .selectAll()
    .where("targetUuid", "=", targetUuid)
    .where("version", "=", version)
    .executeTakeFirst()
  const nameOf = async (type: "user" | "agent" | "system", uuid: string) => (await namesOf(db, [uuid]))(type, uuid)
  if (kept !== undefined) {
    const { title, content, changedAt, changedByType, changedByUuid } = kept
    return { version, title, content, changedAt, changedBy: await nameOf(changedByType, changedByUuid) }
  }
  const present = await presentText(db, targetType, targetUuid)
  if (present.version !== version) throw notFound(`${targetType} version`, `${targetUuid} v${version}`)
  const { title, content, createdAt, createdByType, createdByUuid } = present
  return { version, title, content, changedAt: createdAt, changedBy: await nameOf(createdByType, createdByUuid) }
}
