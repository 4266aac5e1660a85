import { z } from "zod"
import { ActorKind, ActorRef, CriterionId, line, prose, signature, TaskId } from "../signature.ts"

export const CriterionVerdict = z.enum(["pending", "passed", "failed"])
export type CriterionVerdict = z.infer<typeof CriterionVerdict>

/** A criterion as people and agents write it; `command` makes it executable, by whoever checks it and never by the server. */
export const CriterionInput = z.object({
  description: line(2000),
  required: z.boolean().optional(),
  command: line(2000).optional(),
})
export type CriterionInput = z.infer<typeof CriterionInput>

/** Also takes what the early contract sent, one Markdown text `acceptanceCriteria`: each of its points becomes a criterion. */
export function takesEarlyCriteria<Input extends z.ZodType>(input: Input): Input {
  // The list of tools and the typed client show the shape as it is today.
  return z.preprocess(fromEarlyCriteria, input) as unknown as Input
}

function fromEarlyCriteria(sent: unknown): unknown {
  if (typeof sent !== "object" || sent === null || !("acceptanceCriteria" in sent)) return sent
  const { acceptanceCriteria: text, ...rest } = sent
  if (text === null) return rest
  if (typeof text !== "string" || "acceptanceCriteriaItems" in rest) return sent
  return { ...rest, acceptanceCriteriaItems: pointsOf(text).map((description) => ({ description })) }
}

const BULLET = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?/

/** The points of a Markdown list, with what is indented below each; every line where there is no list. */
function pointsOf(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !/^\s*#/.test(line))
  if (!lines.some((line) => BULLET.test(line))) return lines.map((line) => line.trim())
  const points: string[] = []
  for (const line of lines) {
    if (BULLET.test(line)) points.push(line.replace(BULLET, "").trim())
    else if (points.length > 0) points.push(`${points.pop()} ${line.trim()}`)
  }
  return points
}

/** Two tracks: the developer's own check (`dev…`) and the verifier's verdict. */
export const CriterionRow = z.object({
  uuid: z.string(),
  description: z.string(),
  required: z.boolean(),
  command: z.string().nullable(),
  /** Whether a person approved the command; until then no machine runs it. */
  approved: z.boolean().optional(),
  /**
   * What running the command gave on the present work, and whose word that is; trusted is what Chorus or a person ran
   * unaltered.
   */
  check: z
    .object({
      state: z.enum(["queued", "running", "passed", "failed", "not_run"]),
      source: z.enum(["chorus", "person", "agent"]),
      trusted: z.boolean(),
      /** It ran on other work than the present. */
      outdated: z.boolean(),
      exitCode: z.number().int().nullable(),
      reason: z.string().nullable(),
      touched: z.array(z.string()),
    })
    .optional(),
  sortOrder: z.number().int(),
  devStatus: CriterionVerdict,
  devEvidence: z.string().nullable(),
  devMarkedByType: ActorKind.nullable(),
  devMarkedBy: z.string().nullable(),
  devMarkedAt: z.string().nullable(),
  status: CriterionVerdict,
  evidence: z.string().nullable(),
  markedByType: ActorKind.nullable(),
  markedBy: z.string().nullable(),
  markedAt: z.string().nullable(),
})
export type CriterionRow = z.infer<typeof CriterionRow>

export const AcceptanceStatus = z.enum(["not_started", "in_progress", "passed", "failed"])
export type AcceptanceStatus = z.infer<typeof AcceptanceStatus>

export const AcceptanceSummary = z.object({
  total: z.number().int(),
  required: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  pending: z.number().int(),
  requiredPassed: z.number().int(),
  requiredFailed: z.number().int(),
  requiredPending: z.number().int(),
})
export type AcceptanceSummary = z.infer<typeof AcceptanceSummary>

/** One past mark; kept when a task is reopened or its criteria are rewritten. */
export const VerdictRow = z.object({
  uuid: z.string(),
  criterionUuid: z.string(),
  criterion: z.string(),
  track: z.enum(["dev", "admin"]),
  status: CriterionVerdict,
  evidence: z.string().nullable(),
  exitCode: z.number().int().nullable(),
  output: z.string().nullable(),
  /** The hand-in it was made for: what stands from an earlier one was not run again. */
  handIn: z.number().int(),
  /** It names a command, and a person passed it without an exit code: they stand for what they saw. */
  observed: z.boolean(),
  markedBy: ActorRef.nullable(),
  markedAt: z.string(),
})
export type VerdictRow = z.infer<typeof VerdictRow>

// Programs colour what they print; here only the words count.
// oxlint-disable-next-line no-control-regex
const TERMINAL_CODES = /\u001b\[[0-9:;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g

export function withoutTerminalCodes(text: string): string {
  return text.replace(TERMINAL_CODES, "")
}

const ALL_BUT_COLOURS =
  // oxlint-disable-next-line no-control-regex
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b(?!\[[0-9:;]*m)(?:\[[0-9:;?]*[ -/]*[@-~])?|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g

/** What a terminal would show of it: words, their colours, and lines that are written over. No title, link or cursor. */
export function withColoursOnly(text: string): string {
  return text.replace(ALL_BUT_COLOURS, "")
}

/** What running a criterion's command gave. */
export const commandResult = {
  exitCode: z.number().int().min(-1).max(255).optional(),
  output: z.string().max(100_000).overwrite(withoutTerminalCodes).optional(),
}

export const SelfCheck = z.object({
  uuid: CriterionId,
  devStatus: z.enum(["passed", "failed"]),
  devEvidence: prose(20_000).optional(),
  ...commandResult,
})
export type SelfCheck = z.infer<typeof SelfCheck>

const acceptance = z.object({ items: z.array(CriterionRow), status: AcceptanceStatus, summary: AcceptanceSummary })

export const reportSelfCheck = signature({
  name: "chorus_report_criteria_self_check",
  does: "Report your own check of criteria on a task you hold; exitCode and output prove a command.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid: TaskId, criteria: z.array(SelfCheck).min(1).max(100) }),
  output: acceptance,
})

export const markCriteria = signature({
  name: "chorus_mark_acceptance_criteria",
  does: "Give the verifier's verdict on criteria; sendBack returns the task in the same call, with that reason.",
  needs: "task:admin",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid: TaskId,
    criteria: z
      .array(
        z.object({
          uuid: CriterionId,
          status: z.enum(["passed", "failed"]),
          evidence: prose(20_000).optional(),
          ...commandResult,
        }),
      )
      .min(1)
      .max(100),
    sendBack: prose(4000).optional(),
  }),
  output: acceptance,
})
