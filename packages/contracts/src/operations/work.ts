import { z } from "zod"
import { ProjectId, ProposalId, prose, SessionId, signature, TaskId, waitInput } from "../signature.ts"
import { CriterionVerdict, SelfCheck, VerdictRow } from "./criteria.ts"
import { Waiting } from "./inbox.ts"
import { ReservationRow } from "./reservations.ts"
import { Returned } from "./returned.ts"
import { CheckinRow, SessionRow } from "./sessions.ts"
import { insist, TaskChange, TaskPriority, TaskRow, TaskStatus, WorkReport } from "./tasks.ts"

const taskUuid = TaskId

export const reportWork = signature({
  name: "chorus_report_work",
  does: "Report progress on a task you hold; to: dependents tells who builds on it.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid,
    report: prose(100_000).refine((text) => text.trim() !== "", "must not be blank"),
    status: z.enum(["in_progress", "to_verify"]).optional(),
    to: z.enum(["dependents"]).optional(),
    sessionUuid: SessionId.optional(),
    insist,
  }),
  output: TaskChange.extend({ reportUuid: z.string() }),
})

/** A criterion in a brief; a verdict stands there only once there is one. */
const BriefCriterion = z.object({
  uuid: z.string(),
  description: z.string(),
  required: z.literal(false).optional(),
  command: z.string().optional(),
  devStatus: CriterionVerdict.optional(),
  devEvidence: z.string().optional(),
  status: CriterionVerdict.optional(),
})

/**
 * Everything needed to begin, and nothing else: what came back, what to do, and the parts of documents, answers,
 * contracts and reports that concern it. What there is none of is left out; `changed` says what became different since
 * the last brief.
 */
export const TaskBrief = z.object({
  task: z.object({
    uuid: z.string(),
    shortId: z.string(),
    returned: Returned.optional(),
    title: z.string(),
    status: TaskStatus,
    priority: TaskPriority,
    version: z.number().int(),
    changed: z.string().optional(),
    description: z.string().optional(),
    acceptanceCriteriaItems: z.array(BriefCriterion),
    project: z.object({ uuid: z.string(), name: z.string() }),
    reports: z.array(z.string()).optional(),
    /** What people last said about it. */
    comments: z.array(z.string()).optional(),
    references: z.array(z.object({ title: z.string(), url: z.string() })).optional(),
  }),
  /** What is wanted, in the words of whoever wrote it, as far as they concern the task. */
  idea: z.object({ uuid: z.string(), title: z.string(), words: z.string().optional() }).optional(),
  /** Attached to the task or its idea; chorus_get_attachment has each. */
  files: z.array(z.object({ uuid: z.string(), name: z.string() })).optional(),
  /** What people answered, where it concerns the task; first what was asked about the task itself. */
  answers: z.array(z.object({ question: z.string(), answer: z.string(), changed: z.string().optional() })).optional(),
  /** `parts` are the passages that concern the task; chorus_get_document has the rest. */
  documents: z
    .array(
      z.object({
        uuid: z.string(),
        type: z.string(),
        title: z.string(),
        version: z.number().int(),
        changed: z.string().optional(),
        parts: z.string().optional(),
      }),
    )
    .optional(),
  /** What this builds upon: what may be relied on, and what was reported there, condensed. */
  dependencies: z
    .array(
      z.object({
        uuid: z.string(),
        title: z.string(),
        status: TaskStatus,
        contract: z.string().optional(),
        reports: z.string().optional(),
      }),
    )
    .optional(),
  /** Who builds upon this, where they rely on something. */
  dependents: z.array(z.object({ title: z.string(), contract: z.string() })).optional(),
  reservedByOthers: z.array(z.object({ glob: z.string(), agent: z.string() })).optional(),
  session: z.object({ uuid: z.string(), name: z.string() }).optional(),
})
export type TaskBrief = z.infer<typeof TaskBrief>

export const startTask = signature({
  name: "chorus_start_task",
  does: "Begin a task in one call: claim, check in, in_progress; answers the full brief. takeBack: one you handed in.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid, sessionUuid: SessionId.optional(), takeBack: z.boolean().optional() }),
  output: TaskBrief,
})

/** What the caller has begun and no session of its is at; chorus_start_task gives the brief again. */
export const HeldTask = z.object({ uuid: z.string(), title: z.string() })
export type HeldTask = z.infer<typeof HeldTask>

/** `toReview` is what others handed in and its project wants reviewed: chorus_get_task, then chorus_submit_review. */
const besides = { held: z.array(HeldTask).optional(), toReview: z.array(HeldTask).optional() }

export const nextTask = signature({
  name: "chorus_next_task",
  does: "Begin your returned work or the best ready task; answers its brief, or task null and why. wait_seconds waits for one.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    proposalUuids: z.array(ProposalId).max(100).optional(),
    sessionUuid: SessionId.optional(),
    ...waitInput,
  }),
  output: z.union([
    TaskBrief.extend(besides),
    z.object({
      task: z.null(),
      reason: z.string(),
      waiting: z.number().int(),
      inProgress: z.number().int(),
      ...besides,
    }),
  ]),
})

/** What whoever hands work in wants to know next, and need not ask for. */
const News = z.object({
  /** First things first; chorus_inbox has the rest. */
  waits: z.array(Waiting),
  waitingFor: z.array(z.string()),
  /** Tasks that can be started now and that nobody has. */
  ready: z.number().int(),
})

export const finishTask = signature({
  name: "chorus_finish_task",
  does: "Hand a task in with one call: criteria checks, report, check-out, submit.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid,
    report: prose(100_000).refine((text) => text.trim() !== "", "must not be blank"),
    criteria: z.array(SelfCheck).max(100).optional(),
    sessionUuid: SessionId.optional(),
    insist,
  }),
  output: TaskChange.extend({
    reportUuid: z.string(),
    unchecked: z.array(z.string()),
    checkedOut: z.number().int(),
    news: News,
  }),
})

