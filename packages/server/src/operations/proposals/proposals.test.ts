import type { proposals } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { CRITERIA, LONG, settledIdea, submittedPlan, type Uuid } from "../../../test/plan-fixture.ts"

const w = embeddedWorkspace()

const create = async (more: { inputUuids?: string[]; [field: string]: unknown } = {}) => {
  const inputUuids = more.inputUuids ?? [await settledIdea(w, w.pm)]
  return w.call<Uuid & { note?: string }>(w.pm, "chorus_pm_create_proposal", {
    projectUuid: w.project,
    title: "P",
    inputType: "idea",
    ...more,
    inputUuids,
  })
}
const get = (proposalUuid: string, section = "basic") =>
  w.call<proposals.ProposalDetail>(w.viewer, "chorus_get_proposal", { proposalUuid, section })

describe("starting a proposal", () => {
  it("tells each draft, then the whole row, then its references", async () => {
    const documentDrafts = [{ type: "prd", title: "PRD", content: "text" }]
    const taskDrafts = [{ title: "T", acceptanceCriteriaItems: CRITERIA }]
    const references = [{ type: "docs", url: "https://example.test/", title: "d" }]
    const inputUuids = [await settledIdea(w, w.pm)]
    const events = await w.told(() => create({ documentDrafts, taskDrafts, references, inputUuids }))
    expect(events.map(({ kind }) => kind)).toEqual([
      "draft.added",
      "draft.added",
      "proposal.created",
      "reference.added",
    ])
    expect(events[0]?.patch).toMatchObject({ kind: "document", title: "PRD", contentLength: 4, version: 1 })
    expect(events[1]?.patch).toMatchObject({ kind: "task", title: "T", acceptanceCriteriaCount: 2 })
    expect(events[2]?.patch).toMatchObject({
      status: "draft",
      revision: 0,
      documentDraftCount: 1,
      taskDraftCount: 1,
      inputUuids,
      ideaUuid: inputUuids[0],
    })
  })

  it("may begin from nothing, which cannot be submitted", async () => {
    const { uuid } = await create({ inputUuids: [] })
    const { issues } = await w.call<{ issues: { id: string }[] }>(w.pm, "chorus_pm_validate_proposal", {
      proposalUuid: uuid,
    })
    expect(issues.map(({ id }) => id)).toContain("E4")
  })

  it("takes an input named twice once, and keeps the order", async () => {
    const [one, two] = [await settledIdea(w, w.pm), await settledIdea(w, w.pm)]
    const { uuid } = await create({ inputUuids: [two, one, two] })
    expect((await get(uuid)).inputUuids).toEqual([two, one])
  })

  it("says what else its ideas already feed, closed ones left out", async () => {
    const ideaUuid = await settledIdea(w, w.pm)
    const first = await create({ title: "First", inputUuids: [ideaUuid] })
    expect(first).not.toHaveProperty("note")
    expect((await create({ title: "Second", inputUuids: [ideaUuid] })).note).toBe(
      'These ideas already feed: "First" (draft).',
    )
    await w.call(w.owner, "chorus_admin_close_proposal", { proposalUuid: first.uuid, reviewNote: "no" })
    expect((await create({ inputUuids: [ideaUuid] })).note).toBe('These ideas already feed: "Second" (draft).')
  })

  it("refuses two tasks under one key and keeps nothing", async () => {
    const inputUuids = [await settledIdea(w, w.pm)]
    const task = { key: "a", title: "A", acceptanceCriteriaItems: CRITERIA }
    await expect(create({ inputUuids, taskDrafts: [task, { ...task, title: "B" }] })).rejects.toMatchObject({
      code: "invalid_input",
      message: "Two tasks have the key a.",
    })
    expect(
      await w.call(w.viewer, "chorus_get_proposals", { projectUuid: w.project, ideaUuid: inputUuids[0] }),
    ).toMatchObject({ total: 0 })
  })
})

describe("changing a proposal", () => {
  const update = (proposalUuid: string, changes: object) =>
    w.call(w.pm, "chorus_update_proposal", { proposalUuid, ...changes })

  it("is told with what changed", async () => {
    const { uuid } = await create({ description: "old" })
    const [event] = await w.told(() => update(uuid, { title: "New", description: null }))
    expect(event).toMatchObject({ kind: "proposal.updated", patch: { title: "New", description: null } })
    expect(await get(uuid)).toMatchObject({ title: "New", description: null })
  })

  it.each([
    ["pending", "Reject it first"],
    ["approved", "Revoke it first"],
    ["closed", "Start a new proposal."],
  ])("is refused once it is %s, saying what would be needed", async (status, next) => {
    const { uuid } = await submittedPlan(w, w.pm)
    if (status === "approved") await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid: uuid })
    if (status === "closed")
      await w.call(w.owner, "chorus_admin_close_proposal", { proposalUuid: uuid, reviewNote: "no" })
    await expect(update(uuid, { title: "x" })).rejects.toMatchObject({
      code: "proposal_not_draft",
      details: { status },
      next: expect.stringContaining(next),
    })
  })
})

