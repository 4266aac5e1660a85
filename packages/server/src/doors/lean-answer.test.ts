import { describe, expect, it } from "vitest"
import { leanAnswer } from "./lean-answer.ts"

const at = "2026-01-02T03:04:05.678Z"

describe("a lean answer", () => {
  it("says nothing that is null, at any depth, and keeps false, empty and zero", () => {
    expect(leanAnswer({ a: null, b: { c: null, d: false, e: [], f: 0 }, g: [null, { h: null }] })).toEqual({
      b: { d: false, e: [], f: 0 },
      g: [null, {}],
    })
  })

  it("has rows of tasks with names and progress, and says once what they share", () => {
    const task = {
      projectUuid: "p",
      proposalUuid: "q",
      status: "open",
      openDependencies: 0,
      createdAt: at,
      updatedAt: at,
    }
    const none = { total: 2, passed: 0, checked: 0 }
    const assignee = { type: "agent", uuid: "a", name: "Builder" }
    const tasks = [
      { uuid: "1", ...task, assignee, ac: { ...none, checked: 1 } },
      { uuid: "2", ...task, assignee: null, ac: none, version: 3 },
    ]
    expect(leanAnswer({ tasks, total: 2 })).toEqual({
      tasks: [
        {
          uuid: "1",
          status: "open",
          assignee: "Builder",
          ac: { total: 2, checked: 1 },
        },
        { uuid: "2", status: "open", version: 3 },
      ],
      total: 2,
      proposalUuid: "q",
    })
  })

  it("keeps what tells rows apart", () => {
    const tasks = [
      { uuid: "1", proposalUuid: "q" },
      { uuid: "2", proposalUuid: "r" },
    ]
    expect(leanAnswer({ tasks })).toEqual({ tasks })
  })

  it("makes a remark about several drafts once, and counts the drafts of a plan", () => {
    const issue = (title: string) => ({ id: "I1", level: "info", message: `${title} has no priority.`, field: title })
    expect(leanAnswer({ taskDrafts: [{}, {}], documentDrafts: [{}], issues: [issue("A"), issue("B")] })).toEqual({
      taskDrafts: 2,
      documentDrafts: 1,
      issues: [{ id: "I1", level: "info", message: "A has no priority.", alsoOf: 1 }],
    })
    const proposal = { taskDrafts: [{ uuid: "1" }] }
    expect(leanAnswer(proposal)).toEqual(proposal)
  })

  it("keeps the words of what happened", () => {
    const value = { status: "in_progress", reason: "x".repeat(90), assignee: { uuid: "a" } }
    expect(leanAnswer({ activities: [{ id: 1, action: "reopened", kind: "task.reopened", value }] })).toEqual({
      activities: [{ id: 1, action: "reopened", value: { status: "in_progress", reason: `${"x".repeat(80)}…` } }],
    })
  })
})
