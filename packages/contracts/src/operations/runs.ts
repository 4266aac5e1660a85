import { z } from "zod"
import { ActorRef, IdeaId, line, pageOutput, pagesOf, ProjectId, prose, signature, TaskId } from "../signature.ts"
import { ReportedEntry, RunAsk, RunEntry, RunEntryKind } from "./run-entry.ts"
import { COMMAND_FAULT, fitsCommand, RunBudget, RunChoice, RunMode, RunProgram, RunWork } from "./run-policy.ts"

/** The last four are ends; a run that has ended can be taken up again. */
export const RunState = z.enum(["queued", "starting", "running", "waiting", "finished", "failed", "stopped", "lost"])
export type RunState = z.infer<typeof RunState>

export { ReportedEntry, RunEntry, RunEntryKind, RunMode, RunProgram, RunWork }

/** Cost is known only of programs that tell it. */
export const RunUsage = z.object({
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cacheReadTokens: z.number().int(),
  cacheCreationTokens: z.number().int(),
  costUsd: z.number().nullable(),
})
export type RunUsage = z.infer<typeof RunUsage>

const program = { program: RunProgram, command: line(1000).nullable() }

/** A run as lists show it, and what `run.*` events patch. */
export const RunRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  work: RunWork,
  /** What it is at work on: a task, or an idea that has none yet. */
  taskUuid: z.string().nullable(),
  ideaUuid: z.string().nullable(),
  taskTitle: z.string(),
  taskShortId: z.string().nullable(),
  ...program,
  model: z.string().nullable(),
  mode: RunMode.nullable(),
  inPlace: z.boolean(),
  state: RunState,
  /** Why it is in this state, where that is not plain; of one in the queue, why it waits. */
  reason: z.string().nullable(),
  /** Chorus itself stopped it, and for what. */
  stoppedFor: z.enum(["budget", "loop"]).nullable(),
  /** What its people should know while it goes on: most of a budget is used, or nothing has been heard of it. */
  warning: z.string().nullable(),
  /** Limits of this run's own, beside those of its project. */
  budget: RunBudget,
  /** The run it began from, and after which turn. */
  forkOf: z.string().nullable(),
  forkTurn: z.number().int().nullable(),
  stateSince: z.string(),
  /** The machine it runs on, or was asked for on. */
  machine: z.string().nullable(),
  /** Under whose name it works; nobody's until a runner took it. */
  agent: ActorRef.nullable(),
  startedBy: ActorRef.nullable(),
  sessionUuid: z.string().nullable(),
  /** The program's own name for the conversation; with it the run can be taken up again. */
  sessionId: z.string().nullable(),
  branch: z.string().nullable(),
  worktree: z.string().nullable(),
  baseCommit: z.string().nullable(),
  turns: z.number().int(),
  /** How long it was at work, and how long it waited for a person, until it got into its state; neither in the queue. */
  workMs: z.number().int(),
  waitMs: z.number().int(),
  usage: RunUsage,
  /** Counts the changes of its transcript. */
  revision: z.number().int(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
})
export type RunRow = z.infer<typeof RunRow>

/** What a machine has of memory, and what the worktrees of its runs take, in megabytes. */
export const RunnerRoom = z.object({
  memory: z.number().int().min(0),
  freeMemory: z.number().int().min(0),
  worktrees: z.number().int().min(0).nullable(),
})
export type RunnerRoom = z.infer<typeof RunnerRoom>

/** What a runner says of a program it has. */
export const RunnerProgram = z.object({
  program: RunProgram,
  version: z.string().max(60).nullable(),
  /** What is missing before it can run here, and what brings it. */
  missing: z.string().max(300).nullable(),
  /** The most it may do here without asking. */
  mode: RunMode.optional(),
  /** Whether it may work in the checkout itself here. */
  inPlace: z.boolean().optional(),
  /** For the program `command`: what the machine starts as one. */
  commands: z.array(z.string().max(1000)).max(50).optional(),
  /** What it cannot do, for whoever chooses. */
  lacks: z.array(z.string().max(300)).max(10).optional(),
})
export type RunnerProgram = z.infer<typeof RunnerProgram>

/** A command by which a repository could check what is done in it, as its own files name it. */
export const FoundCheck = z.object({ name: line(80), command: line(2000) })
export type FoundCheck = z.infer<typeof FoundCheck>

