import { describe, expect, it } from "vitest"
import { pathOfCall, pathOfNotification } from "./notification-place.ts"

const ABOUT = { action: "comment_added", entityType: "task", entityUuid: "x1", projectUuid: "p1" } as const

describe("the place of a notification", () => {
  it.each([
    [{}, "/projects/p1/tasks/x1"],
    [{ entityType: "idea" }, "/projects/p1/ideas/x1"],
    [{ entityType: "proposal" }, "/projects/p1/proposals/x1"],
    [{ entityType: "document" }, "/projects/p1/documents/x1"],
    [{ entityType: "review" }, "/projects/p1/activity"],
    [{ entityType: "attention" }, "/?item=x1"],
    [{ entityType: "attention", projectUuid: null }, "/?item=x1"],
    [{ projectUuid: null }, undefined],
  ])("for %o is %s", (about, place) => {
    expect(pathOfNotification({ ...ABOUT, ...about })).toBe(place)
  })
})

describe("where a call leads", () => {
  it.each([
    [{ action: "task_submitted_for_verify" }, "/?item=x1"],
    [{ action: "proposal_submitted", entityType: "proposal" }, "/?item=x1"],
    [{ action: "elaboration_requested", entityType: "idea" }, "/?item=x1"],
    [{ action: "attention_requested", entityType: "attention" }, "/?item=x1"],
    [{ action: "proposal_approved", entityType: "proposal" }, "/projects/p1/proposals/x1"],
    [{ action: "mentioned", entityType: "document" }, "/projects/p1/documents/x1"],
    [{ action: "task_assigned" }, "/projects/p1/tasks/x1"],
    [{ action: "idea_done", entityType: "idea" }, "/projects/p1/ideas/x1"],
    [{ projectUuid: null }, "/notifications"],
  ] as const)("for %o is %s", (about, place) => {
    expect(pathOfCall({ ...ABOUT, ...about })).toBe(place)
  })
})
