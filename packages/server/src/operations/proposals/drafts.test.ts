import type { drafts, OutputOf, proposals, revisions } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import {
  CRITERIA,
  LONG,
  settledIdea,
  submittedPlan,
  type SubmittedPlan,
  type Uuid,
} from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const get = (proposalUuid: string) =>
  w.call<proposals.ProposalDetail>(w.viewer, "chorus_get_proposal", { proposalUuid, section: "full" })
const versions = (proposalUuid: string, draftUuid: string) =>
  w.call<{
    kind: string
    versions: { version: number; body: Record<string, unknown> | null; changedBy: { name: string } }[]
  }>(w.viewer, "chorus_get_draft_versions", { proposalUuid, draftUuid })
const updateDocument = (proposalUuid: string, draftUuid: string, changes: object, by: Actor = w.pm) =>
  w.call<{ version: number }>(by, "chorus_pm_update_document_draft", { proposalUuid, draftUuid, ...changes })
const updateTask = (proposalUuid: string, draftUuid: string, changes: object, by: Actor = w.pm) =>
  w.call<{ version: number }>(by, "chorus_pm_update_task_draft", { proposalUuid, draftUuid, ...changes })

describe("drafts", () => {
  let proposalUuid: string
  beforeEach(async () => {
    proposalUuid = (
      await w.call<Uuid>(w.pm, "chorus_pm_create_proposal", {
        projectUuid: w.project,
        title: "P",
        inputType: "idea",
        inputUuids: [await settledIdea(w, w.pm)],
      })
    ).uuid
  })
  const addDocument = async (title = "D") =>
    (
      await w.call<{ draftUuid: string }>(w.pm, "chorus_pm_add_document_draft", {
        proposalUuid,
        type: "prd",
        title,
        content: "one",
      })
    ).draftUuid
  const addTask = async (title = "T", more: object = {}) =>
    (
      await w.call<{ draftUuid: string }>(w.pm, "chorus_pm_add_task_draft", {
        proposalUuid,
        title,
        acceptanceCriteriaItems: CRITERIA,
        ...more,
      })
    ).draftUuid

  it("are told with the counts of their proposal", async () => {
    const events = await w.told(addTask)
    expect(events.map(({ kind }) => kind)).toEqual(["draft.added", "proposal.updated"])
    expect(events[0]).toMatchObject({
      entityType: "draft",
      action: "created",
      patch: { proposalUuid, kind: "task", version: 1 },
    })
    expect(events[1]?.patch).toMatchObject({ documentDraftCount: 0, taskDraftCount: 1 })
  })

  it("stand in the order they were added, also after one in the middle went", async () => {
    await addTask("one")
    const middle = await addTask("two")
    await addTask("three")
    await w.call(w.pm, "chorus_pm_remove_task_draft", { proposalUuid, draftUuid: middle })
    await addTask("four")
    expect((await get(proposalUuid)).taskDrafts?.map(({ title }) => title)).toEqual(["one", "three", "four"])
  })

  it("keep every version with who made it, and their removal as the last", async () => {
    const draftUuid = await addDocument()
    await updateDocument(proposalUuid, draftUuid, { content: "two" }, w.owner)
    await w.call(w.pm, "chorus_pm_remove_document_draft", { proposalUuid, draftUuid })
    const history = await versions(proposalUuid, draftUuid)
    expect(history.kind).toBe("document")
    expect(
      history.versions.map(({ version, body, changedBy }) => [version, body?.["content"] ?? null, changedBy.name]),
    ).toEqual([
      [1, "one", "Petra"],
      [2, "two", "Olive"],
      [3, null, "Petra"],
    ])
  })

  it("change only in what was given; null takes a field away", async () => {
    const draftUuid = await addTask("T", { description: "why", storyPoints: 3, priority: "low" })
    expect((await updateTask(proposalUuid, draftUuid, { title: "U", storyPoints: null })).version).toBe(2)
    expect((await get(proposalUuid)).taskDrafts).toMatchObject([
      { title: "U", description: "why", storyPoints: null, priority: "low", acceptanceCriteriaItems: CRITERIA },
    ])
  })

  it("refuse a write that knows an older version, and take one that knows none", async () => {
    const draftUuid = await addDocument()
    await updateDocument(proposalUuid, draftUuid, { content: "two", expectedVersion: 1 })
    await expect(
      updateDocument(proposalUuid, draftUuid, { content: "lost", expectedVersion: 1 }),
    ).rejects.toMatchObject({ code: "stale_version", details: { draftUuid, expectedVersion: 1, currentVersion: 2 } })
    expect((await updateDocument(proposalUuid, draftUuid, { content: "three" })).version).toBe(3)
  })

  it("written by two at once from one version are won by one", async () => {
    const draftUuid = await addDocument()
    const answers = await Promise.allSettled(
      ["a", "b", "c"].map((content) => updateDocument(proposalUuid, draftUuid, { content, expectedVersion: 1 })),
    )
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })

  it("name a dependency once", async () => {
    const [one, two] = [await addTask("one"), await addTask("two")]
    await updateTask(proposalUuid, two, { dependsOnDraftUuids: [one, one] })
    expect((await get(proposalUuid)).taskDrafts?.[1]?.dependsOnDraftUuids).toEqual([one])
  })

  it("of another proposal, or of another kind, are not found", async () => {
    const draftUuid = await addTask()
    const other = await submittedPlan(w, w.pm)
    await expect(updateTask(proposalUuid, other.taskDrafts[0]?.draftUuid ?? "", { title: "x" })).rejects.toMatchObject({
      code: "not_found",
    })
    await expect(updateDocument(proposalUuid, draftUuid, { title: "x" })).rejects.toMatchObject({ code: "not_found" })
    await expect(versions(other.uuid, draftUuid)).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("a person's touch on a submitted proposal", () => {
  let plan: SubmittedPlan
  beforeEach(async () => {
    plan = await submittedPlan(w, w.pm)
  })
  const draft = () => plan.documentDrafts[0]?.draftUuid ?? ""
  const revisionsOf = async () =>
    (
      await w.call<OutputOf<typeof revisions.getProposalRevisions>>(w.viewer, "chorus_get_proposal_revisions", {
        proposalUuid: plan.uuid,
      })
    ).revisions

  it("is the next revision, still the author's submission; further touches go into the same", async () => {
    const events = await w.told(() =>
      updateDocument(plan.uuid, draft(), { content: `${LONG} And one thing more.` }, w.owner),
    )
    expect(events.map(({ kind }) => kind)).toEqual(["draft.updated", "proposal.updated"])
    expect(events[1]?.patch).toMatchObject({ revision: 2 })
    expect(await w.kinds(() => updateDocument(plan.uuid, draft(), { title: "Better title" }, w.owner))).toEqual([
      "draft.updated",
    ])
    expect(await revisionsOf()).toMatchObject([
      { revision: 1, outcome: "rejected", note: "Touched up by the reviewer.", decidedBy: { name: "Olive" } },
      { revision: 2, outcome: "pending", submittedBy: { name: "Petra" }, decidedBy: null },
    ])
  })

  it("of another person is a revision of its own", async () => {
    await updateDocument(plan.uuid, draft(), { title: "One" }, w.owner)
    await updateDocument(plan.uuid, draft(), { title: "Two" }, w.member)
    expect((await revisionsOf()).map(({ revision, decidedBy }) => [revision, decidedBy?.name])).toEqual([
      [1, "Olive"],
      [2, "Mia"],
      [3, undefined],
    ])
  })

  it("that would spoil the proposal is refused and leaves it as it was", async () => {
    await expect(updateDocument(plan.uuid, draft(), { content: "too short" }, w.owner)).rejects.toMatchObject({
      code: "proposal_invalid",
    })
    expect((await get(plan.uuid)).documentDrafts).toMatchObject([{ content: LONG, version: 1 }])
    expect(await revisionsOf()).toHaveLength(1)
  })

  it("is a person's alone, and adds or removes nothing", async () => {
    await expect(updateDocument(plan.uuid, draft(), { title: "x" }, w.admin)).rejects.toMatchObject({
      code: "proposal_not_draft",
    })
    await expect(
      w.call(w.owner, "chorus_pm_remove_document_draft", { proposalUuid: plan.uuid, draftUuid: draft() }),
    ).rejects.toMatchObject({ code: "proposal_not_draft" })
  })
})

describe("revising in one call", () => {
  const document = (title: string, content = LONG) => ({ type: "tech_design", title, content })
  const task = (key: string, more: object = {}) => ({
    key,
    title: `Task ${key}`,
    description: "do it",
    criteria: CRITERIA,
    ...more,
  })

  async function sentBack(): Promise<SubmittedPlan> {
    const plan = await w.call<SubmittedPlan>(w.pm, "chorus_submit_plan", {
      projectUuid: w.project,
      title: "P",
      description: "d",
      ideaUuids: [await settledIdea(w, w.pm)],
      documents: [document("Keep"), document("Drop")],
      tasks: [task("a"), task("b", { dependsOn: ["a"] })],
    })
    await w.call(w.owner, "chorus_pm_reject_proposal", { proposalUuid: plan.uuid, reviewNote: "smaller" })
    return plan
  }
  const revise = (proposalUuid: string, more: object) =>
    w.call<SubmittedPlan>(w.pm, "chorus_submit_plan", {
      projectUuid: w.project,
      proposalUuid,
      title: "P2",
      documents: [document("Keep")],
      tasks: [task("a"), task("b", { dependsOn: ["a"] })],
      ...more,
    })

  it("keeps what has the same title and content, changes what differs, adds and removes the rest", async () => {
    const before = await sentBack()
    const [a, b] = before.taskDrafts.map(({ draftUuid }) => draftUuid)
    const after = await revise(before.uuid, {
      documents: [document("Keep"), document("New")],
      tasks: [task("a", { description: "do it better" }), task("b", { dependsOn: ["a"] }), task("c")],
    })
    expect(after).toMatchObject({ revision: 2, status: "pending" })
    const { documentDrafts, taskDrafts, title, description } = await get(before.uuid)
    expect([title, description]).toEqual(["P2", "d"])
    expect(documentDrafts?.map((draft: drafts.DocumentDraft) => [draft.title, draft.version])).toEqual([
      ["Keep", 1],
      ["New", 1],
    ])
    expect(
      taskDrafts?.map((draft: drafts.TaskDraft) => [draft.uuid === a || draft.uuid === b, draft.title, draft.version]),
    ).toEqual([
      [true, "Task a", 2],
      [true, "Task b", 1],
      [false, "Task c", 1],
    ])
    expect(taskDrafts?.[1]?.dependsOnDraftUuids).toEqual([a])
  })

  it("pairs two of one title in the order they stand", async () => {
    const plan = await sentBack()
    await revise(plan.uuid, { documents: [document("Same"), document("Same", `${LONG}!`)] })
    await w.call(w.owner, "chorus_pm_reject_proposal", { proposalUuid: plan.uuid, reviewNote: "again" })
    await revise(plan.uuid, { documents: [document("Same"), document("Same", `${LONG}!`)] })
    expect((await get(plan.uuid)).documentDrafts?.map(({ version }) => version)).toEqual([1, 1])
  })

  it("is for a draft of the same project", async () => {
    const pending = await submittedPlan(w, w.pm)
    await expect(revise(pending.uuid, {})).rejects.toMatchObject({ code: "proposal_not_draft" })
    const plan = await sentBack()
    await expect(revise(plan.uuid, { projectUuid: w.otherProject })).rejects.toMatchObject({ code: "not_found" })
  })

  it("shows a reviewer what changed between any two submissions, and since the last", async () => {
    const plan = await sentBack()
    await revise(plan.uuid, { tasks: [task("a", { priority: "high" }), task("b", { dependsOn: ["a"] })] })
    const compare = (more: object) =>
      w.call<{ proposal: object[]; drafts: revisions.DraftChange[] }>(w.viewer, "chorus_compare_proposal_revisions", {
        proposalUuid: plan.uuid,
        ...more,
      })
    const { proposal, drafts: changes } = await compare({ from: 1, to: 2 })
    expect(proposal).toEqual([{ field: "title", before: "P", after: "P2" }])
    expect(changes.map(({ title, change }) => [title, change])).toEqual([
      ["Keep", "same"],
      ["Drop", "removed"],
      ["Task a", "changed"],
      ["Task b", "same"],
    ])
    expect(changes[2]?.fields).toEqual([{ field: "priority", before: null, after: "high" }])
    expect((await compare({ from: 2 })).drafts.every(({ change }) => change === "same")).toBe(true)
    await expect(compare({ from: 9 })).rejects.toMatchObject({ code: "not_found" })
  })
})
