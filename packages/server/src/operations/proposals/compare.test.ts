import type { drafts } from "@chorus/contracts"
import { inTurns } from "@chorus/store"
import { describe, expect, it } from "vitest"
import { compareSnapshots } from "./compare.ts"

const document = (uuid: string, content: string): drafts.DocumentDraft => ({
  uuid,
  type: "prd",
  title: uuid,
  content,
  version: 1,
  updatedAt: "t",
})
const task = (uuid: string, facts: Partial<drafts.TaskDraft> = {}): drafts.TaskDraft => ({
  uuid,
  title: uuid,
  description: null,
  storyPoints: null,
  priority: null,
  acceptanceCriteriaItems: [{ description: "works" }],
  dependsOnDraftUuids: [],
  version: 1,
  updatedAt: "t",
  ...facts,
})

describe("compareSnapshots", () => {
  const before = {
    title: "P",
    description: "old\n",
    documents: [document("d", "one\ntwo\n")],
    tasks: [task("a"), task("b")],
  }

  it("calls a draft the same when only its bookkeeping moved on", async () => {
    const after = { ...before, tasks: [task("a", { version: 7, updatedAt: "later" }), task("b")] }
    const compared = await inTurns(compareSnapshots(before, after))
    expect(compared.proposal).toEqual([])
    expect(compared.drafts.every((draft) => draft.change === "same" && draft.fields.length === 0)).toBe(true)
  })

  it("names changed fields, with a diff for long text", async () => {
    const after = {
      ...before,
      description: "new\n",
      documents: [document("d", "one\nTWO\n")],
      tasks: [task("a", { priority: "high", dependsOnDraftUuids: ["b"] }), task("b")],
    }
    const compared = await inTurns(compareSnapshots(before, after))
    expect(compared.proposal).toEqual([
      { field: "description", before: null, after: null, patch: expect.stringContaining("-old\n+new") },
    ])
    expect(compared.drafts[0]).toMatchObject({
      change: "changed",
      fields: [{ field: "content", patch: expect.stringContaining("-two\n+TWO") }],
    })
    expect(compared.drafts[1]?.fields).toEqual([
      { field: "priority", before: null, after: "high" },
      { field: "dependsOnDraftUuids", before: [], after: ["b"] },
    ])
  })

  it("tells added and removed drafts apart", async () => {
    const { drafts: changes } = await inTurns(compareSnapshots(before, { ...before, tasks: [task("b"), task("c")] }))
    expect(changes.map(({ draftUuid, change }) => [draftUuid, change])).toEqual([
      ["d", "same"],
      ["b", "same"],
      ["c", "added"],
      ["a", "removed"],
    ])
  })
})
