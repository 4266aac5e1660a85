import { z } from "zod"
import { ActorRef, IdeaId, line, pageOutput, pagesOf, ProjectId, signature, TaskId } from "../signature.ts"

/** `command` is any other program that speaks the Agent Client Protocol. */
export const RunProgram = z.enum(["claude", "codex", "opencode", "qwen", "gemini", "command"])
export type RunProgram = z.infer<typeof RunProgram>

/** How much an agent may do without asking: nothing that changes anything, edits in its worktree, everything. */
export const RunMode = z.enum(["ask", "edit", "all"])
export type RunMode = z.infer<typeof RunMode>

/** What a run is for: planning an idea, building a task, reviewing one that was handed in, answering a question. */
export const RunWork = z.enum(["plan", "build", "review", "answer"])
export type RunWork = z.infer<typeof RunWork>

/** The most that may be used; what is left out has no limit. Tokens are those that went in and came out, cached ones not. */
export const RunBudget = z.object({
  usd: z.number().min(0).max(1_000_000).optional(),
  tokens: z.number().int().min(0).optional(),
  turns: z.number().int().min(0).optional(),
  minutes: z.number().min(0).optional(),
})
export type RunBudget = z.infer<typeof RunBudget>

export const BudgetScope = z.enum(["run", "task", "project", "day"])
export type BudgetScope = z.infer<typeof BudgetScope>

/** How an agent is put to work; what is left out is as the project's policy says. */
export const RunChoice = {
  program: RunProgram.optional(),
  /** For the program `command`: what to start, as words; no shell reads it. */
  command: line(1000).optional(),
  model: line(120).optional(),
  mode: RunMode.optional(),
  machine: line(120).optional(),
  /** One of the folders that the machine allows; needed where it allows several. */
  folder: line(1000).optional(),
  budget: RunBudget.optional(),
}

export const fitsCommand = (input: { program?: RunProgram | undefined; command?: string | undefined }) =>
  (input.program === "command") === (input.command !== undefined)
export const COMMAND_FAULT = { path: ["command"], message: "goes with the program `command`, and only with that" }

const WorkChoice = z
  .object({
    program: RunProgram,
    command: line(1000).optional(),
    model: line(120).optional(),
    mode: RunMode.optional(),
  })
  .refine(fitsCommand, COMMAND_FAULT)

const policy = {
  /** Who puts agents to work: those who run the workspace, every member, or also agents that may delegate. */
  starters: z.enum(["stewards", "people", "agents"]),
  /** Which agent does which work, where nobody chose. */
  work: z.partialRecord(RunWork, WorkChoice),
  /** How many runs of the project go on at a time. */
  parallel: z.number().int().min(1).max(64).nullable(),
  /** Ready tasks that nobody holds are begun whenever a machine has a free place. */
  autopilot: z.boolean(),
  /** What was handed in by a run is reviewed by another before a person is asked. */
  reviewFirst: z.boolean(),
  budgets: z.partialRecord(BudgetScope, RunBudget),
  /** A run that makes the very same call so often in a row is stopped. */
  sameCalls: z.number().int().min(3).max(1000),
  /** So is one that leaves its tree as it was for so many turns. */
  stillTurns: z.number().int().min(2).max(1000),
  /** After so long without a sign it is said. */
  silentMinutes: z.number().int().min(1).max(1440),
}

/** What a project allows its runs; only people change it. */
export const RunPolicy = z.object({
  starters: policy.starters.default("agents"),
  work: policy.work.default({}),
  parallel: policy.parallel.default(null),
  autopilot: policy.autopilot.default(false),
  reviewFirst: policy.reviewFirst.default(false),
  budgets: policy.budgets.default({}),
  sameCalls: policy.sameCalls.default(20),
  stillTurns: policy.stillTurns.default(10),
  silentMinutes: policy.silentMinutes.default(5),
})
export type RunPolicy = z.infer<typeof RunPolicy>

export const getRunPolicy = signature({
  name: "chorus_get_run_policy",
  does: "Get what a project allows the agents that Chorus starts.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ projectUuid: ProjectId }),
  output: RunPolicy,
})

export const updateRunPolicy = signature({
  name: "chorus_update_run_policy",
  does: "Change what a project allows the agents that Chorus starts.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ projectUuid: ProjectId, ...z.object(policy).partial().shape }),
  output: RunPolicy,
})

/** What was used, in the measures of a budget. */
export const RunSpend = z.object({
  usd: z.number(),
  tokens: z.number().int(),
  turns: z.number().int(),
  minutes: z.number(),
})
export type RunSpend = z.infer<typeof RunSpend>

export const getRunSpend = signature({
  name: "chorus_get_run_spend",
  does: "Get what runs have used: by turn for one run, and the sums of a task, an idea, a project or a workspace.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({
    runUuid: z.uuid().optional(),
    taskUuid: TaskId.optional(),
    ideaUuid: IdeaId.optional(),
    projectUuid: ProjectId.optional(),
  }),
  output: z.object({
    total: RunSpend,
    today: RunSpend,
    turns: z.array(RunSpend.omit({ turns: true }).extend({ turn: z.number().int() })),
  }),
})

/** A yes that is given again without asking: to the same call, of a run or of every run of a project. */
export const RunRule = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  /** Null for every run of the project. */
  runUuid: z.string().nullable(),
  /** What sort of call, as the program says it. */
  kind: z.string(),
  title: z.string(),
  by: ActorRef.nullable(),
  createdAt: z.string(),
  used: z.number().int(),
})
export type RunRule = z.infer<typeof RunRule>

export const listRunRules = signature({
  name: "chorus_list_run_rules",
  does: "List what people said yes to once for all, for a project or a run of it.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ projectUuid: ProjectId.optional(), runUuid: z.uuid().optional(), ...pagesOf(200, 200) }),
  output: z.object({ rules: z.array(RunRule), ...pageOutput }),
})

export const revokeRunRule = signature({
  name: "chorus_revoke_run_rule",
  does: "Take back a yes that was given once for all; the next call is asked about again.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ ruleUuid: z.uuid() }),
  output: RunRule,
})
