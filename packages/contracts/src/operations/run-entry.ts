import { z } from "zod"
import { line } from "../signature.ts"
import { withColoursOnly } from "./criteria.ts"

export const RunEntryKind = z.enum(["user", "message", "thought", "tool", "plan", "ask", "note"])
export type RunEntryKind = z.infer<typeof RunEntryKind>

/** One thing an agent said or did, put together from the frames that told of it. What is too long is cut, and says so. */
export const RunEntry = z.object({
  id: z.string().min(1).max(200),
  place: z.number().int().min(0),
  turn: z.number().int().min(0),
  kind: RunEntryKind,
  /** The sub-agent whose it is. */
  child: z.string().max(200).nullable(),
  title: z.string().max(1000).nullable(),
  text: z.string().max(60_000).nullable(),
  status: z.string().max(60).nullable(),
  /** Input, diffs, exit code and milliseconds of a tool call; the steps of a plan; what may be answered. */
  data: z.record(z.string().max(100), z.unknown()),
  at: z.iso.datetime(),
})
export type RunEntry = z.infer<typeof RunEntry>

/** As a runner tells it: of a call that printed more than is shown, also the rest, once it is over. */
export const ReportedEntry = RunEntry.extend({ whole: z.string().max(300_000).overwrite(withColoursOnly).optional() })
export type ReportedEntry = z.infer<typeof ReportedEntry>

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
