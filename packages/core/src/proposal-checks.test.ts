import { describe, expect, it } from "vitest"
import { checkProposal, type ProposalToCheck, type TaskToCheck } from "./proposal-checks.ts"

const CONTENT = "x".repeat(100)

function task(uuid: string, facts: Partial<TaskToCheck> = {}): TaskToCheck {
  return {
    uuid,
    title: uuid.toUpperCase(),
    description: "what to do",
    priority: "high",
    storyPoints: 2,
    criteria: [{ description: "it works" }],
    dependsOnDraftUuids: [],
    ...facts,
  }
}

function proposal(facts: Partial<ProposalToCheck> = {}): ProposalToCheck {
  return {
    description: "why",
    inputType: "idea",
    inputs: [{ title: "Idea", resolved: true }],
    documents: [{ uuid: "d", type: "tech_design", title: "Design", content: CONTENT }],
    tasks: [task("a"), task("b", { dependsOnDraftUuids: ["a"] })],
    ...facts,
  }
}

const prd = { uuid: "d", type: "prd", title: "PRD", content: CONTENT }

describe("checkProposal", () => {
  it("has nothing to say about a complete proposal", () => {
    expect(checkProposal(proposal())).toEqual({ valid: true, issues: [] })
  })

  it.each<[string, ProposalToCheck, string]>([
    ["E1", proposal({ documents: [] }), "documentDrafts"],
    [
      "E2",
      proposal({ documents: [{ uuid: "d", type: "tech_design", title: "Thin", content: `${"x".repeat(99)}   ` }] }),
      "documentDrafts.d.content",
    ],
    ["E3", proposal({ tasks: [] }), "taskDrafts"],
    ["E4", proposal({ inputs: [] }), "inputUuids"],
    ["E5", proposal({ inputs: [{ title: "Idea", resolved: false }] }), "inputUuids"],
    [
      "E-AC",
      proposal({ tasks: [task("a", { criteria: [{ description: " " }] })] }),
      "taskDrafts.a.acceptanceCriteriaItems",
    ],
    [
      "E-CYCLE",
      proposal({ tasks: [task("a", { dependsOnDraftUuids: ["b"] }), task("b", { dependsOnDraftUuids: ["a"] })] }),
      "taskDrafts.a.dependsOnDraftUuids",
    ],
    [
      "E-DANGLING",
      proposal({ tasks: [task("a", { dependsOnDraftUuids: ["gone"] })] }),
      "taskDrafts.a.dependsOnDraftUuids",
    ],
  ])("error %s", (id, checked, field) => {
    const { valid, issues } = checkProposal(checked)
    expect(valid).toBe(false)
    expect(issues).toEqual([{ id, level: "error", message: expect.any(String), field }])
  })

  it("E5 tells a planner what it can do itself: wait for the answers", () => {
    const { issues } = checkProposal(proposal({ inputs: [{ title: "Idea", resolved: false }] }))
    expect(issues[0]?.message).toContain("wait with chorus_inbox (wait_seconds)")
    expect(issues[0]?.message).not.toContain("validate")
  })

  it.each<[string, "warning" | "info", ProposalToCheck]>([
    ["W1", "warning", proposal({ documents: [prd] })],
    ["W2", "warning", proposal({ tasks: [task("a", { description: null })] })],
    ["W4", "warning", proposal({ tasks: [task("a"), task("b")] })],
    ["W5", "warning", proposal({ description: " " })],
    ["I1", "info", proposal({ tasks: [task("a", { priority: null })] })],
    ["I2", "info", proposal({ tasks: [task("a", { storyPoints: null })] })],
  ])("%s is a %s and does not stand in the way", (id, level, checked) => {
    const { valid, issues } = checkProposal(checked)
    expect(valid).toBe(true)
    expect(issues.map((issue) => [issue.id, issue.level])).toEqual([[id, level]])
  })

  it("asks documents as inputs for no elaboration", () => {
    expect(checkProposal(proposal({ inputType: "document", inputs: [{ title: "Doc", resolved: false }] })).valid).toBe(
      true,
    )
  })

  it("says all that is wrong at once", () => {
    const { issues } = checkProposal({ description: null, inputType: "idea", inputs: [], documents: [], tasks: [] })
    expect(issues.map((issue) => issue.id)).toEqual(["E4", "W5", "E1", "E3"])
  })
})
