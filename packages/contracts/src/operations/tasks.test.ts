import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import {
  AT,
  builder,
  criterionRow,
  PAGE,
  PAGED,
  taskDetail,
  taskLink,
  taskRow,
  workReport,
} from "../../test/examples.ts"
import {
  flag,
  key,
  like,
  line,
  list,
  nullable,
  number,
  oneOf,
  optional,
  OTHER,
  paging,
  PROJECT,
  prose,
  TASK,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  addTaskDependency,
  assignTask,
  assignTaskToPerson,
  claimTask,
  closeTask,
  createTasks,
  deleteTask,
  getAvailableTasks,
  getTask,
  getUnblockedTasks,
  listTasks,
  releaseTask,
  removeTaskDependency,
  reopenTask,
  submitForVerify,
  TaskDetail,
  TaskLink,
  TaskPriority,
  TaskRow,
  TaskStatus,
  updateTask,
  verifyTask,
  WorkReport,
} from "./tasks.ts"

const STATUSES = ["open", "assigned", "in_progress", "to_verify", "done", "closed"]
const PRIORITIES = ["low", "medium", "high"]
const criterion = { description: "The door opens." }
const link = { type: "docs", url: "https://example.org/doors", title: "Doors" }

describe("the words for a task", () => {
  it("are six statuses, in the order of its life", () => expect(TaskStatus.options).toEqual(STATUSES))
  it("are three priorities, the lowest first", () => expect(TaskPriority.options).toEqual(PRIORITIES))
})

describeInput(listTasks, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, ...PAGE },
  fields: {
    projectUuid: uuid,
    status: optional(oneOf(...STATUSES)),
    priority: optional(oneOf(...PRIORITIES)),
    proposalUuids: optional(list(uuid, 0, 100)),
    assigneeUuid: optional(uuid),
    label: optional(line(40)),
    dueBy: optional(like("2026-02-01")),
    ready: optional(flag),
    afterTaskUuid: optional(uuid),
    ...paging,
  },
})

describeInput(getAvailableTasks, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, page: 1, pageSize: 50 },
  fields: { projectUuid: uuid, proposalUuids: optional(list(uuid, 0, 100)), ...paging },
})

describeInput(getUnblockedTasks, {
  smallest: { projectUuid: PROJECT },
  becomes: { projectUuid: PROJECT, ...PAGE },
  fields: { projectUuid: uuid, proposalUuids: optional(list(uuid, 0, 100)), ...paging },
})

describeInput(deleteTask, {
  smallest: { taskUuid: TASK },
  fields: { taskUuid: uuid, neighbours: optional(oneOf("bridge", "cut")) },
})

describe.each([getTask, claimTask, closeTask])("an operation on one task", (signature) => {
  describeInput(signature, { smallest: { taskUuid: TASK }, fields: { taskUuid: uuid } })
})

describeInput(releaseTask, {
  smallest: { taskUuid: TASK },
  fields: { taskUuid: uuid, reason: optional(prose(4000)) },
})

describeInput(verifyTask, {
  smallest: { taskUuid: TASK },
  fields: { taskUuid: uuid, passing: optional(list(uuid, 0, 100)) },
})

describeInput(createTasks, {
  smallest: { projectUuid: PROJECT, tasks: [{ title: "Fit the door", acceptanceCriteriaItems: [criterion] }] },
  fields: {
    projectUuid: uuid,
    proposalUuid: optional(uuid),
    tasks: list(like({ title: "x", acceptanceCriteriaItems: [criterion] }), 1, 500),
    "tasks.0.title": line(256),
    "tasks.0.description": optional(prose(200_000)),
    "tasks.0.priority": optional(oneOf(...PRIORITIES)),
    "tasks.0.storyPoints": optional(number(0, 10_000)),
    "tasks.0.labels": optional(list(line(40), 0, 20)),
    "tasks.0.dueOn": optional(like("2026-02-01")),
    "tasks.0.acceptanceCriteriaItems": list(like(criterion), 1, 100),
    "tasks.0.acceptanceCriteriaItems.0.description": line(2000),
    "tasks.0.acceptanceCriteriaItems.0.required": optional(flag),
    "tasks.0.acceptanceCriteriaItems.0.command": optional(line(2000)),
    "tasks.0.draftUuid": optional(key(100)),
    "tasks.0.dependsOnDraftUuids": optional(list(key(100), 0, 200)),
    "tasks.0.dependsOnTaskUuids": optional(list(uuid, 0, 200)),
    "tasks.0.contracts": optional(like({ t1: "the table" })),
    "tasks.0.references": optional(list(like(link), 0, 50)),
  },
})

describeInput(updateTask, {
  smallest: { taskUuid: TASK },
  fields: {
    taskUuid: uuid,
    status: optional(oneOf("in_progress", "to_verify")),
    sessionUuid: optional(uuid),
    title: optional(line(256)),
    description: optional(nullable(prose(200_000))),
    priority: optional(oneOf(...PRIORITIES)),
    storyPoints: optional(nullable(number(0, 10_000))),
    labels: optional(list(line(40), 0, 20)),
    dueOn: optional(nullable(like("2026-02-01"))),
    acceptanceCriteriaItems: optional(list(like(criterion), 1, 100)),
    addDependsOn: optional(list(uuid, 0, 200)),
    contract: optional(prose(4000)),
    removeDependsOn: optional(list(uuid, 0, 200)),
    expectedVersion: optional(whole(1, Number.MAX_SAFE_INTEGER)),
    insist: optional(flag),
  },
})

