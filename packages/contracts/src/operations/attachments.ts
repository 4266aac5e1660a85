import { z } from "zod"
import { ActorRef, line, signature } from "../signature.ts"

export const ATTACHMENT_MAX_BYTES = 3_000_000

const TargetType = z.enum(["idea", "proposal", "task", "document"])

export const AttachmentRow = z.object({
  uuid: z.string(),
  targetType: TargetType,
  targetUuid: z.string(),
  name: z.string(),
  mediaType: z.string(),
  size: z.number().int(),
  sha256: z.string(),
  createdBy: ActorRef.nullable(),
  createdAt: z.string(),
})
export type AttachmentRow = z.infer<typeof AttachmentRow>

export const addAttachment = signature({
  name: "chorus_add_attachment",
  does: "Attach a file of at most 3 MB, as base64.",
  needs: "document:write",
  kind: "write",
  tool: "none",
  input: z.object({
    targetType: TargetType,
    targetUuid: z.uuid(),
    /** The uuid it is to have, where a text names it already. */
    as: z.uuid().optional(),
    name: line(200).refine(
      (name) => !/[\\/]/.test(name) && name !== "." && name !== "..",
      "must be a file name, not a path",
    ),
    mediaType: z
      .string()
      .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i)
      .max(120),
    contentBase64: z.base64().max(Math.ceil(ATTACHMENT_MAX_BYTES / 3) * 4),
  }),
  output: AttachmentRow,
})

export const listAttachments = signature({
  name: "chorus_get_attachments",
  does: "List the files attached to something.",
  needs: "document:read",
  kind: "read",
  tool: "none",
  input: z.object({ targetType: TargetType, targetUuid: z.uuid() }),
  output: z.object({ attachments: z.array(AttachmentRow) }),
})

export const getAttachment = signature({
  name: "chorus_get_attachment",
  does: "Read a file that stands in a text as attachment:UUID.",
  needs: "document:read",
  kind: "read",
  tool: "listed",
  input: z.object({ attachmentUuid: z.uuid() }),
  output: AttachmentRow.extend({ contentBase64: z.string() }),
})

export const removeAttachment = signature({
  name: "chorus_remove_attachment",
  does: "Remove an attached file.",
  needs: "document:write",
  kind: "write",
  tool: "none",
  input: z.object({ attachmentUuid: z.uuid() }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})
