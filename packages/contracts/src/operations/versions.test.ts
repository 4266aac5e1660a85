import { describe, expect, it } from "vitest"
import { describeAnswer, describeInput } from "../../test/contract.ts"
import { ada, AT, PAGE, PAGED } from "../../test/examples.ts"
import { type FieldRule, oneOf, optional, paging, TASK, uuid } from "../../test/field-rule.ts"
import { diffVersions, getVersion, getVersions } from "./versions.ts"

/** Versions also come in the query of an address, as text. */
const version: FieldRule = {
  says: "is a version, counted from one, also as text",
  takes: [1, "1", "12"],
  refuses: [0, -1, 1.5, "0", "first", {}],
}
const target = { targetType: "task", targetUuid: TASK } as const
const targetFields = { targetType: oneOf("idea", "task", "document"), targetUuid: uuid }

describeInput(getVersions, {
  smallest: target,
  becomes: { ...target, ...PAGE },
  fields: { ...targetFields, ...paging },
})

describeInput(getVersion, { smallest: { ...target, version: 2 }, fields: { ...targetFields, version } })

describeInput(diffVersions, {
  smallest: { ...target, from: 1 },
  fields: { ...targetFields, from: version, to: optional(version) },
})

describe("a version in an address", () => {
  it("is read as a number", () => {
    expect(diffVersions.input.parse({ ...target, from: "1", to: "12" })).toEqual({ ...target, from: 1, to: 12 })
  })
})

describeAnswer("of chorus_get_versions", getVersions.output, {
  versions: [{ version: 3, title: "The frame", contentLength: 120, changedBy: ada, changedAt: AT }],
  ...PAGED,
})

describeAnswer(
  "of chorus_get_version",
  getVersion.output,
  { version: 1, title: "Frame", content: "", changedBy: ada, changedAt: AT },
  { mayBeNull: ["changedBy"] },
)

describeAnswer("of chorus_diff_versions", diffVersions.output, {
  from: 1,
  to: 3,
  title: { before: "Frame", after: "The frame" },
  added: 1,
  removed: 1,
  lines: [
    { kind: "same", text: "# Frame" },
    { kind: "removed", text: "pine" },
    { kind: "added", text: "oak" },
  ],
  patch: "@@ -1,2 +1,2 @@",
})