describe("chorus_update_task", () => {
  it("cannot finish, close or open a task: those are steps of their own", () => {
    const takes = (status: string) => updateTask.input.safeParse({ taskUuid: TASK, status }).success
    expect(STATUSES.filter(takes)).toEqual(["in_progress", "to_verify"])
  })

  it("tells null, which clears a field, from a field left alone", () => {
    expect(updateTask.input.parse({ taskUuid: TASK, description: null })).toEqual({ taskUuid: TASK, description: null })
    expect(updateTask.input.parse({ taskUuid: TASK })).not.toHaveProperty("description")
  })
})

describeInput(addTaskDependency, {
  smallest: { taskUuid: TASK, dependsOnTaskUuid: OTHER },
  fields: { taskUuid: uuid, dependsOnTaskUuid: uuid, contract: optional(prose(4000)) },
})

describeInput(removeTaskDependency, {
  smallest: { taskUuid: TASK, dependsOnTaskUuid: OTHER },
  fields: { taskUuid: uuid, dependsOnTaskUuid: uuid },
})

describeInput(assignTask, {
  smallest: { taskUuid: TASK, agentUuid: OTHER },
  fields: {
    taskUuid: uuid,
    agentUuid: uuid,
    instanceUuid: optional(nullable(line(100))),
    reason: optional(prose(4000)),
  },
})

describeInput(assignTaskToPerson, {
  smallest: { taskUuid: TASK, userUuid: OTHER },
  fields: { taskUuid: uuid, userUuid: uuid, reason: optional(prose(4000)) },
})

describeInput(submitForVerify, {
  smallest: { taskUuid: TASK },
  fields: { taskUuid: uuid, summary: optional(prose(20_000)), insist: optional(flag) },
})

describeInput(reopenTask, {
  smallest: { taskUuid: TASK },
  becomes: { taskUuid: TASK, force: false },
  fields: {
    taskUuid: uuid,
    force: optional(flag),
    reason: optional(prose(4000)),
    failed: optional(list(like({ uuid: OTHER, evidence: "It does not open." }), 0, 100)),
  },
})

describeAnswer("TaskRow", TaskRow, taskRow, { mayBeNull: ["proposalUuid", "storyPoints", "dueOn", "assignee"] })

describeAnswer("TaskLink", TaskLink, taskLink, { mayBeNull: ["assignee", "contract"] })

describeAnswer("WorkReport", WorkReport, workReport, { mayBeNull: ["author", "sessionUuid"] })

describeAnswer("TaskDetail", TaskDetail, taskDetail, {
  mayBeNull: [
    "proposalUuid",
    "storyPoints",
    "dueOn",
    "assignee",
    "description",
    "acceptanceCriteria",
    "createdBy",
    "startedAt",
    "submittedAt",
    "doneAt",
    "returned",
  ],
})

describeAnswer("of chorus_list_tasks", listTasks.output, { tasks: [taskRow], ...PAGED })

describeAnswer(
  "of chorus_claim_task",
  claimTask.output,
  {
    uuid: TASK,
    title: "Fit the door",
    status: "assigned",
    description: "Into the frame.",
    priority: "high",
    assignee: builder,
    acceptanceCriteriaItems: [criterionRow],
    dependsOn: [taskLink],
    dependedBy: [],
    _hints: ["Check in before you begin."],
  },
  { mayBeNull: ["description", "assignee"] },
)

describeAnswer("of chorus_create_tasks", createTasks.output, {
  tasks: [{ ...taskRow, draftUuid: "t1" }],
  warnings: ["No estimate."],
})

describeAnswer("of chorus_update_task", updateTask.output, {
  uuid: TASK,
  title: "Fit the door",
  status: "to_verify",
  version: 2,
  warnings: [],
})

describe("a task's answer", () => {
  it("shows who holds a blocker and who is at work on it, or that nobody is", () => {
    const blocker = { uuid: OTHER, title: "Cut the wood", status: "open" as const, assignee: null, activeSession: null }
    expect(TaskDetail.parse({ ...taskDetail, blockers: [blocker] }).blockers).toEqual([blocker])
  })

  it("counts criteria in whole numbers", () => {
    expect(TaskRow.safeParse({ ...taskRow, ac: { total: 1.5, passed: 0, checked: 0 } }).success).toBe(false)
  })

  it("says who assigned it and when, where that is known", () => {
    const assignee = { ...builder, assignedAt: AT, assignedBy: null }
    expect(TaskDetail.parse({ ...taskDetail, assignee }).assignee).toEqual(assignee)
  })

  it("says that a task is deleted only when it is", () => {
    expect(deleteTask.output.safeParse({ uuid: TASK, deleted: false }).success).toBe(false)
  })
})
