import { createHash } from "node:crypto"
import { attachments, ChorusError } from "@chorus/contracts"
import { namesOf, operation, projectOf } from "../../operation.ts"
import { assertMayChangeAddition } from "../change-requests/rewrite.ts"
import { attachmentRow, attachmentsOf } from "./attachment-row.ts"

const MOST_ATTACHMENTS = 50

export const addAttachment = operation(
  attachments.addAttachment,
  async ({ db, actor, now, newId, emit }, { contentBase64, as: uuid = newId(), ...given }) => {
    const content = Buffer.from(contentBase64, "base64")
    if (content.byteLength > attachments.ATTACHMENT_MAX_BYTES)
      throw tooMuch(`A file has at most ${attachments.ATTACHMENT_MAX_BYTES / 1_000_000} MB.`)
    const known = await db
      .selectFrom("attachmentFiles")
      .select("uuid")
      .where(({ or, eb }) => or([eb("targetUuid", "=", given.targetUuid), eb("uuid", "=", uuid)]))
      .execute()
    if (known.some((each) => each.uuid === uuid)) throw taken()
    if (known.length >= MOST_ATTACHMENTS) throw tooMuch(`There are ${MOST_ATTACHMENTS} attachments already.`)
    const projectUuid = await projectOf(db, given.targetType, given.targetUuid)
    const row = {
      uuid,
      projectUuid,
      ...given,
      size: content.byteLength,
      sha256: createHash("sha256").update(content).digest("hex"),
      content,
      createdByType: actor.type,
      createdByUuid: actor.uuid,
      createdAt: now,
    }
    await db.insertInto("attachmentFiles").values(row).execute()
    const attachment = attachmentRow(row, await namesOf(db, [actor.uuid]))
    emit({
      kind: "attachment.added",
      entityType: "attachment",
      entityUuid: row.uuid,
      projectUuid,
      action: "created",
      patch: attachment,
    })
    return attachment
  },
)

export const listAttachments = operation(attachments.listAttachments, async ({ db }, { targetUuid }) => ({
  attachments: await attachmentsOf(db, targetUuid),
}))

export const getAttachment = operation(attachments.getAttachment, async ({ db }, { attachmentUuid }) => {
  const row = await db
    .selectFrom("attachmentFiles")
    .selectAll()
    .where("uuid", "=", attachmentUuid)
    .executeTakeFirstOrThrow()
  return {
    ...attachmentRow(row, await namesOf(db, [row.createdByUuid])),
    contentBase64: Buffer.from(row.content).toString("base64"),
  }
})

export const removeAttachment = operation(attachments.removeAttachment, async (context, { attachmentUuid }) => {
  const { db, emit } = context
  const row = await db
    .deleteFrom("attachmentFiles")
    .where("uuid", "=", attachmentUuid)
    .returning(["projectUuid", "targetType", "targetUuid", "name", "createdByType"])
    .executeTakeFirstOrThrow()
  const { projectUuid, createdByType, ...patch } = row
  assertMayChangeAddition(context, { createdByType, title: row.name })
  emit({
    kind: "attachment.removed",
    entityType: "attachment",
    entityUuid: attachmentUuid,
    projectUuid,
    action: "deleted",
    patch,
  })
  return { uuid: attachmentUuid, deleted: true as const }
})

function taken(): ChorusError {
  return new ChorusError("attachment_refused", "Another file has this uuid already.", {
    status: 409,
    next: "Leave `as` out, or make a new uuid for each file.",
  })
}

function tooMuch(message: string): ChorusError {
  return new ChorusError("attachment_refused", message, {
    status: 413,
    next: "Attach less, or link to it with a reference.",
  })
}
