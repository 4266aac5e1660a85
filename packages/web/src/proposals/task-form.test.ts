import type { drafts } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { changesOf, formOf, isWhole, type TaskForm } from "./task-form.ts"

const draft: drafts.TaskDraft = {
  uuid: "u",
  title: "T",
  description: null,
  storyPoints: 1.5,
  priority: null,
  acceptanceCriteriaItems: [{ description: "works", command: "npm test" }],
  dependsOnDraftUuids: ["a"],
  version: 3,
  updatedAt: "",
}

describe("a task draft on its form", () => {
  it("comes back as it went in", () => {
    expect(changesOf(formOf(draft))).toEqual({
      title: "T",
      description: null,
      priority: null,
      storyPoints: 1.5,
      acceptanceCriteriaItems: [{ description: "works", command: "npm test" }],
      dependsOnDraftUuids: ["a"],
    })
  })

  it("drops criteria without words, and is not whole without one that has some", () => {
    const form = { ...formOf(draft), criteria: [{ description: " " }, { description: " fast " }] }
    expect(changesOf(form).acceptanceCriteriaItems).toEqual([{ description: "fast" }])
    expect(isWhole({ ...form, criteria: [{ description: " " }] })).toBe(false)
  })
})

describe("the form of a task draft", () => {
  const whole: TaskForm = {
    title: "T",
    description: "",
    priority: "",
    points: "",
    criteria: [{ description: "works" }],
    after: [],
  }

  it.each<[string, Partial<TaskForm>, boolean]>([
    ["plain", {}, true],
    ["a blank title", { title: " \t" }, false],
    ["no criterion", { criteria: [] }, false],
    ["one blank criterion beside one with words", { criteria: [{ description: " " }, { description: "works" }] }, true],
    ["zero hours", { points: "0" }, true],
    ["a number in spaces", { points: " 1.5 " }, true],
    ["a negative number", { points: "-0.5" }, false],
    ["no number", { points: "soon" }, false],
    ["a blank where a number was", { points: " " }, true],
    ["too great a number to be one", { points: "1e999" }, false],
  ])("is whole with %s: %#", (_, changes, is) => {
    expect(isWhole({ ...whole, ...changes })).toBe(is)
  })

  it("gives back what it was given, for any draft the server holds", () => {
    const line = fc.stringMatching(/^[a-z]([a-z ]{0,8}[a-z])?$/)
    const draft = fc.record({
      title: line,
      description: fc.option(line),
      storyPoints: fc.option(fc.double({ min: 0, max: 10_000, noNaN: true }).map(Math.abs)),
      priority: fc.option(fc.constantFrom("low", "medium", "high")),
      acceptanceCriteriaItems: fc.array(fc.record({ description: line, required: fc.boolean() }), {
        minLength: 1,
        maxLength: 4,
      }),
      dependsOnDraftUuids: fc.array(line, { maxLength: 3 }),
    })
    fc.assert(
      fc.property(draft, (drawn) => {
        const form = formOf({ ...drawn, uuid: "u", version: 1, updatedAt: "" } as drafts.TaskDraft)
        expect(isWhole(form)).toBe(true)
        expect(changesOf(form)).toEqual(drawn)
      }),
    )
  })
})
