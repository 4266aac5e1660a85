import { z } from "zod"
import { LabelId, line, pageOutput, pagesOf, ProjectId, signature } from "../signature.ts"

/** What a label is called; case is kept as first written and makes no difference. */
export const LabelName = line(40)

/** The labels of a task or an idea, by name; new ones are made on the fly. */
export const LabelNames = z.array(LabelName).max(20)

/** A label of a project, as lists show it and `label.*` events patch it. */
export const LabelRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  name: z.string(),
  /** One of the eight colours of the page. */
  hue: z.number().int(),
  createdAt: z.string(),
})
export type LabelRow = z.infer<typeof LabelRow>

export const listLabels = signature({
  name: "chorus_list_labels",
  does: "List a project's labels by name.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ projectUuid: ProjectId, ...pagesOf(100, 200) }),
  output: z.object({ labels: z.array(LabelRow), ...pageOutput }),
})

export const updateLabel = signature({
  name: "chorus_update_label",
  does: "Rename a label or give it another colour, wherever it is used.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z
    .object({ labelUuid: LabelId, name: LabelName.optional(), hue: z.number().int().min(0).max(7).optional() })
    .refine(({ name, hue }) => name !== undefined || hue !== undefined, "give name, hue or both"),
  output: LabelRow,
})

export const deleteLabel = signature({
  name: "chorus_delete_label",
  does: "Delete a label and take it off everything that bears it.",
  needs: "task:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({ labelUuid: LabelId }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})
