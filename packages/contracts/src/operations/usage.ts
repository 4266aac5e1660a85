import { z } from "zod"
import { AgentId, IdeaId, line, ProjectId, ProposalId, SessionId, signature, TaskId } from "../signature.ts"

const tokens = z.number().int().min(0).max(1_000_000_000_000)

export const reportUsage = signature({
  name: "chorus_report_usage",
  does: "Report tokens spent; the same key counts once, and of what is told from its beginning only what is new.",
  needs: "anyone",
  kind: "write",
  tool: "hidden",
  input: z.object({
    key: line(200).optional(),
    /** Whose tokens these are, all of them up to now: what was told of it before is not counted again. */
    of: line(180).optional(),
    sessionUuid: SessionId.optional(),
    taskUuid: TaskId.optional(),
    model: line(120).optional(),
    inputTokens: tokens.default(0),
    outputTokens: tokens.default(0),
    cacheReadTokens: tokens.default(0),
    cacheCreationTokens: tokens.default(0),
    costUsd: z.number().min(0).max(1_000_000).optional(),
    source: line(40).default("tool"),
  }),
  output: z.object({ recorded: z.boolean(), taskUuid: z.string().nullable() }),
})

export const UsageTotals = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheCreationTokens: z.number(),
  totalTokens: z.number(),
  /** Null where nobody said what it cost, which is not nothing. */
  costUsd: z.number().nullable(),
})
export type UsageTotals = z.infer<typeof UsageTotals>

export const getUsage = signature({
  name: "chorus_get_usage",
  does: "Sum up tokens and cost per run, task, proposal, idea, project, agent or model.",
  needs: "project:read",
  kind: "read",
  tool: "none",
  input: z.object({
    by: z.enum(["run", "task", "proposal", "idea", "project", "agent", "model"]).default("task"),
    projectUuid: ProjectId.optional(),
    ideaUuid: IdeaId.optional(),
    proposalUuid: ProposalId.optional(),
    taskUuid: TaskId.optional(),
    runUuid: z.uuid().optional(),
    agentUuid: AgentId.optional(),
    since: z.iso.datetime().optional(),
  }),
  output: z.object({
    total: UsageTotals,
    rows: z.array(UsageTotals.extend({ key: z.string().nullable(), name: z.string() })),
  }),
})
