import { describe, expect, it } from "vitest"
import { firstComparison, linesOfField } from "./revision-diff.ts"

const WORDING = { titleOf: (uuid: string) => `Title of ${uuid}`, optional: "optional" }

describe("comparing submissions", () => {
  it("begins with what the reviewer saw last", () => {
    expect(firstComparison(1, "pending")).toBeUndefined()
    expect(firstComparison(3, "pending")).toEqual({ from: 2, to: 3 })
    expect(firstComparison(2, "draft")).toEqual({ from: 2, to: undefined })
    expect(firstComparison(0, "draft")).toBeUndefined()
  })

  it("shows lists item by item", () => {
    const field = { field: "acceptanceCriteriaItems", before: [{ description: "works" }, { description: "fast" }], after: [{ description: "works" }, { description: "safe", required: false, command: "npm test" }] }
    expect(linesOfField(field, WORDING)).toEqual([
      { kind: "removed", text: "fast" },
      { kind: "same", text: "works" },
      { kind: "added", text: "safe (optional) $ npm test" },
    ])
  })

  it("names drafts by their titles and takes long text from its diff", () => {
    expect(linesOfField({ field: "dependsOnDraftUuids", before: [], after: ["d1"] }, WORDING)).toEqual([{ kind: "added", text: "Title of d1" }])
    expect(linesOfField({ field: "content", before: null, after: null, patch: "@@ -1 +1 @@\n-a\n+b" }, WORDING)).toHaveLength(2)
    expect(linesOfField({ field: "title", before: "Old", after: "New" }, WORDING)).toEqual([
      { kind: "removed", text: "Old" },
      { kind: "added", text: "New" },
    ])
  })
})
