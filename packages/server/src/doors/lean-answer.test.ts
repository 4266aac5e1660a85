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
    const lacks = (id: string, level: string) => (title: string) => ({
      id,
      level,
      message: `${title} lacks something.`,
      field: title,
    })
    const [info, warning] = [lacks("I1", "info"), lacks("W2", "warning")]
    const issues = [info("A"), info("B"), warning("A"), warning("B")]
    const told = { message: "A lacks something.", alsoOf: 1 }
    expect(leanAnswer({ taskDrafts: [{}, {}], documentDrafts: [{}], issues })).toEqual({
      taskDrafts: 2,
      documentDrafts: 1,
      issues: [{ id: "W2", level: "warning", ...told }],
    })
    expect(leanAnswer({ valid: true, issues: [info("A"), info("B")] })).toEqual({
      valid: true,
      issues: [{ id: "I1", level: "info", ...told }],
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
