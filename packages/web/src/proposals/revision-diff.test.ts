import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { firstComparison, linesOfField } from "./revision-diff.ts"

const WORDING = { titleOf: (uuid: string) => `Title of ${uuid}`, optional: "可选" }

describe("the first comparison", () => {
  it.each([
    [0, "draft", undefined],
    [0, "pending", undefined],
    [1, "draft", { from: 1, to: undefined }],
    [1, "pending", undefined],
    [2, "approved", { from: 1, to: 2 }],
    [5, "closed", { from: 4, to: 5 }],
    [5, "draft", { from: 5, to: undefined }],
  ])("of revision %i, %s", (number, status, compared) => {
    expect(firstComparison(number, status)).toEqual(compared)
  })
})

describe("the lines of a changed field", () => {
  it.each<[string, unknown, unknown, string[]]>([
    ["title", "Old", "New", ["-Old", "+New"]],
    ["priority", null, "high", ["+high"]],
    ["storyPoints", 2, null, ["-2"]],
    ["description", undefined, "words", ["+words"]],
    ["acceptanceCriteriaItems", [{ description: "a" }], [{ description: "a", required: false }], ["-a", "+a (可选)"]],
    [
      "acceptanceCriteriaItems",
      [{ description: "a", required: true }],
      [{ description: "a", command: "npm test" }],
      ["-a", "+a $ npm test"],
    ],
    ["dependsOnDraftUuids", ["d1", "d2"], ["d2", "d3"], ["-Title of d1", "=Title of d2", "+Title of d3"]],
    ["inputUuids", ["i1"], ["i1", "i2"], ["=i1", "+i2"]],
    ["anything", [{ odd: 1 }], [], ['-{"odd":1}']],
    ["nothing", null, null, []],
  ])("%s from %o to %o", (field, before, after, told) => {
    const signs = { removed: "-", added: "+", same: "=" }
    expect(linesOfField({ field, before, after }, WORDING).map(({ kind, text }) => signs[kind] + text)).toEqual(told)
  })

  it("of long text are those of its diff", () => {
    expect(
      linesOfField({ field: "content", before: null, after: null, patch: "@@ -1 +1 @@\n-a\n+b" }, WORDING),
    ).toEqual([
      { kind: "removed", text: "a" },
      { kind: "added", text: "b" },
    ])
  })

  it("hold all that is there now in its order, and nothing that never was", () => {
    const items = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"))
    fc.assert(
      fc.property(items, items, (before, after) => {
        const lines = linesOfField({ field: "list", before, after }, WORDING)
        expect(lines.filter(({ kind }) => kind !== "removed").map(({ text }) => text)).toEqual(after)
        expect(lines.filter(({ kind }) => kind === "removed").map(({ text }) => text)).toEqual(
          before.filter((item) => !after.includes(item)),
        )
      }),
    )
  })
})
