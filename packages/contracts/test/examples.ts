import type { ActorRef } from "../src/signature.ts"
import type { ActivityRow } from "../src/operations/activity.ts"
import type { AttentionRow } from "../src/operations/attentions.ts"
import type { CriterionRow } from "../src/operations/criteria.ts"
import type { GroupRow, ProjectRow } from "../src/operations/projects.ts"
import type { ReferenceRow } from "../src/operations/references.ts"
import type { Returned } from "../src/operations/returned.ts"
import type { CheckinRow, SessionRow } from "../src/operations/sessions.ts"
import type { TaskDetail, TaskLink, TaskRow, WorkReport } from "../src/operations/tasks.ts"
import type { ReportedRow, StatusRow } from "../src/status.ts"
import { OTHER, PROJECT, TASK } from "./field-rule.ts"

// Answers as the product gives them, with every field filled, for tests of the shapes that hold them.

export const AT = "2026-03-01T10:00:00.000Z"
export const PAGE = { page: 1, pageSize: 20 }
export const PAGED = { returned: 1, page: 1, pageSize: 20, total: 41 }

export const ada: ActorRef = { type: "user", uuid: OTHER, name: "Ada" }
export const builder: ActorRef = { type: "agent", uuid: OTHER, name: "Builder" }

export const criterionRow: CriterionRow = {
  uuid: OTHER,
  description: "The door opens.",
  required: true,
  command: "npm test",
  sortOrder: 0,
  devStatus: "passed",
  devEvidence: "12 passed",
  devMarkedByType: "agent",
  devMarkedBy: OTHER,
  devMarkedAt: AT,
  status: "pending",
  evidence: "seen",
  markedByType: "user",
  markedBy: OTHER,
  markedAt: AT,
}

export const referenceRow: ReferenceRow = {
  uuid: OTHER,
  targetType: "task",
  targetUuid: TASK,
  type: "docs",
  url: "https://example.org/doors",
  title: "Doors",
  notes: "chapter 2",
  createdBy: ada,
  createdAt: AT,
  updatedAt: AT,
}

export const taskRow: TaskRow = {
  uuid: TASK,
  projectUuid: PROJECT,
  shortId: "HOUS-7",
  proposalUuid: OTHER,
  title: "Fit the door",
  status: "in_progress",
  priority: "high",
  storyPoints: 2.5,
  labels: ["carpentry"],
  dueOn: "2026-02-01",
  assignee: builder,
  openDependencies: 0,
  ac: { total: 3, passed: 1, checked: 2 },
  createdAt: AT,
  updatedAt: AT,
}

export const taskLink: TaskLink = {
  uuid: OTHER,
  title: "Cut the wood",
  status: "done",
  assignee: builder,
  contract: "planks of 2 m",
}

export const workReport: WorkReport = {
  uuid: OTHER,
  taskUuid: TASK,
  content: "Half done.",
  author: builder,
  sessionUuid: OTHER,
  commentUuid: OTHER,
  createdAt: AT,
}

export const returned: Returned = {
  handIn: 1,
  at: AT,
  by: ada,
  reason: "It does not open.",
  failed: [{ uuid: OTHER, criterion: "It opens.", evidence: "It is stuck." }],
  findings: [{ key: "B1", severity: "blocker", text: "No hinge.", by: "Reviewer" }],
}