/** A repository that a machine allows, for every project or for the one it names. */
export const RunnerFolder = z.object({
  path: line(1000),
  project: line(200).optional(),
  /** Proposed to whoever sets up a project; run only once a person has confirmed it. */
  found: z.array(FoundCheck).max(20).optional(),
})
export type RunnerFolder = z.infer<typeof RunnerFolder>
/** Older runners tell only where they lie. */
export const RunnerFolders = z
  .array(z.union([RunnerFolder, line(1000).transform((path): RunnerFolder => ({ path }))]))
  .max(100)

export const RunnerRow = z.object({
  uuid: z.string(),
  machine: z.string(),
  agent: ActorRef,
  programs: z.array(RunnerProgram),
  folders: z.array(RunnerFolder),
  slots: z.number().int(),
  busy: z.number().int(),
  /** Whether it runs the checks of what was handed in. */
  checks: z.boolean(),
  /** Null where an older runner does not tell. */
  room: RunnerRoom.nullable(),
  seenAt: z.string(),
  /** Whether it was heard of lately. */
  present: z.boolean(),
})
export type RunnerRow = z.infer<typeof RunnerRow>

/** What a person says to a run, on its way to the machine. */
export const RunOrder = z.discriminatedUnion("order", [
  z.object({ order: z.literal("send"), runUuid: z.string(), text: z.string(), by: z.string() }),
  z.object({ order: z.literal("interrupt"), runUuid: z.string(), by: z.string() }),
  z.object({ order: z.literal("stop"), runUuid: z.string(), by: z.string() }),
  /** From the next turn on. */
  z.object({
    order: z.literal("set"),
    runUuid: z.string(),
    by: z.string(),
    model: z.string().optional(),
    mode: RunMode.optional(),
  }),
  z.object({
    order: z.literal("answer"),
    runUuid: z.string(),
    requestId: z.string(),
    by: z.string(),
    decision: z.enum(["approve", "deny"]).optional(),
    text: z.string().optional(),
    data: z.record(z.string(), z.unknown()).optional(),
  }),
])
export type RunOrder = z.infer<typeof RunOrder>

/** A run as the runner that won it gets it. */
export const LeasedRun = z.object({
  uuid: z.string(),
  /** Proves with every report that it is still this runner's. */
  lease: z.string(),
  work: RunWork.optional(),
  taskUuid: z.string().nullable(),
  taskTitle: z.string(),
  projectUuid: z.string(),
  projectName: z.string(),
  ...program,
  model: z.string().nullable(),
  mode: RunMode.nullable(),
  inPlace: z.boolean(),
  folder: z.string().nullable(),
  /** The first words to the agent: the brief, or what a person said to go on with. */
  prompt: z.string(),
  /** The same, each thing that was said by itself. */
  parts: z.array(z.string()).optional(),
  /** The conversation to take up again. */
  sessionId: z.string().nullable(),
  /** For the agent alone, and only as long as the run lasts. */
  key: z.string(),
  /** What is left of the narrowest budget; the server stops what goes beyond, the machine may be quicker. */
  limits: RunBudget.optional(),
  /** The checkpoint that its worktree begins at, as git on that machine calls it. */
  from: z.string().optional(),
  /** As which commits the work that this one depends on has landed, and in which branch. */
  builtOn: z.array(z.object({ commit: z.string(), branch: z.string().nullable() })).optional(),
})
export type LeasedRun = z.infer<typeof LeasedRun>

export type { RunAsk }

const runUuid = z.uuid()

export const startRun = signature({
  name: "chorus_start_run",
  does: "Put an agent to work on a task or an idea, on a machine that allows it.",
  needs: "task:admin",
  kind: "write",
  tool: "listed",
  input: z
    .object({
      taskUuid: TaskId.optional(),
      ideaUuid: IdeaId.optional(),
      /** Building a task and planning an idea, when left out. */
      work: RunWork.optional(),
      ...RunChoice,
      inPlace: z.boolean().default(false),
      /** Said to the agent after the brief. */
      words: prose(20_000).optional(),
    })
    .refine(fitsCommand, COMMAND_FAULT)
    .refine((input) => (input.taskUuid === undefined) !== (input.ideaUuid === undefined), {
      path: ["taskUuid"],
      message: "name a task or an idea, not both",
    }),
  output: RunRow,
})

export const listRuns = signature({
  name: "chorus_list_runs",
  does: "List runs: live ones first, then newest.",
  needs: "task:read",
  kind: "read",
  tool: "listed",
  listedFor: "task:admin",
  input: z.object({
    projectUuid: ProjectId.optional(),
    taskUuid: TaskId.optional(),
    /** Runs on the idea itself, and on the tasks of its plans. */
    ideaUuid: IdeaId.optional(),
    live: z.boolean().default(false),
    ...pagesOf(20, 200),
  }),
  output: z.object({ runs: z.array(RunRow), ...pageOutput }),
})

