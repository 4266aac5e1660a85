import type { ActorKind } from "@chorus/contracts"
import type { Generated } from "kysely"

export type Verdict = "pending" | "passed" | "failed"

export interface TasksTable {
  uuid: string
  projectUuid: string
  shortId: string | null
  title: string
  description: string | null
  status: "open" | "assigned" | "in_progress" | "to_verify" | "done" | "closed"
  priority: "low" | "medium" | "high"
  storyPoints: number | null
  /** Names, as a JSON array. */
  labels: Generated<string>
  dueOn: string | null
  acceptanceCriteria: string | null
  assigneeType: ActorKind | null
  assigneeUuid: string | null
  assignedAt: string | null
  assignedByType: ActorKind | null
  assignedByUuid: string | null
  proposalUuid: string | null
  draftUuid: string | null
  createdByType: ActorKind
  createdByUuid: string
  startedAt: string | null
  submittedAt: string | null
  /** Who handed it in, so that handing it over afterwards does not make them its verifier. */
  submittedByType: ActorKind | null
  submittedByUuid: string | null
  doneAt: string | null
  /** Kept by triggers from edges, statuses and criteria; never written by hand. */
  openDependencies: Generated<number>
  criteriaTotal: Generated<number>
  criteriaPassed: Generated<number>
  criteriaChecked: Generated<number>
  /** Counts the changes of title, description and criteria. */
  version: Generated<number>
  /** Set while the last hand-in has come back and no other followed. */
  returnedAt: Generated<string | null>
  /** When somebody was last put to work on it; what changed since is told with the next brief. */
  briefedAt: Generated<string | null>
  createdAt: string
  updatedAt: string
}

/** Each time a task was handed in and what became of it; `said` holds what failed and what was found, when it came back. */
export interface HandInsTable {
  taskUuid: string
  number: number
  outcome: "pending" | "accepted" | "returned" | "taken_back" | "closed"
  submittedByType: ActorKind | null
  submittedByUuid: string | null
  submittedAt: string
  reason: string | null
  said: string
  decidedByType: ActorKind | null
  decidedByUuid: string | null
  decidedAt: string | null
}

/** `contract` says what the dependent may rely on (an interface, a file). */
export interface TaskEdgesTable {
  taskUuid: string
  dependsOnUuid: string
  projectUuid: string
  contract: string | null
  createdAt: string
}

/** Two tracks: the developer's own check and the verifier's verdict. */
export interface CriteriaTable {
  uuid: string
  taskUuid: string
  description: string
  required: number
  command: string | null
  /** The person who approved that machines run the command. */
  approvedByUuid: string | null
  sortOrder: number
  devStatus: Verdict
  devEvidence: string | null
  devMarkedByType: ActorKind | null
  devMarkedByUuid: string | null
  devMarkedAt: string | null
  status: Verdict
  evidence: string | null
  markedByType: ActorKind | null
  markedByUuid: string | null
  markedAt: string | null
  retiredAt: string | null
}

/** History of both tracks; kept when a task is reopened. */
export interface CriterionVerdictsTable {
  uuid: string
  criterionUuid: string
  track: "dev" | "admin"
  status: Verdict
  evidence: string | null
  exitCode: number | null
  output: string | null
  markedByType: ActorKind
  markedByUuid: string
  markedAt: string
}

/** One working presence of an agent: a terminal, a sub-agent, a teammate. */
export interface SessionsTable {
  uuid: string
  agentUuid: string
  name: string
  description: string | null
  status: "active" | "closed"
  source: string | null
  externalId: string | null
  machine: string | null
  /** Its pid there and when it began, where somebody watches over that process. */
  process: string | null
  /** The ids that it went by before another agent of its name took it up: a JSON list. */
  formerIds: string | null
  parentUuid: string | null
  agentType: string | null
  spawn: "foreground" | "background" | "teammate" | null
  spawnedByUuid: string | null
  claimedTaskUuid: string | null
  supersededByUuid: string | null
  state: string | null
  stateSince: string | null
  stateDetail: string | null
  lastWords: string | null
  touching: string | null
  lastActiveAt: string
  createdAt: string
  updatedAt: string
  closedAt: string | null
}

/** Each stay is a row of its own, so the history is never overwritten. */
export interface CheckinsTable {
  uuid: string
  sessionUuid: string
  taskUuid: string
  checkinAt: string
  checkoutAt: string | null
  checkoutReason: string | null
}

export interface WorkReportsTable {
  uuid: string
  taskUuid: string
  sessionUuid: string | null
  content: string
  authorType: ActorKind
  authorUuid: string
  /** The comment by which the report stands in the task's conversation. */
  commentUuid: string
  createdAt: string
}

/** Paths an agent works on; others are told before they touch them. */
export interface ReservationsTable {
  uuid: string
  projectUuid: string
  taskUuid: string
  agentUuid: string
  sessionUuid: string | null
  glob: string
  reason: string | null
  createdAt: string
  expiresAt: string
  releasedAt: string | null
  releaseReason: "released" | "expired" | "task_ended" | null
}

/** Something an agent waits for a person to say; answered only by a signed-in person. */
export interface AttentionsTable {
  uuid: string
  workspaceUuid: string
  projectUuid: string | null
  agentUuid: string | null
  sessionUuid: string | null
  taskUuid: string | null
  kind: "permission" | "input" | "plan" | "shutdown" | "change"
  title: string
  detail: string
  answerable: number
  createdAt: string
  expiresAt: string | null
  answer: string | null
  answeredByType: ActorKind | null
  answeredByUuid: string | null
  answeredAt: string | null
  deliveredAt: string | null
  withdrawnAt: string | null
  /** The run whose agent asked, and what its program calls the request. */
  runUuid: string | null
  requestId: string | null
}

export interface UsagesTable {
  uuid: string
  workspaceUuid: string
  projectUuid: string | null
  agentUuid: string
  sessionUuid: string | null
  taskUuid: string | null
  /** Where the work was for an idea that has no task for it. */
  ideaUuid: string | null
  /** The run that used it, in which of its turns, and how long it was at work there on that day. */
  runUuid: string | null
  turn: number | null
  ms: number | null
  dedupeKey: string | null
  model: string | null
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheCreationTokens: number
  costUsd: number | null
  source: string
  at: string
}
