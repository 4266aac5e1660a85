import type { OutputOf, reviews, tasks, work } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { agentRef, logEvent, taskRow } from "../../test/rows.ts"
import { followHistory, followReviews, followTask } from "./follow-task.ts"

const link = (uuid: string, title: string): tasks.TaskLink => ({
  uuid,
  title,
  status: "open",
  assignee: null,
  contract: null,
})
const detail = {
  ...taskRow({ title: "Old" }),
  dependsOn: [link("before", "Before")],
  dependedBy: [link("after", "After")],
} as unknown as tasks.TaskDetail

describe("a task on show and the log", () => {
  const follow = followTask("t1")

  it.each([
    ["its criteria were judged", { kind: "task.criteria_marked" }],
    [
      "its status changed, which brings times and blockers along",
      { kind: "task.started", patch: { status: "in_progress" } },
    ],
    ["it was reported on", { kind: "task.reported" }],
    ["what it depends on changed", { kind: "task.updated", patch: { openDependencies: 1 } }],
    ["it was deleted", { kind: "task.deleted", action: "deleted" as const }],
    ["a neighbour before it was finished", { entityUuid: "before", kind: "task.verified", patch: { status: "done" } }],
    ["a neighbour after it was deleted", { entityUuid: "after", kind: "task.deleted", action: "deleted" as const }],
    ["somebody sat down at it", { entityType: "checkin", entityUuid: "c", patch: { taskUuid: "t1" } }],
    ["somebody sat down at a neighbour", { entityType: "checkin", entityUuid: "c", patch: { taskUuid: "after" } }],
    ["a reference was added to it", { entityType: "reference", entityUuid: "r", patch: { targetUuid: "t1" } }],
  ])("asks anew when %s", (_, changes) => {
    expect(follow.apply(detail, logEvent(changes))).toBeUndefined()
  })

  it.each([
    ["another task changed", { entityUuid: "t9", patch: { title: "Else" } }],
    ["somebody sat down elsewhere", { entityType: "checkin", entityUuid: "c", patch: { taskUuid: "t9" } }],
    ["a reference was added elsewhere", { entityType: "reference", entityUuid: "r", patch: { targetUuid: "t9" } }],
    ["an idea of the same id changed", { entityType: "idea", entityUuid: "t1", patch: { title: "Idea" } }],
  ])("stays the same object when %s", (_, changes) => {
    expect(follow.apply(detail, logEvent(changes))).toBe(detail)
  })

  it("merges plain edits at once", () => {
    expect(follow.apply(detail, logEvent({ patch: { title: "New", priority: "high" } }))).toMatchObject({
      title: "New",
      priority: "high",
      dependsOn: [{ title: "Before" }],
    })
  })

  it("renames neighbours on both sides and leaves their other facts", () => {
    expect(follow.apply(detail, logEvent({ entityUuid: "after", patch: { title: "Later" } }))?.dependedBy).toEqual([
      link("after", "Later"),
    ])
    expect(follow.apply(detail, logEvent({ entityUuid: "before", patch: { priority: "high" } }))?.dependsOn).toEqual([
      link("before", "Before"),
    ])
  })
})

describe("a task's history and the log", () => {
  type History = OutputOf<typeof work.getTaskHistory>
  const history = {
    sessions: [{ uuid: "s1" }],
    checkins: [],
    reports: [],
    verdicts: [],
    reservations: [],
  } as unknown as History
  const follow = followHistory("t1")

  it.each([
    ["the task itself", { entityType: "task" }, true],
    ["another task", { entityType: "task", entityUuid: "t9" }, false],
    ["a stay at it", { entityType: "checkin", entityUuid: "c", patch: { taskUuid: "t1" } }, true],
    ["a stay elsewhere", { entityType: "checkin", entityUuid: "c", patch: { taskUuid: "t9" } }, false],
    ["paths reserved for it", { entityType: "reservation", entityUuid: "r", patch: { taskUuid: "t1" } }, true],
    ["a session of it that ended", { entityType: "session", entityUuid: "s1", patch: { status: "closed" } }, true],
    [
      "a sign of life of that session",
      { entityType: "session", entityUuid: "s1", patch: { lastSeenAt: "now" } },
      false,
    ],
    ["another session that ended", { entityType: "session", entityUuid: "s9", patch: { status: "closed" } }, false],
    ["a comment", { entityType: "comment", entityUuid: "t1", patch: { targetUuid: "t1" } }, false],
  ])("is asked anew after an event of %s: %s", (_, changes, anew) => {
    expect(follow.apply(history, logEvent(changes))).toBe(anew ? undefined : history)
  })
})

describe("reviews and the log", () => {
  type Reviews = OutputOf<typeof reviews.getReviews>
  const answer = { reviews: [] } as unknown as Reviews
  const follow = followReviews("t1")

  it.each(["review", "finding"])("are asked anew after a %s about the target alone", (entityType) => {
    expect(
      follow.apply(
        answer,
        logEvent({ entityType, entityUuid: "x", patch: { targetUuid: "t1" }, actor: agentRef("Bo") }),
      ),
    ).toBeUndefined()
    expect(follow.apply(answer, logEvent({ entityType, entityUuid: "x", patch: { targetUuid: "t9" } }))).toBe(answer)
  })

  it("do not care about the task's own steps", () => {
    expect(follow.apply(answer, logEvent({ kind: "task.verified", patch: { status: "done" } }))).toBe(answer)
  })
})
