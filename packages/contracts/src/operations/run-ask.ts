import { z } from "zod"
import { line } from "../signature.ts"

/** A question of the agent that only a person may answer. */
export const RunAsk = z.object({
  requestId: z.string().min(1).max(200),
  kind: z.enum(["permission", "input"]),
  title: line(300),
  detail: z.record(z.string().max(100), z.unknown()),
  /** After so long the program goes on without an answer. */
  expiresInMs: z.number().int().min(1).max(604_800_000).optional(),
})
export type RunAsk = z.infer<typeof RunAsk>
