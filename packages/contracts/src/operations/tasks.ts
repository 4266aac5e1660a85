import { z } from "zod"
import {
  ActorRef,
  AgentId,
  CriterionId,
  line,
  pageInput,
  pageOutput,
  pagesOf,
  ProjectId,
  ProposalId,
  prose,
  SessionId,
  signature,
  TaskId,
  UserId,
} from "../signature.ts"
import {
  AcceptanceStatus,
  AcceptanceSummary,
  commandResult,
  CriterionInput,
  CriterionRow,
  takesEarlyCriteria,
} from "./criteria.ts"
import { Contracts } from "./drafts.ts"
import { LabelName, LabelNames } from "./labels.ts"
import { ReferenceInput, ReferenceRow } from "./references.ts"
import { HandIn, OpenFinding, OpenThread, Returned } from "./returned.ts"
import { expectedVersion } from "./versions.ts"

export const TaskStatus = z.enum(["open", "assigned", "in_progress", "to_verify", "done", "closed"])
export type TaskStatus = z.infer<typeof TaskStatus>

export const TaskPriority = z.enum(["low", "medium", "high"])
export type TaskPriority = z.infer<typeof TaskPriority>

/** A task as lists and the board show it, and as `task.*` events patch it. */
export const TaskRow = z.object({
  uuid: z.string(),
  projectUuid: z.string(),
  /** What people call it, such as SHOP-12; accepted wherever a task is named. */
  shortId: z.string(),
  proposalUuid: z.string().nullable(),
  title: z.string(),
  status: TaskStatus,
  priority: TaskPriority,
  /** Estimated agent hours. */
  storyPoints: z.number().nullable(),
  /** By name, in the order they were given. */
  labels: z.array(z.string()),
  /** The day by which it should be done, as YYYY-MM-DD. */
  dueOn: z.string().nullable(),
  assignee: ActorRef.nullable(),
  /** How many of the tasks it depends on are neither done nor closed; at zero it can start. */
  openDependencies: z.number().int(),
  /** Criteria in force, those the verifier passed, and those the developer's own check passed. */
  ac: z.object({ total: z.number().int(), passed: z.number().int(), checked: z.number().int() }),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type TaskRow = z.infer<typeof TaskRow>

/** A neighbour in the dependency graph; `contract` says what the dependent may rely on. */
export const TaskLink = z.object({
  uuid: z.string(),
  title: z.string(),
  status: TaskStatus,
  assignee: ActorRef.nullable(),
  contract: z.string().nullable(),
})
export type TaskLink = z.infer<typeof TaskLink>

/** Why a task cannot start: an unfinished dependency, who holds it and who is at work on it. */
export const Blocker = TaskLink.omit({ contract: true }).extend({
  activeSession: z.object({ uuid: z.string(), name: z.string() }).nullable(),
})
export type Blocker = z.infer<typeof Blocker>

export const WorkReport = z.object({
  uuid: z.string(),
  taskUuid: z.string(),
  content: z.string(),
  author: ActorRef.nullable(),
  sessionUuid: z.string().nullable(),
  /** The same words in the task's conversation, where they can be answered. */
  commentUuid: z.string(),
  createdAt: z.string(),
})
export type WorkReport = z.infer<typeof WorkReport>

export const TaskDetail = TaskRow.extend({
  /** Set while the last hand-in has come back and no other followed. */
  returned: Returned.nullable(),
  /** Counts the changes of title, description and criteria. */
  version: z.number().int(),
  description: z.string().nullable(),
  acceptanceCriteria: z.string().nullable(),
  acceptanceCriteriaItems: z.array(CriterionRow),
  acceptanceStatus: AcceptanceStatus,
  acceptanceSummary: AcceptanceSummary,
  assignee: ActorRef.extend({ assignedAt: z.string().nullable(), assignedBy: ActorRef.nullable() }).nullable(),
  project: z.object({ uuid: z.string(), name: z.string() }),
  createdBy: ActorRef.nullable(),
  dependsOn: z.array(TaskLink),
  dependedBy: z.array(TaskLink),
  blockers: z.array(Blocker),
  reports: z.array(WorkReport),
  /** Oldest first. */
  handIns: z.array(HandIn),
  /** Threads on its lines that somebody calls a blocker and nobody has resolved; left out where there are none. */
  openBlockers: z.array(OpenThread).optional(),
  /** What reviewers found and nobody has settled, by its keys; left out where there is nothing. */
  openFindings: z.array(OpenFinding).optional(),
  /** It was handed in, its project asks for a passing review, and this hand-in has none; left out otherwise. */
  reviewMissing: z.literal(true).optional(),
  /** Attached to it; chorus_get_attachment has each. Left out where there are none. */
  files: z.array(z.object({ uuid: z.string(), name: z.string() })).optional(),
  commentCount: z.number().int(),
  /** What it is called in the tracker it was brought from; left out where it began here. */
  calledThere: z.array(z.object({ origin: z.string(), key: z.string() })).optional(),
  references: z.array(ReferenceRow.pick({ uuid: true, type: true, url: true, title: true, notes: true })),
  startedAt: z.string().nullable(),
  submittedAt: z.string().nullable(),
  doneAt: z.string().nullable(),
})
export type TaskDetail = z.infer<typeof TaskDetail>

/** What a change of status answers. */
export const TaskChange = z.object({ uuid: z.string(), title: z.string(), status: TaskStatus })
export type TaskChange = z.infer<typeof TaskChange>

/** Its warnings name what was accepted though somebody called it a blocker. */
export const VerifiedTask = TaskChange.extend({ warnings: z.array(z.string()) })

export const ClaimedTask = TaskChange.extend({
  description: z.string().nullable(),
  priority: TaskPriority,
  assignee: ActorRef.nullable(),
  acceptanceCriteriaItems: z.array(CriterionRow),
  dependsOn: z.array(TaskLink),
  dependedBy: z.array(TaskLink),
  _hints: z.array(z.string()),
})
export type ClaimedTask = z.infer<typeof ClaimedTask>

const taskUuid = TaskId
export const storyPoints = z.number().min(0).max(10_000)
export const dueOn = z.iso.date()
/** Hands in although a question of one's own is open. */
export const insist = z.boolean().optional()
/** Told to whoever the task is taken from. */
const takingReason = prose(4000).optional()
const tasksPage = z.object({ tasks: z.array(TaskRow), ...pageOutput })

export const listTasks = signature({
  name: "chorus_list_tasks",
  does: "List a project's tasks, newest first.",
  needs: "task:read",
  kind: "read",
  tool: "listed",
  input: z.object({
    projectUuid: ProjectId,
    status: TaskStatus.optional(),
    priority: TaskPriority.optional(),
    proposalUuids: z.array(ProposalId).max(100).optional(),
    assigneeUuid: z.uuid().optional(),
    label: LabelName.optional(),
    /** Only those due on this day or before it. */
    dueBy: dueOn.optional(),
    /** Only those that can start now, or with false only those that wait for others. */
    ready: z.boolean().optional(),
    /** Goes on behind this one, the last of the page before. */
    afterTaskUuid: TaskId.optional(),
    ...pageInput,
  }),
  output: tasksPage,
})

export const getTask = signature({
  name: "chorus_get_task",
  does: "Get a task with criteria, dependencies, blockers and reports.",
  needs: "task:read",
  kind: "read",
  tool: "listed",
  input: z.object({ taskUuid }),
  output: TaskDetail,
})

export const getAvailableTasks = signature({
  name: "chorus_get_available_tasks",
  does: "List open tasks nobody holds.",
  needs: "task:read",
  kind: "read",
  tool: "listed",
  input: z.object({ projectUuid: ProjectId, proposalUuids: z.array(ProposalId).max(100).optional(), ...pagesOf(50) }),
  output: tasksPage,
})

export const getUnblockedTasks = signature({
  name: "chorus_get_unblocked_tasks",
  does: "List tasks that can start now: every dependency is done or closed.",
  needs: "task:read",
  kind: "read",
  tool: "listed",
  input: z.object({ projectUuid: ProjectId, proposalUuids: z.array(ProposalId).max(100).optional(), ...pageInput }),
  output: tasksPage,
})

export const NewTask = z.object({
  title: line(),
  description: prose().optional(),
  priority: TaskPriority.optional(),
  storyPoints: storyPoints.optional(),
  labels: LabelNames.optional(),
  dueOn: dueOn.optional(),
  acceptanceCriteriaItems: z.array(CriterionInput).min(1).max(100),
  draftUuid: z.string().max(100).optional(),
  dependsOnDraftUuids: z.array(z.string().max(100)).max(200).optional(),
  dependsOnTaskUuids: z.array(TaskId).max(200).optional(),
  contracts: Contracts.optional(),
  references: z.array(ReferenceInput).max(50).optional(),
})

export const createTasks = signature({
  name: "chorus_create_tasks",
  does: "Create tasks, all or none. draftUuid is any key other tasks of this call name in dependsOnDraftUuids.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  aliases: ["chorus_pm_create_tasks"],
  input: z.object({
    projectUuid: ProjectId,
    proposalUuid: ProposalId.optional(),
    tasks: z.array(takesEarlyCriteria(NewTask)).min(1).max(500),
  }),
  output: z.object({
    tasks: z.array(TaskRow.extend({ draftUuid: z.string().nullable() })),
    warnings: z.array(z.string()),
  }),
})

export const updateTask = signature({
  name: "chorus_update_task",
  does: "Edit a task, its criteria or dependencies, or move your own to in_progress / to_verify.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: takesEarlyCriteria(
    z.object({
      taskUuid,
      status: z.enum(["in_progress", "to_verify"]).optional(),
      sessionUuid: SessionId.optional(),
      title: line().optional(),
      description: prose().nullable().optional(),
      priority: TaskPriority.optional(),
      storyPoints: storyPoints.nullable().optional(),
      /** All of them; what is not named is taken off. */
      labels: LabelNames.optional(),
      dueOn: dueOn.nullable().optional(),
      acceptanceCriteriaItems: z.array(CriterionInput).min(1).max(100).optional(),
      addDependsOn: z.array(TaskId).max(200).optional(),
      /** What it may rely on of the tasks in addDependsOn. */
      contract: prose(4000).optional(),
      removeDependsOn: z.array(TaskId).max(200).optional(),
      expectedVersion,
      insist,
    }),
  ),
  output: TaskChange.extend({ version: z.number().int(), warnings: z.array(z.string()) }),
})

export const addTaskDependency = signature({
  name: "chorus_add_task_dependency",
  does: "Make a task depend on another.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({ taskUuid, dependsOnTaskUuid: TaskId, contract: prose(4000).optional() }),
  output: TaskChange,
})

export const removeTaskDependency = signature({
  name: "chorus_remove_task_dependency",
  does: "Take a dependency away.",
  needs: "task:write",
  kind: "write",
  tool: "hidden",
  input: z.object({ taskUuid, dependsOnTaskUuid: TaskId }),
  output: TaskChange,
})

export const claimTask = signature({
  name: "chorus_claim_task",
  does: "Claim an open task for yourself.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid }),
  output: ClaimedTask,
})

export const releaseTask = signature({
  name: "chorus_release_task",
  does: "Give a task you hold back to the open ones.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid, reason: takingReason }),
  output: TaskChange,
})

export const assignTask = signature({
  name: "chorus_pm_assign_task",
  does: "Assign a task to an agent that may work on tasks.",
  needs: "proposal:write",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid,
    agentUuid: AgentId,
    instanceUuid: line(100).nullable().optional(),
    reason: takingReason,
  }),
  output: ClaimedTask,
})