export const reclaimTask = signature({
  name: "chorus_reclaim_task",
  does: "Take back a task whose agent has been silent too long; it becomes open.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid }),
  output: TaskChange,
})

export const returnLapsedTasks = signature({
  name: "chorus_return_lapsed_tasks",
  does: "Make tasks ready again whose agent died at them, as the workspace's settings say.",
  needs: "task:write",
  kind: "write",
  tool: "none",
  input: z.object({}),
  output: z.object({ returned: z.number().int() }),
})

export const moveTask = signature({
  name: "chorus_move_task",
  does: "Move a card to another column, by the rules of the task's life.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ taskUuid, status: TaskStatus }),
  output: TaskChange,
})

/** A stay on a card, with the last sign of life of its session where the log did not tell of the stay itself. */
export const BoardStay = CheckinRow.extend({ heardAt: z.string().optional() })
export type BoardStay = z.infer<typeof BoardStay>

/**
 * Cards and stays are kept apart because events patch them apart. Stays are those that last, and the last of work in
 * progress whose program died. `position` is a place in the log from which to go on listening.
 */
export const getBoard = signature({
  name: "chorus_get_board",
  does: "Get all cards of a project and who is at work on them.",
  needs: "task:read",
  kind: "read",
  tool: "none",
  input: z.object({ projectUuid: ProjectId }),
  output: z.object({
    tasks: z.array(TaskRow),
    checkins: z.array(BoardStay),
    /** Of which tasks the last hand-in came back, and no other has followed. */
    returned: z.array(z.string()),
    position: z.number().int(),
  }),
})

export const getTaskGraph = signature({
  name: "chorus_get_task_graph",
  does: "Get the dependency graph with waves, critical path and what blocks what.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ projectUuid: ProjectId, proposalUuids: z.array(ProposalId).max(100).optional() }),
  output: z.object({
    nodes: z.array(
      TaskRow.extend({ wave: z.number().int().nullable(), critical: z.boolean(), blockedBy: z.array(z.string()) }),
    ),
    edges: z.array(z.object({ taskUuid: z.string(), dependsOnUuid: z.string(), contract: z.string().nullable() })),
    waves: z.array(z.array(z.string())),
    criticalPath: z.array(z.string()),
    /** Story points along the critical path; what nobody estimated counts as one. */
    criticalWeight: z.number(),
    position: z.number().int(),
  }),
})

export const getTaskHistory = signature({
  name: "chorus_get_task_history",
  does: "Get everything that was done on a task: stays, reports, verdicts, reservations.",
  needs: "task:read",
  kind: "read",
  tool: "hidden",
  input: z.object({ taskUuid }),
  output: z.object({
    checkins: z.array(CheckinRow),
    sessions: z.array(SessionRow),
    reports: z.array(WorkReport),
    verdicts: z.array(VerdictRow),
    reservations: z.array(ReservationRow),
    lease: z.object({ state: z.enum(["none", "person", "held", "lapsed"]), at: z.string().nullable() }),
  }),
})

export const getPresence = signature({
  name: "chorus_get_presence",
  does: "Get agents, their sessions that are not closed, and what each works on.",
  needs: "task:read",
  kind: "read",
  tool: "none",
  input: z.object({ projectUuid: ProjectId.optional() }),
  output: z.object({
    agents: z.array(
      z.object({
        uuid: z.string(),
        name: z.string(),
        ownerUuid: z.string().nullable(),
        lastActiveAt: z.string().nullable(),
        sessions: z.array(SessionRow.extend({ working: z.array(CheckinRow) })),
        /** Tasks it has in progress, also where no session says so. */
        inProgress: z.array(
          z.object({
            uuid: z.string(),
            shortId: z.string(),
            title: z.string(),
            projectUuid: z.string(),
            /** Whether a session of the agent's has been at it: without one, nobody is at it now. */
            wasInSession: z.boolean(),
          }),
        ),
      }),
    ),
    position: z.number().int(),
  }),
})

export const WorkSettings = z.object({
  /** After how many silent minutes a session counts as inactive. */
  sessionInactiveMinutes: z.number().int().min(1).max(10_080).default(60),
  /** After how many minutes without a sign of life an agent's task may be taken back. */
  leaseMinutes: z.number().int().min(1).max(10_080).default(60),
  /** Whether a task whose agent died at it becomes ready by itself, or is kept until somebody takes it back. */
  lapsedTasks: z.enum(["return", "keep"]).default("return"),
})
export type WorkSettings = z.infer<typeof WorkSettings>

export const ToldWorkSettings = WorkSettings.extend({
  /**
   * The most that either number counts for a program whose process Chorus watches over, as its hooks do: that is heard
   * of every minute. It cannot be changed.
   */
  watchedMinutes: z.number().int(),
})

export const getWorkSettings = signature({
  name: "chorus_get_work_settings",
  does: "Get when sessions count as inactive and claims lapse.",
  needs: "anyone",
  kind: "read",
  tool: "none",
  input: z.object({}),
  output: ToldWorkSettings,
})

export const updateWorkSettings = signature({
  name: "chorus_update_work_settings",
  does: "Change when sessions count as inactive and claims lapse.",
  needs: "steward",
  kind: "write",
  tool: "none",
  input: z.object({
    sessionInactiveMinutes: z.number().int().min(1).max(10_080).optional(),
    leaseMinutes: z.number().int().min(1).max(10_080).optional(),
    lapsedTasks: WorkSettings.shape.lapsedTasks.unwrap().optional(),
  }),
  output: ToldWorkSettings,
})
