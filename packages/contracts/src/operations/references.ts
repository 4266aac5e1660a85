import { z } from "zod"
import { ActorRef, line, prose, signature } from "../signature.ts"

export const ReferenceType = z.enum(["docs", "repo", "issue_pr", "paper_blog"])
export type ReferenceType = z.infer<typeof ReferenceType>

/** An http or https address; checked as a line first, because URL parsers let control characters through. */
export const WebAddress = line(2048).pipe(z.url({ protocol: /^https?$/ }))

/** A link to something outside, as it is given together with the thing it belongs to. */
export const ReferenceInput = z.object({
  type: ReferenceType,
  url: WebAddress,
  title: line(),
  notes: prose(4000).optional(),
})
export type ReferenceInput = z.infer<typeof ReferenceInput>

export const ReferenceRow = z.object({
  uuid: z.string(),
  targetType: z.enum(["idea", "proposal", "task", "document"]),
  targetUuid: z.string(),
  type: ReferenceType,
  url: z.string(),
  title: z.string(),
  notes: z.string().nullable(),
  createdBy: ActorRef.nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type ReferenceRow = z.infer<typeof ReferenceRow>

export const addReference = signature({
  name: "chorus_add_reference",
  does: "Link something outside to an idea, proposal or task.",
  needs: "document:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    targetType: z.enum(["idea", "proposal", "task", "document"]),
    targetUuid: z.uuid(),
    ...ReferenceInput.shape,
  }),
  output: ReferenceRow,
})

export const updateReference = signature({
  name: "chorus_update_reference",
  does: "Change a reference.",
  needs: "document:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    uuid: z.uuid(),
    type: ReferenceType.optional(),
    url: WebAddress.optional(),
    title: line().optional(),
    notes: prose(4000).nullable().optional(),
  }),
  output: ReferenceRow,
})

export const removeReference = signature({
  name: "chorus_remove_reference",
  does: "Remove a reference.",
  needs: "document:write",
  kind: "write",
  tool: "listed",
  input: z.object({ uuid: z.uuid() }),
  output: z.object({ uuid: z.string(), action: z.literal("reference_removed") }),
})