export const getRun = signature({
  name: "chorus_get_run",
  does: "Get a run with what it has used.",
  needs: "task:read",
  kind: "read",
  tool: "listed",
  listedFor: "task:admin",
  input: z.object({ runUuid }),
  output: RunRow,
})

export const sendToRun = signature({
  name: "chorus_send_to_run",
  does: "Say something to a run: heard when the call under way has ended, or in its next turn; one that has ended is taken up again.",
  needs: "task:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ runUuid, text: prose(20_000).refine((text) => text.trim() !== "", "must say something") }),
  output: RunRow,
})

export const interruptRun = signature({
  name: "chorus_interrupt_run",
  does: "End what a run's agent is doing now; it goes on with what was said to it, or waits for words.",
  needs: "task:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({ runUuid }),
  output: RunRow,
})

export const stopRun = signature({
  name: "chorus_stop_run",
  does: "Stop a run; its worktree and its task stay as they are.",
  needs: "task:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ runUuid }),
  output: RunRow,
})

export const stopRuns = signature({
  name: "chorus_stop_runs",
  does: "Stop every run that has not ended, of one project or of all.",
  needs: "task:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({ projectUuid: ProjectId.optional() }),
  output: z.object({ stopped: z.number().int() }),
})

export const resumeRun = signature({
  name: "chorus_resume_run",
  does: "Take up a run again that has ended, in its worktree and its conversation.",
  needs: "task:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({ runUuid, text: prose(20_000).optional(), budget: RunBudget.optional() }),
  output: RunRow,
})

export const changeRun = signature({
  name: "chorus_change_run",
  does: "Change a run's model, mode or budget; model and mode hold from its next turn.",
  needs: "task:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({
    runUuid,
    model: line(120).optional(),
    mode: RunMode.optional(),
    budget: RunBudget.optional(),
  }),
  output: RunRow,
})

export const forkRun = signature({
  name: "chorus_fork_run",
  does: "Begin a new run where another stood at the end of a turn.",
  needs: "task:admin",
  kind: "write",
  tool: "hidden",
  input: z.object({ runUuid, turn: z.number().int().min(1), words: prose(20_000).optional() }),
  output: RunRow,
})

export const listRunners = signature({
  name: "chorus_list_runners",
  does: "List the machines that run agents, with their programs and free places.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ ...pagesOf(20) }),
  output: z.object({ runners: z.array(RunnerRow), ...pageOutput }),
})

export const leaseRun = signature({
  name: "chorus_lease_run",
  does: "Tell what this machine can run, and take the next run that waits for one like it.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({
    machine: line(120),
    programs: z.array(RunnerProgram).max(20),
    folders: RunnerFolders,
    slots: z.number().int().min(0).max(64),
    busy: z.number().int().min(0).max(64),
    checks: z.boolean().default(false),
    room: RunnerRoom.optional(),
  }),
  output: z.object({ run: LeasedRun.nullable() }),
})

export const reportRun = signature({
  name: "chorus_report_run",
  does: "Report on a run that this runner holds; every report prolongs the lease.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({
    runUuid,
    lease: z.uuid(),
    state: RunState.exclude(["queued"]).optional(),
    reason: prose(1000).nullable().optional(),
    sessionId: line(200).optional(),
    branch: line(300).optional(),
    worktree: line(1000).optional(),
    baseCommit: line(64).optional(),
    turns: z.number().int().min(0).optional(),
    usage: RunUsage.optional(),
    /** What git calls the tree at the end of a turn. */
    tree: line(64).optional(),
    entries: z.array(ReportedEntry).max(500).default([]),
    asks: z.array(RunAsk).max(50).default([]),
    /** Requests that nobody need answer any more. */
    settled: z.array(line(200)).max(50).default([]),
    /** With the end: the delivery that it heard last, of which the server may not have been told yet. */
    heard: line(200).optional(),
    /** What the agent said last, and what git says of the work; with the end they become the report on the task. */
    lastWords: prose(60_000).optional(),
    evidence: prose(10_000).optional(),
  }),
  output: z.object({ uuid: z.string(), state: RunState }),
})

export const sweepRuns = signature({
  name: "chorus_sweep_runs",
  does: "Mark runs as lost whose machine has been silent for too long.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({}),
  output: z.object({ lost: z.number().int() }),
})
