import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { ada, AT, PAGE, PAGED } from "../../test/examples.ts"
import { line, optional, OTHER, page, paging, position, PROJECT, TASK, uuid } from "../../test/field-rule.ts"
import { checkin, getMyAssignments } from "./checkin.ts"
import { health, listEvents, listMembers, version, whoami } from "./workspace.ts"

describe.each([health, version, whoami, checkin, getMyAssignments])("a call that asks for nothing", (signature) => {
  describeInput(signature, { smallest: {}, fields: {} })
})

describeInput(listEvents, {
  smallest: {},
  becomes: { limit: 20 },
  fields: {
    projectUuid: optional(uuid),
    kind: optional(line(64)),
    entityUuid: optional(uuid),
    before: optional(position),
    limit: page,
  },
})

describeInput(listMembers, { smallest: {}, becomes: PAGE, fields: paging })

describe("who may ask what", () => {
  it("is open to nobody in particular only for whether the server answers and which it is", () => {
    expect([health, version].map(({ needs }) => needs)).toEqual(["nobody", "nobody"])
    expect([whoami, listEvents, listMembers, checkin, getMyAssignments].map(({ needs }) => needs)).toEqual([
      "anyone",
      "anyone",
      "anyone",
      "anyone",
      "anyone",
    ])
  })
})

describeAnswer("of chorus_health", health.output, { status: "ok", version: "0.1.0", engine: "postgres", schema: 8 })

describe("a server that is not well", () => {
  it("has no words for it here: it fails instead", () => {
    expect(health.output.safeParse({ status: "failing", version: "0.1.0", engine: "sqlite", schema: 8 }).success).toBe(
      false,
    )
  })
})

describeAnswer("of chorus_version", version.output, { version: "0.1.0", node: "24.21.0", mcp: ["2026-07-28"] })

describeAnswer(
  "of chorus_whoami",
  whoami.output,
  {
    type: "agent",
    uuid: OTHER,
    name: "Builder",
    role: "viewer",
    workspaceUuid: OTHER,
    permissions: ["task:read"],
    projectUuids: [PROJECT],
  },
  {
    mayBeNull: ["role", "projectUuids"],
  },
)

describeAnswer("of chorus_list_members", listMembers.output, {
  members: [{ uuid: OTHER, name: "Ada", email: null, role: "owner", createdAt: AT, disabledAt: null }],
  ...PAGED,
})

describeAnswer("of chorus_list_events", listEvents.output, {
  events: [
    {
      id: 17,
      at: AT,
      kind: "task.claimed",
      entityType: "task",
      entityUuid: TASK,
      projectUuid: null,
      action: "updated",
      patch: { status: "assigned" },
      actor: ada,
      requestId: null,
    },
  ],
  last: 17,
})

describe("an event in the log", () => {
  it("of a kind that a newer server has is taken as it comes", () => {
    const event = {
      id: 1,
      at: AT,
      kind: "door.opened",
      entityType: "door",
      entityUuid: OTHER,
      projectUuid: null,
      action: "created",
      patch: {},
      actor: ada,
      requestId: "r1",
    }
    expect(listEvents.output.parse({ events: [event], last: 1 }).events).toEqual([event])
  })
})

const trackedIdea = {
  uuid: OTHER,
  shortId: "HOUSE-2",
  title: "A house for cats",
  status: "open",
  derivedStatus: "todo" as const,
  badgeHint: "open",
  proposals: 0,
  tasks: 0,
}
const trackedTask = {
  uuid: TASK,
  shortId: "HOUSE-1",
  title: "Fit",
  status: "open",
  priority: "low",
  storyPoints: null,
  proposalUuid: null,
  openDependencies: 1,
  assignedAt: null,
  ac: { passed: 0, total: 2 },
}
const trackers = {
  ideaTracker: { [PROJECT]: { name: "House", ideas: [trackedIdea] } },
  taskTracker: { [PROJECT]: { name: "House", tasks: [trackedTask] } },
}

describeAnswer("of chorus_checkin", checkin.output, {
  checkinTime: AT,
  agent: {
    uuid: OTHER,
    name: "Builder",
    type: "agent",
    roles: ["developer"],
    permissions: { task: ["read", "write"] },
    persona: null,
    systemPrompt: null,
    owner: { uuid: OTHER, name: "Ada", email: null },
  },
  ...trackers,
  activeProjects: [{ uuid: PROJECT, name: "House", activeIdeas: 1, activeIdeaCount: 1, openTasks: 2 }],
  assignments: { ideas: 1, tasks: 1 },
  notifications: {
    unread: 1,
    recent: [
      {
        uuid: OTHER,
        action: "mentioned",
        entity: "task",
        entityUuid: TASK,
        title: "Fit",
        actor: "Ada",
        at: AT,
        message: "Look.",
      },
    ],
  },
  next: [{ kind: "ready", uuid: TASK, shortId: "HOUSE-1", title: "Fit", projectUuid: PROJECT }],
  cursor: 17,
})

describeAnswer("of chorus_get_my_assignments", getMyAssignments.output, {
  ...trackers,
  ideas: [{ ...trackedIdea, projectUuid: PROJECT }],
  tasks: [{ ...trackedTask, projectUuid: PROJECT }],
})