export const taskDetail: TaskDetail = {
  ...taskRow,
  description: "Into the frame.",
  acceptanceCriteria: "It opens.",
  acceptanceCriteriaItems: [criterionRow],
  acceptanceStatus: "in_progress",
  acceptanceSummary: {
    total: 3,
    required: 2,
    passed: 1,
    failed: 0,
    pending: 2,
    requiredPassed: 1,
    requiredFailed: 0,
    requiredPending: 1,
  },
  assignee: { ...builder, assignedAt: AT, assignedBy: ada },
  project: { uuid: PROJECT, name: "House" },
  createdBy: ada,
  dependsOn: [taskLink],
  dependedBy: [taskLink],
  blockers: [
    { uuid: OTHER, title: "Cut the wood", status: "open", assignee: null, activeSession: { uuid: OTHER, name: "saw" } },
  ],
  reports: [workReport],
  commentCount: 4,
  references: [{ uuid: OTHER, type: "docs", url: "https://example.org/doors", title: "Doors", notes: null }],
  startedAt: AT,
  submittedAt: AT,
  doneAt: AT,
  version: 2,
  returned,
  handIns: [
    {
      number: 1,
      outcome: "returned",
      submittedBy: builder,
      submittedAt: AT,
      decidedBy: ada,
      decidedAt: AT,
      reason: "It does not open.",
      failed: [{ criterion: "It opens.", evidence: "It is stuck." }],
      findings: [{ key: "B1", severity: "blocker", text: "No hinge." }],
    },
  ],
}

export const sessionRow: SessionRow = {
  uuid: OTHER,
  agentUuid: OTHER,
  name: "saw",
  description: "cuts",
  status: "inactive",
  source: "claude-code",
  externalId: "abc",
  machine: "laptop",
  parentUuid: OTHER,
  agentType: "general-purpose",
  spawn: "background",
  spawnedByUuid: OTHER,
  claimedTaskUuid: OTHER,
  supersededByUuid: OTHER,
  state: "running",
  stateSince: AT,
  stateDetail: "Bash",
  lastWords: "On it.",
  lastActiveAt: AT,
  createdAt: AT,
  updatedAt: AT,
  closedAt: AT,
}

export const checkinRow: CheckinRow = {
  uuid: OTHER,
  sessionUuid: OTHER,
  sessionName: "saw",
  agent: builder,
  taskUuid: TASK,
  checkinAt: AT,
  checkoutAt: AT,
  checkoutReason: "done",
}

export const projectRow: ProjectRow = {
  uuid: PROJECT,
  name: "House",
  key: "HOUS",
  description: "of wood",
  status: "active",
  groupUuid: OTHER,
  createdAt: AT,
  updatedAt: AT,
}

export const groupRow: GroupRow = {
  uuid: OTHER,
  name: "Village",
  description: "all houses",
  projectCount: 2,
  createdAt: AT,
  updatedAt: AT,
}

export const activityRow: ActivityRow = {
  id: 17,
  uuid: "w1:17",
  projectUuid: PROJECT,
  targetType: "task",
  targetUuid: TASK,
  targetTitle: "Fit the door",
  kind: "task.claimed",
  action: "claimed",
  value: { status: "assigned" },
  actor: builder,
  actorType: "agent",
  actorUuid: OTHER,
  actorName: "Builder",
  sessionUuid: OTHER,
  sessionName: "saw",
  createdAt: AT,
}

export const attentionRow: AttentionRow = {
  uuid: OTHER,
  projectUuid: PROJECT,
  agent: builder,
  sessionUuid: OTHER,
  taskUuid: TASK,
  kind: "permission",
  title: "May I run rm?",
  options: ["Yes", "No"],
  detail: { toolName: "Bash", input: { command: "rm -r old" } },
  answerable: true,
  notice: null,
  state: "answered",
  answer: { decision: "deny", text: "No.", data: { why: "needed" } },
  answeredBy: ada,
  createdAt: AT,
  expiresAt: AT,
  answeredAt: AT,
  deliveredAt: AT,
}

export const statusRow: StatusRow = {
  terminalId: "tty1",
  agent: "claude",
  state: "finished",
  since: 1_772_359_200_000,
  source: "claude:Stop",
  title: "Fit the door",
  detail: "Bash",
  summary: "Done.",
  exitCode: 0,
  resumeCommand: "claude --resume abc",
  reason: "a tool failed in this turn",
  outside: false,
  ask: null,
  asks: null,
  folder: "shop",
  unread: true,
  ended: true,
}

export const reportedRow: ReportedRow = { ...statusRow, sessionMark: "0".repeat(64) }
