import { z } from "zod"
import { line, prose, signature } from "../signature.ts"
import { AttentionRow } from "./attentions.ts"
import { CriterionInput } from "./criteria.ts"

/** What an agent asks to be changed in what was approved, or in a person's own words. */
export const RequestedChange = z.object({
  title: line().optional(),
  /** An idea's or document's text, a task's description. */
  content: prose(80_000).optional(),
  criteria: z
    .array(z.union([line(2000), CriterionInput]))
    .min(1)
    .max(100)
    .optional(),
  /** Tasks to add to an approved proposal, as chorus_submit_plan or chorus_create_tasks takes them. */
  tasks: z.array(z.record(z.string(), z.unknown())).min(1).max(100).optional(),
})
export type RequestedChange = z.infer<typeof RequestedChange>

export const ChangeTarget = z.enum(["idea", "task", "document", "proposal"])
export type ChangeTarget = z.infer<typeof ChangeTarget>

export const requestChange = signature({
  name: "chorus_request_change",
  does: "Ask a person to change what was approved or what a person wrote; done when they agree.",
  needs: "anyone",
  kind: "write",
  tool: "listed",
  input: z.object({
    targetType: ChangeTarget,
    targetUuid: z.uuid(),
    reason: prose(4000).refine((text) => text.trim() !== "", "must say why"),
    ...RequestedChange.shape,
  }),
  output: AttentionRow,
})