describe("a list of proposals", () => {
  it("is newest first, by status and by idea", async () => {
    const ideaUuid = await settledIdea(w, w.pm)
    const first = await create({ title: "first", inputUuids: [ideaUuid] })
    await submittedPlan(w, w.pm, { ideaUuid })
    const titles = async (more: object) =>
      (
        await w.call<{ proposals: proposals.ProposalRow[] }>(w.viewer, "chorus_get_proposals", {
          projectUuid: w.project,
          ideaUuid,
          ...more,
        })
      ).proposals.map(({ title }) => title)
    expect(await titles({})).toEqual(["A plan", "first"])
    expect(await titles({ status: "draft" })).toEqual(["first"])
    expect(await titles({ pageSize: 1, page: 2 })).toEqual(["first"])
    expect((await get(first.uuid)).createdBy).toMatchObject({ name: "Petra" })
  })

  it.each([
    ["basic", ["documentDraftIndex", "taskDraftIndex"]],
    ["documents", ["documentDrafts"]],
    ["tasks", ["taskDrafts"]],
    ["full", ["documentDraftIndex", "taskDraftIndex", "documentDrafts", "taskDrafts"]],
  ])("one shown as %s holds %j and no other drafts", async (section, held) => {
    const { uuid } = await submittedPlan(w, w.pm)
    const parts = ["documentDraftIndex", "taskDraftIndex", "documentDrafts", "taskDrafts", "materializedTasks"]
    const shown: object = await get(uuid, section)
    expect(parts.filter((part) => part in shown)).toEqual(held)
  })
})

describe("submitting", () => {
  it("is told with the revision, and cannot be done twice", async () => {
    const { uuid } = await create({
      description: "why",
      documentDrafts: [{ type: "tech_design", title: "D", content: LONG }],
      taskDrafts: [{ title: "T", acceptanceCriteriaItems: CRITERIA }],
    })
    const submit = () => w.call(w.pm, "chorus_pm_submit_proposal", { proposalUuid: uuid })
    const events = await w.told(submit)
    expect(events[0]).toMatchObject({ kind: "proposal.submitted", patch: { status: "pending", revision: 1 } })
    await expect(submit()).rejects.toMatchObject({ code: "proposal_not_draft" })
  })

  it("names every error by its id, and changes nothing", async () => {
    const { uuid } = await create({ title: "Thin", documentDrafts: [{ type: "prd", title: "PRD", content: "short" }] })
    await expect(w.call(w.pm, "chorus_pm_submit_proposal", { proposalUuid: uuid })).rejects.toMatchObject({
      code: "proposal_invalid",
      message: expect.stringMatching(/^"Thin" cannot be submitted: E2 .* E3 /),
      details: {
        issues: expect.arrayContaining([
          expect.objectContaining({ id: "E2", level: "error", field: expect.stringContaining("content") }),
        ]),
      },
    })
    expect(await get(uuid)).toMatchObject({ status: "draft", revision: 0 })
  })

  it("waits for ideas whose questions are open", async () => {
    const ideaUuid = await w.newIdea({ title: "Unclear" })
    await w.call(w.pm, "chorus_claim_idea", { ideaUuid })
    const plan = {
      projectUuid: w.project,
      title: "P",
      ideaUuids: [ideaUuid],
      documents: [{ type: "prd", title: "D", content: LONG }],
      tasks: [{ key: "a", title: "A", criteria: ["x"] }],
    }
    await expect(w.call(w.pm, "chorus_submit_plan", plan)).rejects.toMatchObject({
      code: "proposal_invalid",
      message: expect.stringContaining('E5 The questions about "Unclear" are not settled'),
    })
    expect(await w.call(w.pm, "chorus_submit_plan", { ...plan, skipElaboration: "clear enough" })).toMatchObject({
      status: "pending",
    })
    expect(await w.call(w.viewer, "chorus_get_idea", { ideaUuid })).toMatchObject({
      status: "elaborated",
      elaborationReason: "clear enough",
    })
  })
})
