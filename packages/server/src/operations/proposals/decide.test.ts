import type { OutputOf, proposals, reviews, revisions } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { settledIdea, submittedPlan } from "../../../test/plan-fixture.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

interface Approved {
  readonly status: string
  readonly materializedTasks: { draftUuid: string; taskUuid: string; title: string }[]
  readonly materializedDocuments: { documentUuid: string; title: string }[]
}

const approve = (proposalUuid: string, by: Actor = w.owner, more: object = {}) =>
  w.call<Approved>(by, "chorus_admin_approve_proposal", { proposalUuid, ...more })
const reject = (proposalUuid: string, by: Actor = w.owner, reviewNote = "not yet") =>
  w.call(by, "chorus_pm_reject_proposal", { proposalUuid, reviewNote })
const revoke = (proposalUuid: string, by: Actor = w.owner) =>
  w.call<{ closedTasks: { title: string }[]; deletedDocuments: { title: string }[] }>(by, "chorus_pm_revoke_proposal", {
    proposalUuid,
  })
const close = (proposalUuid: string) =>
  w.call(w.owner, "chorus_admin_close_proposal", { proposalUuid, reviewNote: "never" })
const get = (proposalUuid: string) =>
  w.call<proposals.ProposalDetail>(w.viewer, "chorus_get_proposal", { proposalUuid, section: "full" })
const revisionsOf = async (proposalUuid: string) =>
  (
    await w.call<OutputOf<typeof revisions.getProposalRevisions>>(w.viewer, "chorus_get_proposal_revisions", {
      proposalUuid,
    })
  ).revisions

describe("approving", () => {
  it("shows what the round before had asked for, and settles what of it was open", async () => {
    const { uuid } = await submittedPlan(w, w.pm, { tasks: { a: [] } })
    const target = { targetType: "proposal", targetUuid: uuid }
    await w.call(w.owner, "chorus_submit_review", {
      ...target,
      verdict: "fail",
      summary: "Too big.",
      findings: [{ severity: "blocker", text: "Nobody can review it." }],
    })
    expect((await get(uuid)).askedBefore).toBeUndefined()
    await reject(uuid, w.owner, "Smaller, please.")
    expect(await get(uuid)).toMatchObject({ returned: { handIn: 1, findings: [{ severity: "blocker" }] } })
    await w.call(w.pm, "chorus_pm_submit_proposal", { proposalUuid: uuid })
    const waiting = await get(uuid)
    expect(waiting.returned).toBeUndefined()
    expect(waiting.askedBefore).toMatchObject({
      handIn: 1,
      reason: "Smaller, please.",
      findings: [{ severity: "blocker", text: "Nobody can review it." }],
    })
    const events = await w.told(() => approve(uuid))
    expect(events.map(({ kind }) => kind)).toContain("finding.resolved")
    expect((await get(uuid)).askedBefore).toBeUndefined()
    expect(await w.call<OutputOf<typeof reviews.getReviews>>(w.viewer, "chorus_get_reviews", target)).toMatchObject({
      openBlockers: 0,
      reviews: [{ findings: [{ state: "resolved", stateBy: { type: "user" } }] }],
    })
  })

  it("makes documents, then tasks in the order of their drafts, each told", async () => {
    const { uuid } = await submittedPlan(w, w.pm, { tasks: { z: [], a: ["z"] } })
    const events = await w.told(() => approve(uuid, w.owner, { reviewNote: "go" }))
    expect(events.map(({ kind, patch }) => [kind, "title" in patch ? patch.title : undefined])).toEqual([
      ["proposal.approved", "A plan"],
      ["document.created", "Design"],
      ["task.created", "Task z"],
      ["task.created", "Task a"],
      ["idea.progressed", undefined],
    ])
    expect(events[3]?.patch).toMatchObject({
      openDependencies: 1,
      proposalUuid: uuid,
      priority: "high",
      ac: { total: 2 },
    })
  })

  it("twice, also at once, makes everything once and answers alike", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    const [one, two] = await Promise.all([approve(uuid), approve(uuid, w.member)])
    expect(two).toEqual(one)
    expect(await w.kinds(() => approve(uuid))).toEqual([])
    expect(
      await w.call(w.viewer, "chorus_list_tasks", { projectUuid: w.project, proposalUuids: [uuid] }),
    ).toMatchObject({ total: 2 })
  })

  it("is nobody's who wrote or submitted it, unless the project allows that", async () => {
    const { uuid } = await submittedPlan(w, w.admin, { ideaUuid: await settledIdea(w, w.admin) })
    await expect(approve(uuid, w.admin)).rejects.toMatchObject({
      code: "self_approval",
      status: 403,
      details: { proposalUuid: uuid },
    })
    await w.call(w.owner, "chorus_update_project_settings", { projectUuid: w.project, allowSelfApproval: true })
    expect(await approve(uuid, w.admin)).toMatchObject({ status: "approved" })
    await w.call(w.owner, "chorus_update_project_settings", { projectUuid: w.project, allowSelfApproval: false })
  })

  it("asks for a passed review of this very submission where the project wants one", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    await w.call(w.owner, "chorus_update_project_settings", { projectUuid: w.project, requireReview: true })
    const review = (verdict: string, more: object = {}) =>
      w.call(w.developer, "chorus_submit_review", {
        targetType: "proposal",
        targetUuid: uuid,
        verdict,
        summary: "read",
        ...more,
      })
    await expect(approve(uuid)).rejects.toMatchObject({
      code: "review_required",
      details: { reason: expect.stringContaining("nobody has reviewed") },
    })
    await review("fail", { findings: [{ severity: "blocker", text: "no" }] })
    await expect(approve(uuid)).rejects.toMatchObject({ details: { reason: expect.stringContaining("fail") } })
    await review("pass", { resolvedKeys: ["B1"] })
    expect(await approve(uuid)).toMatchObject({ status: "approved" })
    await w.call(w.owner, "chorus_update_project_settings", { projectUuid: w.project, requireReview: false })
  })
})

