import { z } from "zod"
import { ActorRef } from "../signature.ts"

/** A finding that is still open when work or a plan comes back. */
export const OpenFinding = z.object({
  key: z.string(),
  severity: z.enum(["blocker", "note"]),
  text: z.string(),
  by: z.string().optional(),
})
export type OpenFinding = z.infer<typeof OpenFinding>

/** A line comment that is still open when work comes back; the answer goes to its thread. */
export const OpenThread = z.object({
  threadUuid: z.string(),
  file: z.string(),
  line: z.number().int(),
  /** Where the line is gone from the newest version: in these words. */
  outdated: z.string().optional(),
  severity: z.enum(["blocker", "note"]),
  text: z.string(),
  suggestion: z.string().optional(),
  by: z.string().optional(),
})
export type OpenThread = z.infer<typeof OpenThread>

/** Why the last hand-in came back: all that whoever mends it has to know. It goes with the next hand-in. */
export const Returned = z.object({
  /** Which hand-in came back, counted from one. */
  handIn: z.number().int(),
  at: z.string(),
  by: ActorRef.nullable(),
  reason: z.string().optional(),
  failed: z.array(z.object({ uuid: z.string(), criterion: z.string(), evidence: z.string().optional() })),
  findings: z.array(OpenFinding),
  /** Answer each with chorus_comment_on_change. */
  comments: z.array(OpenThread).optional(),
})
export type Returned = z.infer<typeof Returned>

/** One hand-in and what became of it. */
export const HandIn = z.object({
  number: z.number().int(),
  outcome: z.enum(["pending", "accepted", "returned", "taken_back", "closed"]),
  submittedBy: ActorRef.nullable(),
  submittedAt: z.string(),
  decidedBy: ActorRef.nullable(),
  decidedAt: z.string().nullable(),
  reason: z.string().nullable(),
  /** What had failed and what was open when it came back. */
  failed: z.array(z.object({ criterion: z.string(), evidence: z.string().optional() })),
  findings: z.array(OpenFinding),
})
export type HandIn = z.infer<typeof HandIn>
