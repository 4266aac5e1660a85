import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput, faults } from "../../test/contract.ts"
import { ada, AT, builder, checkinRow, returned, sessionRow, taskRow, workReport } from "../../test/examples.ts"
import {
  filled,
  flag,
  like,
  list,
  number,
  oneOf,
  optional,
  OTHER,
  PROJECT,
  prose,
  TASK,
  uuid,
  whole,
} from "../../test/field-rule.ts"
import {
  finishTask,
  getBoard,
  getPresence,
  getTaskGraph,
  getTaskHistory,
  getWorkSettings,
  moveTask,
  nextTask,
  reclaimTask,
  reportWork,
  returnLapsedTasks,
  startTask,
  TaskBrief,
  updateWorkSettings,
  WorkSettings,
} from "./work.ts"

const A_WEEK_OF_MINUTES = 10_080
const minutes = whole(1, A_WEEK_OF_MINUTES)

const brief: TaskBrief = {
  task: {
    uuid: TASK,
    shortId: "HOUSE-1",
    returned,
    title: "Fit the door",
    status: "in_progress",
    priority: "high",
    version: 2,
    changed: "version 1 → 2, by Ada",
    description: "Into the frame.",
    acceptanceCriteriaItems: [{ uuid: OTHER, description: "It opens.", command: "knock", devStatus: "passed" }],
    project: { uuid: PROJECT, name: "House" },
    reports: ["Half done."],
    references: [{ title: "Doors", url: "https://example.org/doors" }],
  },
  idea: { uuid: OTHER, title: "A house for cats", words: "With a ladder." },
  answers: [{ question: "Which way?", answer: "Inwards.", changed: "new" }],
  documents: [{ uuid: OTHER, type: "prd", title: "Why", version: 3, changed: "version 2 → 3, by Ada", parts: "Cats." }],
  dependencies: [
    { uuid: OTHER, title: "Cut the wood", status: "done", contract: "planks", reports: "Planks are cut." },
  ],
  dependents: [{ title: "Paint it", contract: "a closed door" }],
  reservedByOthers: [{ glob: "src/door/**", agent: "Builder" }],
  session: { uuid: OTHER, name: "saw" },
}

describeInput(reportWork, {
  smallest: { taskUuid: TASK, report: "Half done." },
  fields: {
    taskUuid: uuid,
    report: filled(prose(100_000)),
    status: optional(oneOf("in_progress", "to_verify")),
    to: optional(oneOf("dependents")),
    sessionUuid: optional(uuid),
    insist: optional(flag),
  },
})

describeInput(startTask, {
  smallest: { taskUuid: TASK },
  fields: { taskUuid: uuid, sessionUuid: optional(uuid), takeBack: optional(flag) },
})

describeInput(nextTask, {
  smallest: { projectUuid: PROJECT },
  fields: {
    projectUuid: uuid,
    proposalUuids: optional(list(uuid, 0, 100)),
    sessionUuid: optional(uuid),
    wait_seconds: optional(number(0, 300)),
  },
})

describeInput(finishTask, {
  smallest: { taskUuid: TASK, report: "Done." },
  fields: {
    taskUuid: uuid,
    report: filled(prose(100_000)),
    criteria: optional(list(like({ uuid: OTHER, devStatus: "passed" }), 0, 100)),
    sessionUuid: optional(uuid),
    insist: optional(flag),
  },
})

describe("a report on work", () => {
  it.each([reportWork, finishTask])("that is blank is refused by $name in words", ({ input }) => {
    expect(faults(input, { taskUuid: TASK, report: "  \n " })).toEqual(["report: must not be blank"])
  })
})

describe.each([reclaimTask, getTaskHistory])("an operation on one task's work", (signature) => {
  describeInput(signature, { smallest: { taskUuid: TASK }, fields: { taskUuid: uuid } })
})

describeInput(moveTask, {
  smallest: { taskUuid: TASK, status: "done" },
  fields: { taskUuid: uuid, status: oneOf("open", "assigned", "in_progress", "to_verify", "done", "closed") },
})

describeInput(getBoard, { smallest: { projectUuid: PROJECT }, fields: { projectUuid: uuid } })

describeInput(getTaskGraph, {
  smallest: { projectUuid: PROJECT },
  fields: { projectUuid: uuid, proposalUuids: optional(list(uuid, 0, 100)) },
})