describe("which step is taken from where", () => {
  const reach: Record<string, (uuid: string) => Promise<unknown>> = {
    draft: reject,
    pending: async () => undefined,
    approved: approve,
    closed: close,
  }
  const steps: Record<string, (uuid: string) => Promise<unknown>> = { approve, reject, revoke, close }
  const allowed: Record<string, readonly string[]> = {
    approve: ["pending", "approved"],
    reject: ["pending"],
    revoke: ["approved"],
    close: ["draft", "pending"],
  }
  const cases = Object.keys(steps).flatMap((step) =>
    Object.keys(reach).map((status) => ({ step, status, allowed: allowed[step]?.includes(status) })),
  )

  it.each(cases)("$step of one that is $status: $allowed", async ({ step, status, allowed: may }) => {
    const { uuid } = await submittedPlan(w, w.pm)
    await reach[status]?.(uuid)
    if (may) return void (await steps[step]?.(uuid))
    await expect(steps[step]?.(uuid)).rejects.toMatchObject({ code: "wrong_status", details: { status, step } })
  })
})

describe("sending back", () => {
  it("needs a reason, which its author finds on the submission", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    await expect(reject(uuid, w.owner, "  ")).rejects.toMatchObject({ code: "invalid_input" })
    const [event] = await w.told(() => reject(uuid))
    expect(event).toMatchObject({ kind: "proposal.rejected", patch: { status: "draft", reviewNote: "not yet" } })
    expect(await revisionsOf(uuid)).toMatchObject([
      {
        revision: 1,
        outcome: "rejected",
        note: "not yet",
        submittedBy: { name: "Petra" },
        decidedBy: { name: "Olive" },
      },
    ])
  })

  it("is the author's, or who may do everything with proposals", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    const other = await w.agent("Other planner", { presets: ["pm"] })
    await expect(reject(uuid, other)).rejects.toMatchObject({
      code: "forbidden",
      message: '"A plan" is not your proposal.',
    })
    expect(await reject(uuid, w.pm)).toMatchObject({ status: "draft" })
  })
})

describe("taking an approval back", () => {
  it("closes the tasks, puts what was written since into the drafts, and lets it be approved afresh", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    const first = await approve(uuid)
    const documentUuid = first.materializedDocuments[0]?.documentUuid
    await w.call(w.member, "chorus_pm_update_document", {
      documentUuid,
      content:
        "rewritten meanwhile, and long enough to be submitted again, because a document must have at least a hundred characters.",
    })
    const events = await w.told(() => revoke(uuid))
    expect(events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["proposal.revoked", "task.closed", "draft.updated", "document.deleted"]),
    )
    expect(await get(uuid)).toMatchObject({
      status: "draft",
      documentDrafts: [{ version: 2, content: expect.stringContaining("rewritten meanwhile") }],
    })
    await expect(w.call(w.viewer, "chorus_get_document", { documentUuid })).rejects.toMatchObject({ code: "not_found" })
    await w.call(w.pm, "chorus_pm_submit_proposal", { proposalUuid: uuid })
    const second = await approve(uuid)
    expect(second.materializedTasks.map(({ taskUuid }) => taskUuid)).not.toEqual(
      first.materializedTasks.map(({ taskUuid }) => taskUuid),
    )
  })

  it("leaves an untouched document's draft at its version", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    await approve(uuid)
    expect(await revoke(uuid)).toMatchObject({
      closedTasks: [{ title: "Task a" }, { title: "Task b" }],
      deletedDocuments: [{ title: "Design" }],
    })
    expect((await get(uuid)).documentDrafts).toMatchObject([{ version: 1 }])
    expect(await revisionsOf(uuid)).toMatchObject([{ outcome: "revoked" }])
  })

  it("keeps the completion report", async () => {
    const { uuid } = await submittedPlan(w, w.pm)
    await approve(uuid)
    const { documentUuid } = await w.call<{ documentUuid: string }>(w.pm, "chorus_create_report", {
      proposalUuid: uuid,
      title: "Report",
      content: "as far as we came",
    })
    await revoke(uuid)
    expect(await w.call(w.viewer, "chorus_get_document", { documentUuid })).toMatchObject({ title: "Report" })
  })

  it("cuts both ways what tied its tasks to others", async () => {
    const { uuid } = await submittedPlan(w, w.pm, { tasks: { a: [] } })
    const { materializedTasks } = await approve(uuid)
    const task = materializedTasks[0]?.taskUuid ?? ""
    const waiting = await w.newTask({ dependsOnTaskUuids: [task] })
    const base = await w.newTask()
    await w.call(w.pm, "chorus_add_task_dependency", { taskUuid: task, dependsOnTaskUuid: base })
    const events = await w.told(() => revoke(uuid))
    expect(events).toContainEqual(expect.objectContaining({ kind: "task.unblocked", entityUuid: waiting }))
    const edges = await w.store.db
      .selectFrom("taskEdges")
      .selectAll()
      .where((where) => where.or([where("taskUuid", "in", [task, waiting]), where("dependsOnUuid", "=", task)]))
      .execute()
    expect(edges).toEqual([])
  })
})
