import type { references } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { type NameOf, namesOf, type OperationContext } from "../../operation.ts"

type Target = Pick<Schema["referenceLinks"], "projectUuid" | "targetType" | "targetUuid">

export function referenceRow(row: Schema["referenceLinks"], nameOf: NameOf): references.ReferenceRow {
  const { projectUuid: _project, createdByType, createdByUuid, ...fields } = row
  return { ...fields, createdBy: nameOf(createdByType, createdByUuid) }
}

/** The links of one idea, proposal, task or document, oldest first. */
export async function referencesOf(db: Db, targetUuid: string): Promise<references.ReferenceRow[]> {
  const rows = await db
    .selectFrom("referenceLinks")
    .selectAll()
    .where("targetUuid", "=", targetUuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  const nameOf = await namesOf(
    db,
    rows.map((row) => row.createdByUuid),
  )
  return rows.map((row) => referenceRow(row, nameOf))
}

/** Adds links to something in the same change that makes it. */
export async function insertReferences(
  { db, actor, now, newId, emit }: OperationContext,
  target: Target,
  given: readonly references.ReferenceInput[],
): Promise<references.ReferenceRow[]> {
  const added: references.ReferenceRow[] = []
  for (const { type, url, title, notes } of given) {
    const row = {
      uuid: newId(),
      ...target,
      type,
      url,
      title,
      notes: notes ?? null,
      createdByType: actor.type,
      createdByUuid: actor.uuid,
      createdAt: now,
      updatedAt: now,
    }
    await db.insertInto("referenceLinks").values(row).execute()
    const reference = referenceRow(row, (kind, uuid) =>
      kind === null || uuid === null ? null : { type: kind, uuid, name: actor.name },
    )
    emit({
      kind: "reference.added",
      entityType: "reference",
      entityUuid: row.uuid,
      projectUuid: target.projectUuid,
      action: "created",
      patch: reference,
    })
    added.push(reference)
  }
  return added
}
