import type { Insertable } from "kysely"
import type { Db, Schema } from "../src/schema/index.ts"

type Row<Table extends keyof Schema> = Insertable<Schema[Table]>
type Change<Table extends keyof Schema> = Partial<Row<Table>>

export const AT = "2026-03-01T10:00:00.000Z"
const made = { createdByType: "user", createdByUuid: "u1", createdAt: AT } as const
const dated = { createdAt: AT, updatedAt: AT }

/** One row of a table with as little in it as may be; what a test is about it says itself. */
export const row = {
  workspace: (change: Change<"workspaces"> = {}): Row<"workspaces"> => ({ uuid: "w1", name: "W", lastEvent: 0, settings: "{}", createdAt: AT, ...change }),
  user: (change: Change<"users"> = {}): Row<"users"> => ({ uuid: "u1", workspaceUuid: "w1", name: "Ada", email: null, role: "owner", passwordHash: null, oidcSubject: null, createdAt: AT, disabledAt: null, ...change }),
  agent: (change: Change<"agents"> = {}): Row<"agents"> => ({ uuid: "a1", workspaceUuid: "w1", ownerUuid: "u1", name: "Bob", persona: null, systemPrompt: null, presets: "[]", permissions: "[]", projectUuids: null, lastActiveAt: null, createdAt: AT, archivedAt: null, ...change }),
  group: (change: Change<"projectGroups"> = {}): Row<"projectGroups"> => ({ uuid: "g1", workspaceUuid: "w1", name: "Village", description: null, ...dated, ...change }),
  project: (change: Change<"projects"> = {}): Row<"projects"> => ({ uuid: "p1", workspaceUuid: "w1", groupUuid: null, name: "House", description: null, status: "active", settings: "{}", ...dated, ...change }),
  idea: (change: Change<"ideas"> = {}): Row<"ideas"> => ({
    uuid: "i1",
    projectUuid: "p1",
    title: "A cat flap",
    content: null,
    status: "open",
    parentUuid: null,
    isContainer: 0,
    assigneeType: null,
    assigneeUuid: null,
    assignedAt: null,
    assignedByType: null,
    assignedByUuid: null,
    elaborationDepth: null,
    elaborationStatus: null,
    elaborationReason: null,
    ...made,
    updatedAt: AT,
    ...change,
  }),
  proposal: (change: Change<"proposals"> = {}): Row<"proposals"> => ({
    uuid: "r1",
    projectUuid: "p1",
    title: "A plan",
    description: null,
    inputType: "idea",
    status: "draft",
    revision: 0,
    reviewedByType: null,
    reviewedByUuid: null,
    reviewNote: null,
    reviewedAt: null,
    submittedAt: null,
    ...made,
    updatedAt: AT,
    ...change,
  }),
  document: (change: Change<"documents"> = {}): Row<"documents"> => ({ uuid: "d1", projectUuid: "p1", type: "prd", title: "Why", content: "", version: 1, proposalUuid: null, draftUuid: null, ...made, updatedAt: AT, ...change }),
  task: (change: Change<"tasks"> = {}): Row<"tasks"> => ({
    uuid: "t1",
    projectUuid: "p1",
    title: "Fit the door",
    description: null,
    status: "open",
    priority: "medium",
    storyPoints: null,
    acceptanceCriteria: null,
    assigneeType: null,
    assigneeUuid: null,
    assignedAt: null,
    assignedByType: null,
    assignedByUuid: null,
    proposalUuid: null,
    draftUuid: null,
    ...made,
    startedAt: null,
    submittedAt: null,
    submittedByType: null,
    submittedByUuid: null,
    doneAt: null,
    updatedAt: AT,
    ...change,
  }),
  edge: (change: Change<"taskEdges"> = {}): Row<"taskEdges"> => ({ taskUuid: "t1", dependsOnUuid: "t2", projectUuid: "p1", contract: null, createdAt: AT, ...change }),
  criterion: (change: Change<"criteria"> = {}): Row<"criteria"> => ({
    uuid: "c1",
    taskUuid: "t1",
    description: "It opens.",
    required: 1,
    command: null,
    sortOrder: 0,
    devStatus: "pending",
    devEvidence: null,
    devMarkedByType: null,
    devMarkedByUuid: null,
    devMarkedAt: null,
    status: "pending",
    evidence: null,
    markedByType: null,
    markedByUuid: null,
    markedAt: null,
    retiredAt: null,
    ...change,
  }),
  comment: (change: Change<"comments"> = {}): Row<"comments"> => ({ uuid: "k1", projectUuid: "p1", targetType: "task", targetUuid: "t1", parentUuid: null, content: "Nice.", authorType: "user", authorUuid: "u1", createdAt: AT, editedAt: null, deletedAt: null, ...change }),
}

/** A workspace with a person, an agent and a project, which most rows need. */
export async function furnish(db: Db): Promise<void> {
  await db.insertInto("workspaces").values(row.workspace()).execute()
  await db.insertInto("users").values(row.user()).execute()
  await db.insertInto("agents").values(row.agent()).execute()
  await db.insertInto("projects").values(row.project()).execute()
}
