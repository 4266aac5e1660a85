import { z } from "zod"
import { line, signature } from "../signature.ts"
import { RunEntry } from "./runs.ts"

const runUuid = z.uuid()
const ShownEntry = RunEntry.extend({ revision: z.number().int() })

export const getTranscript = signature({
  name: "chorus_get_transcript",
  does: "Get what a run's agent said and did: what changed after a revision, or what stands before a place.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({
    runUuid,
    after: z.number().int().min(0).default(0),
    /** The last entries before this place, in order, instead of what changed; a place beyond the end gives the end. */
    before: z.number().int().min(0).optional(),
    limit: z.number().int().min(1).max(1000).default(500),
  }),
  output: z.object({
    entries: z.array(ShownEntry),
    /** Ask again after this one. */
    revision: z.number().int(),
    more: z.boolean(),
  }),
})

export const searchTranscript = signature({
  name: "chorus_search_transcript",
  does: "Find where a run's agent said or did something.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ runUuid, text: line(200) }),
  output: z.object({ entries: z.array(ShownEntry), more: z.boolean() }),
})

export const getRunOutput = signature({
  name: "chorus_get_run_output",
  does: "Get what a call of a run's agent printed, where its transcript shows only a part.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ runUuid, entryId: line(200) }),
  /** Null where nothing more of it was kept. */
  output: z.object({ output: z.string().nullable() }),
})
