import type { criteria, LogEvent, tasks } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { logEvent } from "../../test/rows.ts"
import { followTask } from "./follow-task.ts"
import { unjudged } from "./task-status.ts"

const detail = {
  uuid: "t1",
  title: "Old",
  status: "open",
  dependsOn: [{ uuid: "t0", title: "Before", status: "open", assignee: null, contract: null }],
  dependedBy: [],
} as unknown as tasks.TaskDetail

function event(entityUuid: string, kind: string, patch: Record<string, unknown>, entityType = "task"): LogEvent {
  return logEvent({
    kind,
    entityType,
    entityUuid,
    projectUuid: "p",
    action: "updated",
    patch,
  })
}

describe("following a task", () => {
  const follow = followTask("t1")

  it("merges what the event carries", () => {
    expect(follow.apply(detail, event("t1", "task.updated", { title: "New" }))?.title).toBe("New")
    expect(follow.apply(detail, event("t0", "task.updated", { title: "Earlier" }))?.dependsOn[0]?.title).toBe("Earlier")
  })

  it("asks for what the event does not carry", () => {
    expect(follow.apply(detail, event("t1", "task.criteria_marked", { ac: {} }))).toBeUndefined()
    expect(follow.apply(detail, event("t0", "task.verified", { status: "done" }))).toBeUndefined()
    expect(follow.apply(detail, event("c1", "session.checked_in", { taskUuid: "t0" }, "checkin"))).toBeUndefined()
  })

  it("does not care about others", () => {
    expect(follow.apply(detail, event("t9", "task.verified", { status: "done" }))).toBe(detail)
    expect(follow.apply(detail, event("c1", "session.checked_in", { taskUuid: "t9" }, "checkin"))).toBe(detail)
  })
})

describe("judging", () => {
  it("waits for required criteria alone", () => {
    const item = (required: boolean, status: criteria.CriterionVerdict) =>
      ({ required, status }) as criteria.CriterionRow
    expect(
      unjudged([item(true, "pending"), item(false, "pending"), item(true, "passed"), item(true, "failed")]),
    ).toHaveLength(1)
  })
})
