import type { drafts } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { changesOf, formOf, isWhole } from "./task-form.ts"

const draft: drafts.TaskDraft = { uuid: "u", title: "T", description: null, storyPoints: 1.5, priority: null, acceptanceCriteriaItems: [{ description: "works", command: "npm test" }], dependsOnDraftUuids: ["a"], version: 3, updatedAt: "" }

describe("a task draft on its form", () => {
  it("comes back as it went in", () => {
    expect(changesOf(formOf(draft))).toEqual({ title: "T", description: null, priority: null, storyPoints: 1.5, acceptanceCriteriaItems: [{ description: "works", command: "npm test" }], dependsOnDraftUuids: ["a"] })
  })

  it("drops criteria without words, and is not whole without one that has some", () => {
    const form = { ...formOf(draft), criteria: [{ description: " " }, { description: " fast " }] }
    expect(changesOf(form).acceptanceCriteriaItems).toEqual([{ description: "fast" }])
    expect(isWhole({ ...form, criteria: [{ description: " " }] })).toBe(false)
  })

  it("takes an estimate as a number or as nothing", () => {
    expect(changesOf({ ...formOf(draft), points: " " }).storyPoints).toBeNull()
    expect(isWhole({ ...formOf(draft), points: "-1" })).toBe(false)
    expect(isWhole({ ...formOf(draft), points: "0.5" })).toBe(true)
  })
})