describeInput(getPresence, { smallest: {}, fields: { projectUuid: optional(uuid) } })

describeInput(returnLapsedTasks, { smallest: {}, fields: {} })

describeInput(getWorkSettings, { smallest: {}, fields: {} })

describeInput(updateWorkSettings, {
  smallest: {},
  fields: {
    sessionInactiveMinutes: optional(minutes),
    leaseMinutes: optional(minutes),
    lapsedTasks: optional(oneOf("return", "keep")),
  },
})

describe("the settings of work", () => {
  it("are an hour each where nobody said otherwise", () => {
    expect(WorkSettings.parse({})).toEqual({ sessionInactiveMinutes: 60, leaseMinutes: 60, lapsedTasks: "return" })
  })

  it("are not filled in by a change that leaves one out", () => {
    expect(updateWorkSettings.input.parse({ leaseMinutes: 5 })).toEqual({ leaseMinutes: 5 })
  })

  it("are changed only by those who run the workspace, and read by anyone", () => {
    expect([updateWorkSettings.needs, getWorkSettings.needs]).toEqual(["steward", "anyone"])
  })
})

describeAnswer("TaskBrief", TaskBrief, brief, {
  mayBeLeftOut: ["idea", "answers", "documents", "dependencies", "dependents", "reservedByOthers", "session"],
})

describe("the answer of chorus_next_task", () => {
  it("is a brief, where there is a task", () => expect(nextTask.output.parse(brief)).toEqual(brief))

  it("says why, where there is none", () => {
    const none = { task: null, reason: "Everything waits.", waiting: 3, inProgress: 1 }
    expect(nextTask.output.parse(none)).toEqual(none)
    expect(nextTask.output.safeParse({ task: null }).success).toBe(false)
  })
})

describeAnswer("of chorus_finish_task", finishTask.output, {
  uuid: TASK,
  title: "Fit the door",
  status: "to_verify",
  reportUuid: OTHER,
  unchecked: ["The lock turns."],
  checkedOut: 1,
  news: { waits: [{ kind: "answer", uuid: OTHER, title: "Which wood?", note: "Oak." }], waitingFor: [], ready: 2 },
})

describeAnswer("of chorus_get_board", getBoard.output, {
  tasks: [taskRow],
  checkins: [checkinRow],
  returned: [],
  position: 17,
})

describeAnswer("of chorus_get_task_graph", getTaskGraph.output, {
  nodes: [{ ...taskRow, wave: null, critical: true, blockedBy: [OTHER] }],
  edges: [{ taskUuid: TASK, dependsOnUuid: OTHER, contract: null }],
  waves: [[OTHER], [TASK]],
  criticalPath: [OTHER, TASK],
  criticalWeight: 3.5,
  position: 17,
})

describeAnswer("of chorus_get_task_history", getTaskHistory.output, {
  checkins: [checkinRow],
  sessions: [sessionRow],
  reports: [workReport],
  verdicts: [
    {
      uuid: OTHER,
      criterionUuid: OTHER,
      criterion: "It opens.",
      track: "dev",
      status: "passed",
      evidence: null,
      exitCode: 0,
      handIn: 1,
      observed: false,
      output: null,
      markedBy: ada,
      markedAt: AT,
    },
  ],
  reservations: [
    {
      uuid: OTHER,
      projectUuid: PROJECT,
      taskUuid: TASK,
      agent: builder,
      sessionUuid: null,
      glob: "src/**",
      reason: null,
      createdAt: AT,
      expiresAt: AT,
      releasedAt: null,
      releaseReason: null,
    },
  ],
  lease: { state: "held", at: AT },
})

describe("a lease", () => {
  it.each(["none", "person", "held", "lapsed"])("may be %s", (state) => {
    expect(getTaskHistory.output.shape.lease.parse({ state, at: null })).toEqual({ state, at: null })
  })
})

describeAnswer("of chorus_get_presence", getPresence.output, {
  agents: [
    {
      uuid: OTHER,
      name: "Builder",
      ownerUuid: null,
      lastActiveAt: null,
      sessions: [{ ...sessionRow, working: [checkinRow] }],
      inProgress: [{ uuid: TASK, shortId: "SHOP-1", title: "Fit the door", projectUuid: PROJECT, wasInSession: true }],
    },
  ],
  position: 17,
})
