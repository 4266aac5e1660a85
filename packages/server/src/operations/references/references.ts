import { ChorusError, references } from "@chorus/contracts"
import type { Db, Schema } from "@chorus/store"
import { type Actor, namesOf, notFound, operation, projectOf } from "../../operation.ts"
import { withinReach } from "../../reach.ts"
import { assertMayChangeAddition } from "../change-requests/rewrite.ts"
import { insertReferences, referenceRow } from "./reference-row.ts"

const MOST_REFERENCES = 200

export const addReference = operation(
  references.addReference,
  async (context, { targetType, targetUuid, ...given }) => {
    const { db } = context
    const known = await db.selectFrom("referenceLinks").select("uuid").where("targetUuid", "=", targetUuid).execute()
    if (known.length >= MOST_REFERENCES) {
      throw new ChorusError("too_many_references", `There are ${MOST_REFERENCES} references already.`, {
        status: 409,
        next: "Remove one that is no longer needed.",
      })
    }
    const projectUuid = await projectOf(db, targetType, targetUuid)
    const [added] = await insertReferences(context, { projectUuid, targetType, targetUuid }, [given])
    if (added === undefined) throw notFound(targetType, targetUuid)
    return added
  },
)

export const updateReference = operation(
  references.updateReference,
  async ({ db, actor, now, emit }, { uuid, ...changes }) => {
    assertMayChangeAddition({ actor }, await findReference(db, actor, uuid))
    const row = await db
      .updateTable("referenceLinks")
      .set({ ...changes, updatedAt: now })
      .where("uuid", "=", uuid)
      .returningAll()
      .executeTakeFirstOrThrow()
    const patch = { ...changes, updatedAt: now }
    emit({
      kind: "reference.updated",
      entityType: "reference",
      entityUuid: uuid,
      projectUuid: row.projectUuid,
      action: "updated",
      patch,
    })
    return referenceRow(row, await namesOf(db, [row.createdByUuid]))
  },
)

export const removeReference = operation(references.removeReference, async ({ db, actor, emit }, { uuid }) => {
  const row = await findReference(db, actor, uuid)
  assertMayChangeAddition({ actor }, row)
  await db.deleteFrom("referenceLinks").where("uuid", "=", uuid).execute()
  const { targetType, targetUuid, title } = row
  const patch = { targetType, targetUuid, title }
  emit({
    kind: "reference.removed",
    entityType: "reference",
    entityUuid: uuid,
    projectUuid: row.projectUuid,
    action: "deleted",
    patch,
  })
  return { uuid, action: "reference_removed" as const }
})

async function findReference(db: Db, actor: Actor, uuid: string): Promise<Schema["referenceLinks"]> {
  const row = await db.selectFrom("referenceLinks").selectAll().where("uuid", "=", uuid).executeTakeFirst()
  const place =
    row &&
    (await db
      .selectFrom("projects")
      .select(["workspaceUuid", "uuid as projectUuid"])
      .where("uuid", "=", row.projectUuid)
      .executeTakeFirst())
  if (row === undefined || place === undefined || !withinReach(actor, place)) throw notFound("reference", uuid)
  return row
}