export const assignTaskToPerson = signature({
  name: "chorus_assign_task_to_person",
  does: "Assign a task to a person.",
  needs: "person",
  kind: "write",
  tool: "none",
  input: z.object({ taskUuid, userUuid: UserId, reason: takingReason }),
  output: ClaimedTask,
})

export const submitForVerify = signature({
  name: "chorus_submit_for_verify",
  does: "Hand in a task you hold and have in progress.",
  needs: "task:write",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid, summary: prose(20_000).optional(), insist }),
  output: TaskChange,
})

export const verifyTask = signature({
  name: "chorus_admin_verify_task",
  does: "Accept a handed-in task; every required criterion must have passed, or pass with it.",
  needs: "task:admin",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid,
    /** Criteria nobody has judged yet that pass with this verdict; one that has failed meanwhile stays failed. */
    passing: z.array(CriterionId).max(100).optional(),
  }),
  output: VerifiedTask,
})

export const reopenTask = signature({
  name: "chorus_admin_reopen_task",
  does: "Send a task back to work with a reason; `failed` fails criteria in the same call.",
  needs: "task:admin",
  kind: "write",
  tool: "listed",
  input: z.object({
    taskUuid,
    reason: prose(4000).optional(),
    failed: z
      .array(z.object({ uuid: CriterionId, evidence: prose(20_000).optional(), ...commandResult }))
      .max(100)
      .optional(),
    /** Skips the dependency check. */
    force: z.boolean().default(false),
  }),
  output: TaskChange,
})

export const closeTask = signature({
  name: "chorus_admin_close_task",
  does: "Close a task without verifying it.",
  needs: "task:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid }),
  output: TaskChange,
})

export const deleteTask = signature({
  name: "chorus_admin_delete_task",
  does: "Delete a task and all recorded on it; one between others needs to know whether these bridge or cut their order.",
  needs: "task:admin",
  kind: "write",
  tool: "listed",
  input: z.object({ taskUuid, neighbours: z.enum(["bridge", "cut"]).optional() }),
  output: z.object({ uuid: z.string(), deleted: z.literal(true) }),
})
