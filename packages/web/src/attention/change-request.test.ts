import type { criteria } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { changedThings, type Present, requestedChange, whyNot } from "./change-request.ts"

const criterion = (description: string, command: string | null = null) =>
  ({ description, required: true, command }) as criteria.CriterionRow
const now: Present = {
  title: "Wire",
  content: "Under the floor.",
  version: 2,
  criteria: [criterion("It shines", "npm t")],
}
const asked = (targetType: "task" | "idea" | "proposal", change: Parameters<typeof changedThings>[0]["change"]) =>
  changedThings({ targetType, targetUuid: "u", target: "Wire", version: 2, change }, now)

describe("a change that is asked for", () => {
  it("is what an attention of that kind tells, and no other", () => {
    const detail = { targetType: "idea", targetUuid: "u", target: "Wire", version: 2, change: { title: "Cable" } }
    expect(requestedChange({ kind: "change", detail })).toBe(detail)
    // Whatever an agent puts into a question of its own.
    expect(requestedChange({ kind: "input", detail })).toBeUndefined()
  })

  it("stands beside what is there now, field by field, with the commands of criteria", () => {
    const criteriaAsked = ["It glows", { description: "It shines", required: true }]
    expect(asked("task", { title: "Cable", content: "In the wall.", criteria: criteriaAsked })).toEqual([
      {
        title: "Wire",
        change: "changed",
        fields: [
          { field: "title", before: "Wire", after: "Cable" },
          { field: "description", before: "Under the floor.", after: "In the wall." },
          {
            field: "acceptanceCriteriaItems",
            before: [{ description: "It shines", required: true, command: "npm t" }],
            after: [{ description: "It glows" }, { description: "It shines", required: true }],
          },
        ],
      },
    ])
    expect(asked("idea", { content: "Lamps." })[0]?.fields).toEqual([
      { field: "content", before: "Under the floor.", after: "Lamps." },
    ])
  })

  it("is too late once the text has moved on, and for criteria once the work is handed in", () => {
    const request = { targetType: "task", targetUuid: "u", target: "Wire", version: 2 } as const
    const criteriaAsked = { ...request, change: { criteria: ["It glows"] } }
    expect(whyNot({ ...request, change: { title: "Cable" } }, { ...now, version: 3 })).toBe("decide.changeStale")
    expect(whyNot(criteriaAsked, { ...now, status: "to_verify" })).toBe("decide.changeLate")
    expect(whyNot(criteriaAsked, { ...now, status: "in_progress" })).toBeUndefined()
  })

  it("names each task that a plan would get, with all that it brings", () => {
    const lamp = { title: "Lamp", draftUuid: "d", description: "Bright.", acceptanceCriteriaItems: ["It shines"] }
    expect(asked("proposal", { tasks: [lamp] })).toEqual([
      {
        title: "Lamp",
        change: "added",
        fields: [
          { field: "description", before: null, after: "Bright." },
          { field: "acceptanceCriteriaItems", before: null, after: ["It shines"] },
        ],
      },
    ])
  })
})
