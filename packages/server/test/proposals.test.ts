import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { CRITERIA, LONG, settledIdea, type SubmittedPlan, submittedPlan, type Uuid } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Approved {
  status: string
  materializedTasks: { draftUuid: string; taskUuid: string; title: string }[]
  materializedDocuments: { draftUuid: string; documentUuid: string; title: string }[]
}

interface Validation {
  valid: boolean
  issues: { id: string }[]
}

onEachEngineUnderStress("proposals", (engine) => {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace({ engine })
  })
  afterAll(() => workspace.close())

  const call = <T = Record<string, unknown>>(actor: Workspace["owner"], name: string, input: object) =>
    workspace.call<T>(actor, name, input)
  const empty = async () => {
    const ideaUuid = await settledIdea(workspace, workspace.pm)
    const { uuid } = await call<Uuid>(workspace.pm, "chorus_pm_create_proposal", {
      projectUuid: workspace.project,
      title: "P",
      inputType: "idea",
      inputUuids: [ideaUuid],
    })
    return { ideaUuid, proposalUuid: uuid }
  }
  const approve = (actor: Workspace["owner"], proposalUuid: string) =>
    call<Approved>(actor, "chorus_admin_approve_proposal", { proposalUuid, reviewNote: "fine" })
  const counts = async (proposalUuid: string) => {
    const { db } = workspace.store
    const tasks = await db
      .selectFrom("tasks")
      .select("uuid")
      .where("proposalUuid", "=", proposalUuid)
      .where("draftUuid", "is not", null)
      .execute()
    const documents = await db.selectFrom("documents").select("uuid").where("proposalUuid", "=", proposalUuid).execute()
    return { tasks: tasks.length, documents: documents.length }
  }

  it("are written step by step, checked, submitted and turned into work", async () => {
    const { proposalUuid } = await empty()
    const checks = await call<Validation>(workspace.pm, "chorus_pm_validate_proposal", { proposalUuid })
    expect(checks).toMatchObject({ valid: false })
    expect(checks.issues.map((issue) => issue.id)).toEqual(["W5", "E1", "E3"])
    await expect(call(workspace.pm, "chorus_pm_submit_proposal", { proposalUuid })).rejects.toMatchObject({
      code: "proposal_invalid",
      details: { issues: checks.issues },
    })

    await call(workspace.pm, "chorus_pm_add_document_draft", {
      proposalUuid,
      type: "tech_design",
      title: "Design",
      content: LONG,
    })
    const a = await call<{ draftUuid: string }>(workspace.pm, "chorus_pm_add_task_draft", {
      proposalUuid,
      title: "A",
      acceptanceCriteriaItems: CRITERIA,
    })
    await call(workspace.pm, "chorus_pm_add_task_draft", {
      proposalUuid,
      title: "B",
      acceptanceCriteriaItems: CRITERIA,
      dependsOnDraftUuids: [a.draftUuid],
      priority: "high",
      storyPoints: 1.5,
    })
    expect(await call(workspace.pm, "chorus_pm_submit_proposal", { proposalUuid })).toMatchObject({
      status: "pending",
      revision: 1,
      valid: true,
    })

    const approved = await approve(workspace.owner, proposalUuid)
    expect(approved).toMatchObject({
      status: "approved",
      materializedTasks: [{ title: "A", draftUuid: a.draftUuid }, { title: "B" }],
      materializedDocuments: [{ title: "Design" }],
    })
    const [taskA, taskB] = approved.materializedTasks
    const b = await call(workspace.developer, "chorus_get_task", { taskUuid: taskB?.taskUuid })
    expect(b).toMatchObject({
      status: "open",
      priority: "high",
      storyPoints: 1.5,
      dependsOn: [{ uuid: taskA?.taskUuid }],
      openDependencies: 1,
      ac: { total: 2 },
    })
    expect(b["acceptanceCriteriaItems"]).toMatchObject([
      { description: "it works", required: true, command: null },
      { description: "it is fast", required: false, command: "npm test" },
    ])
    expect(await call(workspace.developer, "chorus_get_task", { taskUuid: taskA?.taskUuid })).toMatchObject({
      priority: "medium",
    })
    expect(await call(workspace.pm, "chorus_get_proposal", { proposalUuid })).toMatchObject({
      review: { reviewedBy: { name: "Olive" }, reviewNote: "fine" },
      materializedTasks: approved.materializedTasks,
    })
  })

  it("show as much as is asked for", async () => {
    const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm)
    const basic = await call(workspace.viewer, "chorus_get_proposal", { proposalUuid })
    expect(basic).toMatchObject({
      section: "basic",
      documentDraftCount: 1,
      taskDraftCount: 2,
      documentDraftIndex: [{ contentLength: LONG.length }],
      taskDraftIndex: [{ acceptanceCriteriaCount: 2 }, {}],
    })
    expect(basic).not.toHaveProperty("documentDrafts")
    expect(await call(workspace.viewer, "chorus_get_proposal", { proposalUuid, section: "documents" })).toMatchObject({
      documentDrafts: [{ content: LONG }],
    })
    expect(await call(workspace.viewer, "chorus_get_proposal", { proposalUuid, section: "tasks" })).toMatchObject({
      taskDrafts: [{ title: "Task a", acceptanceCriteriaItems: CRITERIA }, {}],
    })
    expect(Object.keys(await call(workspace.viewer, "chorus_get_proposal", { proposalUuid, section: "full" }))).toEqual(
      expect.arrayContaining(["documentDrafts", "taskDrafts"]),
    )
    const { proposals } = await call<{ proposals: Uuid[] }>(workspace.viewer, "chorus_get_proposals", {
      projectUuid: workspace.project,
      status: "pending",
    })
    expect(proposals.map((row) => row.uuid)).toContain(proposalUuid)
  })

  it("take their inputs from one project, from ideas the author holds, and never from a theme", async () => {
    const create = (actor: Workspace["owner"], inputUuids: string[], inputType = "idea") =>
      call(actor, "chorus_pm_create_proposal", { projectUuid: workspace.project, title: "P", inputType, inputUuids })
    const mine = await settledIdea(workspace, workspace.pm)
    const { uuid: theme } = await call<Uuid>(workspace.pm, "chorus_pm_create_idea", {
      projectUuid: workspace.project,
      title: "T",
      isContainer: true,
    })
    const { uuid: away } = await call<Uuid>(workspace.pm, "chorus_pm_create_idea", {
      projectUuid: workspace.otherProject,
      title: "Away",
    })
    const { uuid: theirs } = await call<Uuid>(workspace.stranger, "chorus_pm_create_idea", {
      projectUuid: workspace.strangersProject,
      title: "Theirs",
    })
    await expect(create(workspace.admin, [mine])).rejects.toMatchObject({ code: "not_holder" })
    await expect(create(workspace.pm, [theme])).rejects.toMatchObject({ code: "idea_is_theme" })
    for (const uuid of [away, theirs])
      await expect(create(workspace.pm, [uuid])).rejects.toMatchObject({ code: "not_found" })
    await expect(create(workspace.pm, [mine], "document")).rejects.toMatchObject({ code: "not_found" })
    expect(await create(workspace.pm, [mine, mine])).toMatchObject({ status: "draft" })
    expect(await create(workspace.owner, [mine])).toMatchObject({ note: expect.stringContaining("already feed") })
    await expect(call(workspace.pm, "chorus_edit_idea", { ideaUuid: mine, isContainer: true })).rejects.toMatchObject({
      code: "idea_in_use",
    })
  })

  it("can be created with their drafts, as early clients do, tasks naming each other by key", async () => {
    const created = await call<SubmittedPlan>(workspace.pm, "chorus_pm_create_proposal", {
      projectUuid: workspace.project,
      title: "All at once",
      inputType: "idea",
      inputUuids: [await settledIdea(workspace, workspace.pm)],
      documentDrafts: [{ type: "prd", title: "PRD", content: LONG }],
      taskDrafts: [
        { key: "b", title: "B", acceptanceCriteriaItems: CRITERIA, dependsOnDraftUuids: ["a"] },
        { key: "a", title: "A", acceptanceCriteriaItems: CRITERIA },
      ],
    })
    const { taskDrafts } = await call<{ taskDrafts: { dependsOnDraftUuids: string[] }[] }>(
      workspace.pm,
      "chorus_get_proposal",
      { proposalUuid: created.uuid, section: "tasks" },
    )
    expect(taskDrafts[0]?.dependsOnDraftUuids).toEqual([created.taskDrafts[1]?.draftUuid])
  })

  describe("submit plan", () => {
    const plan = async (extra: object) => ({
      projectUuid: workspace.project,
      title: "Plan",
      ideaUuids: [await settledIdea(workspace, workspace.pm)],
      documents: [{ type: "prd", title: "PRD", content: LONG }],
      tasks: [{ key: "a", title: "A", criteria: ["works"] }],
      ...extra,
    })

    it("keeps everything out when anything is wrong", async () => {
      const before = await workspace.store.db.selectFrom("proposals").select("uuid").execute()
      const wrong: [object, string][] = [
        [
          {
            tasks: [
              { key: "a", title: "A", criteria: ["x"], dependsOn: ["b"] },
              { key: "b", title: "B", criteria: ["x"], dependsOn: ["a"] },
            ],
          },
          "E-CYCLE",
        ],
        [{ tasks: [{ key: "a", title: "A", criteria: ["x"], dependsOn: ["nobody"] }] }, "E-DANGLING"],
        [{ documents: [] }, "E1"],
        [{ documents: [{ type: "prd", title: "PRD", content: "short" }] }, "E2"],
        [{ tasks: [] }, "E3"],
      ]
      for (const [extra, id] of wrong) {
        await expect(call(workspace.pm, "chorus_submit_plan", await plan(extra))).rejects.toMatchObject({
          code: "proposal_invalid",
          details: { issues: expect.arrayContaining([expect.objectContaining({ id, level: "error" })]) },
        })
      }
      await expect(
        call(
          workspace.pm,
          "chorus_submit_plan",
          await plan({
            tasks: [
              { key: "a", title: "A", criteria: ["x"] },
              { key: "a", title: "B", criteria: ["x"] },
            ],
          }),
        ),
      ).rejects.toMatchObject({ code: "invalid_input" })
      expect(await workspace.store.db.selectFrom("proposals").select("uuid").execute()).toHaveLength(before.length)
    })

    it("claims and settles open ideas when it is told why", async () => {
      const { uuid: ideaUuid } = await call<Uuid>(workspace.owner, "chorus_pm_create_idea", {
        projectUuid: workspace.project,
        title: "Small",
      })
      await expect(
        call(workspace.pm, "chorus_submit_plan", await plan({ ideaUuids: [ideaUuid] })),
      ).rejects.toMatchObject({ code: "not_holder" })
      const submitted = await call<SubmittedPlan>(
        workspace.pm,
        "chorus_submit_plan",
        await plan({ ideaUuids: [ideaUuid], skipElaboration: "small and clear" }),
      )
      expect(submitted).toMatchObject({ status: "pending", revision: 1, valid: true, taskDrafts: [{ key: "a" }] })
      expect(await call(workspace.pm, "chorus_get_idea", { ideaUuid })).toMatchObject({
        status: "elaborated",
        elaborationReason: "small and clear",
        badgeHint: "review_proposal",
      })
    })

    it("revises a proposal that was sent back, in one call; what is the same keeps its version", async () => {
      const task = (key: string, extra: object = {}) => ({
        key,
        title: `Task ${key}`,
        description: "do it",
        criteria: ["works"],
        ...extra,
      })
      const first = await call<SubmittedPlan>(
        workspace.pm,
        "chorus_submit_plan",
        await plan({ tasks: [task("a"), task("b"), task("c", { dependsOn: ["a"] })] }),
      )
      const revision = async (extra: object = {}) =>
        plan({
          proposalUuid: first.uuid,
          ideaUuids: [],
          title: "Better plan",
          tasks: [task("x", { title: "Task d" }), task("a"), task("c", { dependsOn: ["x"] })],
          ...extra,
        })
      await expect(call(workspace.pm, "chorus_submit_plan", await revision())).rejects.toMatchObject({
        code: "proposal_not_draft",
      })
      await call(workspace.owner, "chorus_pm_reject_proposal", {
        proposalUuid: first.uuid,
        reviewNote: "c first needs d",
      })
      await expect(call(workspace.pm, "chorus_submit_plan", await revision({ documents: [] }))).rejects.toMatchObject({
        code: "proposal_invalid",
      })
      await expect(
        call(workspace.pm, "chorus_submit_plan", await revision({ projectUuid: workspace.otherProject })),
      ).rejects.toMatchObject({ code: "not_found" })
      expect(await call<SubmittedPlan>(workspace.pm, "chorus_submit_plan", await revision())).toMatchObject({
        uuid: first.uuid,
        title: "Better plan",
        status: "pending",
        revision: 2,
      })
      const { taskDrafts, documentDrafts } = await call<
        Record<string, { title: string; version: number; uuid: string; dependsOnDraftUuids: string[] }[]>
      >(workspace.pm, "chorus_get_proposal", { proposalUuid: first.uuid, section: "full" })
      expect(taskDrafts?.map(({ title, version }) => [title, version])).toEqual([
        ["Task a", 1],
        ["Task c", 2],
        ["Task d", 1],
      ])
      expect(taskDrafts?.[1]).toMatchObject({
        uuid: first.taskDrafts[2]?.draftUuid,
        dependsOnDraftUuids: [taskDrafts?.[2]?.uuid],
      })
      expect(documentDrafts).toMatchObject([{ uuid: first.documentDrafts[0]?.draftUuid, version: 1 }])
    })

    it("answers a retry with the first answer and plans once", async () => {
      const input = await plan({ title: "Retried" })
      const once = { actor: workspace.pm, requestId: "r", idempotencyKey: `key-${engine}` }
      const first = await workspace.registry.execute("chorus_submit_plan", input, once)
      expect(await workspace.registry.execute("chorus_submit_plan", input, once)).toEqual(first)
      expect(
        await workspace.store.db.selectFrom("proposals").select("uuid").where("title", "=", "Retried").execute(),
      ).toHaveLength(1)
    })
  })

  describe("decisions", () => {
    it("are not the author's own, unless the project says so", async () => {
      const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.admin)
      await expect(approve(workspace.admin, proposalUuid)).rejects.toMatchObject({ code: "self_approval" })
      await expect(approve(workspace.pm, proposalUuid)).rejects.toMatchObject({ code: "forbidden" })
      await expect(
        call(workspace.admin, "chorus_update_project_settings", {
          projectUuid: workspace.project,
          allowSelfApproval: true,
        }),
      ).rejects.toMatchObject({ code: "forbidden" })
      await expect(
        call(workspace.member, "chorus_update_project_settings", {
          projectUuid: workspace.project,
          allowSelfApproval: true,
        }),
      ).rejects.toMatchObject({ code: "forbidden" })
      await call(workspace.owner, "chorus_update_project_settings", {
        projectUuid: workspace.project,
        allowSelfApproval: true,
      })
      expect(await approve(workspace.admin, proposalUuid)).toMatchObject({ status: "approved" })
      expect(
        await call(workspace.member, "chorus_update_project_settings", {
          projectUuid: workspace.project,
          allowSelfApproval: false,
        }),
      ).toMatchObject({ allowSelfApproval: false })
    })

    it("are not an agent's who edited the drafts, but are a person's who touched them up", async () => {
      const { proposalUuid } = await empty()
      await call(workspace.pm, "chorus_pm_add_document_draft", { proposalUuid, type: "prd", title: "D", content: LONG })
      await call(workspace.admin, "chorus_pm_add_task_draft", {
        proposalUuid,
        title: "A",
        acceptanceCriteriaItems: CRITERIA,
      })
      await call(workspace.owner, "chorus_update_proposal", { proposalUuid, description: "touched up" })
      await call(workspace.pm, "chorus_pm_submit_proposal", { proposalUuid })
      await expect(approve(workspace.admin, proposalUuid)).rejects.toMatchObject({ code: "self_approval" })
      expect(await approve(workspace.owner, proposalUuid)).toMatchObject({ status: "approved" })
    })

    it("wait for a passed review where the project asks for one", async () => {
      await call(workspace.owner, "chorus_update_project_settings", {
        projectUuid: workspace.project,
        requireReview: true,
      })
      const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm)
      const review = (verdict: string, extra: object = {}) =>
        call(workspace.developer, "chorus_submit_review", {
          targetType: "proposal",
          targetUuid: proposalUuid,
          verdict,
          summary: "looked at it",
          ...extra,
        })
      await expect(approve(workspace.owner, proposalUuid)).rejects.toMatchObject({ code: "review_required" })
      await review("fail", { findings: [{ severity: "blocker", text: "no rollback" }] })
      await expect(approve(workspace.owner, proposalUuid)).rejects.toMatchObject({ code: "review_required" })
      await call(workspace.owner, "chorus_pm_reject_proposal", { proposalUuid, reviewNote: "B1" })
      await call(workspace.pm, "chorus_pm_submit_proposal", { proposalUuid })
      await review("pass", { resolvedKeys: ["B1"] })
      expect(await approve(workspace.owner, proposalUuid)).toMatchObject({ status: "approved" })
      await call(workspace.owner, "chorus_update_project_settings", {
        projectUuid: workspace.project,
        requireReview: false,
      })
    })

    it("made twice make the work once and answer the same", async () => {
      const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm)
      const first = await approve(workspace.owner, proposalUuid)
      expect(await approve(workspace.member, proposalUuid)).toEqual(first)
      expect(await counts(proposalUuid)).toEqual({ tasks: 2, documents: 1 })
    })

    it("send a proposal back with a note; then it can be changed and submitted again", async () => {
      const { uuid: proposalUuid, taskDrafts, documentDrafts } = await submittedPlan(workspace, workspace.pm)
      const edit = () =>
        call(workspace.pm, "chorus_pm_update_document_draft", {
          proposalUuid,
          draftUuid: documentDrafts[0]?.draftUuid,
          content: `${LONG}\nOne more line.`,
        })
      await expect(edit()).rejects.toMatchObject({ code: "proposal_not_draft" })
      const stranger = await workspace.agent("Other pm", { presets: ["pm"] })
      await expect(
        call(stranger, "chorus_pm_reject_proposal", { proposalUuid, reviewNote: "no" }),
      ).rejects.toMatchObject({ code: "forbidden" })
      expect(
        await call(workspace.owner, "chorus_admin_reject_proposal", { proposalUuid, reviewNote: "thin" }),
      ).toMatchObject({ status: "draft" })
      await edit()
      await call(workspace.pm, "chorus_pm_remove_task_draft", { proposalUuid, draftUuid: taskDrafts[1]?.draftUuid })
      await call(workspace.pm, "chorus_pm_add_task_draft", {
        proposalUuid,
        title: "New",
        acceptanceCriteriaItems: CRITERIA,
      })
      expect(await call(workspace.pm, "chorus_pm_submit_proposal", { proposalUuid })).toMatchObject({ revision: 2 })
      expect(await call(workspace.viewer, "chorus_get_proposal_revisions", { proposalUuid })).toMatchObject({
        revisions: [
          { revision: 1, outcome: "rejected", note: "thin", decidedBy: { name: "Olive" } },
          { revision: 2, outcome: "pending" },
        ],
      })
      const compared = await call<{
        drafts: { change: string; kind: string; fields: { field: string; patch?: string }[] }[]
      }>(workspace.viewer, "chorus_compare_proposal_revisions", { proposalUuid, from: 1, to: 2 })
      expect(compared.drafts.map((draft) => [draft.kind, draft.change])).toEqual([
        ["document", "changed"],
        ["task", "same"],
        ["task", "added"],
        ["task", "removed"],
      ])
      expect(compared.drafts[0]?.fields).toMatchObject([
        { field: "content", patch: expect.stringContaining("+One more line.") },
      ])
    })

    it("may be preceded by a person's touch: the change is a revision of its own, the agent's work is still what is reviewed", async () => {
      const { uuid: proposalUuid, taskDrafts, documentDrafts } = await submittedPlan(workspace, workspace.pm)
      const touch = (changes: object) =>
        call(workspace.owner, "chorus_pm_update_document_draft", {
          proposalUuid,
          draftUuid: documentDrafts[0]?.draftUuid,
          ...changes,
        })
      await expect(touch({ title: "Late", expectedVersion: 7 })).rejects.toMatchObject({ code: "stale_version" })
      await touch({ content: `${LONG}\nOne better word.`, expectedVersion: 1 })
      await touch({ title: "Better design", expectedVersion: 2 })
      const [first, second] = taskDrafts
      const knot = { proposalUuid, draftUuid: first?.draftUuid, dependsOnDraftUuids: [second?.draftUuid] }
      await expect(call(workspace.owner, "chorus_pm_update_task_draft", knot)).rejects.toMatchObject({
        code: "proposal_invalid",
      })
      const { revisions } = await call<{ revisions: object[] }>(workspace.viewer, "chorus_get_proposal_revisions", {
        proposalUuid,
      })
      expect(revisions).toMatchObject([
        { revision: 1, outcome: "rejected", decidedBy: { name: "Olive" } },
        { revision: 2, outcome: "pending", submittedBy: { name: workspace.pm.name } },
      ])
      const compared = await call<{ drafts: { change: string; fields: { field: string }[] }[] }>(
        workspace.viewer,
        "chorus_compare_proposal_revisions",
        { proposalUuid, from: 1, to: 2 },
      )
      expect(compared.drafts[0]).toMatchObject({
        change: "changed",
        fields: [{ field: "title" }, { field: "content" }],
      })
      await expect(
        call(workspace.pm, "chorus_pm_update_document_draft", {
          proposalUuid,
          draftUuid: documentDrafts[0]?.draftUuid,
          title: "Mine",
        }),
      ).rejects.toMatchObject({ code: "proposal_not_draft" })
      expect(await approve(workspace.owner, proposalUuid)).toMatchObject({
        status: "approved",
        materializedDocuments: [{ title: "Better design" }],
      })
    })

    it("are taken back: tasks close, documents return to their drafts with what was written since, and approving again starts afresh", async () => {
      const { uuid: proposalUuid, documentDrafts } = await submittedPlan(workspace, workspace.pm)
      const first = await approve(workspace.owner, proposalUuid)
      const [task] = first.materializedTasks
      await call(workspace.developer, "chorus_claim_task", { taskUuid: task?.taskUuid })
      await call(workspace.member, "chorus_pm_update_document", {
        documentUuid: first.materializedDocuments[0]?.documentUuid,
        content: "written after approval",
      })
      const revoked = await call(workspace.pm, "chorus_pm_revoke_proposal", { proposalUuid, reviewNote: "wrong way" })
      expect(revoked).toMatchObject({
        status: "draft",
        closedTasks: [{ title: "Task a" }, { title: "Task b" }],
        deletedDocuments: [{ title: "Design" }],
      })
      expect(await call(workspace.developer, "chorus_get_task", { taskUuid: task?.taskUuid })).toMatchObject({
        status: "closed",
      })
      await expect(
        call(workspace.pm, "chorus_get_document", { documentUuid: first.materializedDocuments[0]?.documentUuid }),
      ).rejects.toMatchObject({ code: "not_found" })
      const versions = await call<{ versions: { body: { content: string } }[] }>(
        workspace.pm,
        "chorus_get_draft_versions",
        { proposalUuid, draftUuid: documentDrafts[0]?.draftUuid },
      )
      expect(versions.versions.map((version) => version.body.content)).toEqual([LONG, "written after approval"])
      await call(workspace.pm, "chorus_pm_update_document_draft", {
        proposalUuid,
        draftUuid: documentDrafts[0]?.draftUuid,
        content: LONG,
      })
      await call(workspace.pm, "chorus_pm_submit_proposal", { proposalUuid })
      const second = await approve(workspace.owner, proposalUuid)
      expect(await counts(proposalUuid)).toEqual({ tasks: 2, documents: 1 })
      expect(second.materializedTasks.map((made) => made.taskUuid)).not.toContain(task?.taskUuid)
    })

    it("free tasks outside a revoked proposal that waited for its tasks", async () => {
      const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm)
      const { materializedTasks } = await approve(workspace.owner, proposalUuid)
      const { tasks } = await call<{ tasks: Uuid[] }>(workspace.pm, "chorus_create_tasks", {
        projectUuid: workspace.project,
        tasks: [
          { title: "Outside", acceptanceCriteriaItems: CRITERIA, dependsOnTaskUuids: [materializedTasks[0]?.taskUuid] },
        ],
      })
      await call(workspace.owner, "chorus_admin_revoke_proposal", { proposalUuid })
      expect(await call(workspace.pm, "chorus_get_task", { taskUuid: tasks[0]?.uuid })).toMatchObject({
        openDependencies: 0,
        dependsOn: [],
      })
    })

    it("close a proposal for good", async () => {
      const { uuid: proposalUuid } = await submittedPlan(workspace, workspace.pm)
      expect(
        await call(workspace.owner, "chorus_admin_close_proposal", { proposalUuid, reviewNote: "not now" }),
      ).toMatchObject({ status: "closed" })
      for (const [name, extra] of [
        ["chorus_admin_approve_proposal", {}],
        ["chorus_pm_reject_proposal", { reviewNote: "x" }],
        ["chorus_pm_revoke_proposal", {}],
      ] as const) {
        await expect(call(workspace.owner, name, { proposalUuid, ...extra })).rejects.toMatchObject({
          code: "wrong_status",
          details: { status: "closed" },
        })
      }
      await expect(call(workspace.pm, "chorus_pm_submit_proposal", { proposalUuid })).rejects.toMatchObject({
        code: "proposal_not_draft",
      })
      expect(await counts(proposalUuid)).toEqual({ tasks: 0, documents: 0 })
    })
  })

  describe("drafts", () => {
    it("refuse a write that does not know the newest version, and keep every version", async () => {
      const { proposalUuid } = await empty()
      const { draftUuid, version } = await call<{ draftUuid: string; version: number }>(
        workspace.pm,
        "chorus_pm_add_document_draft",
        { proposalUuid, type: "prd", title: "v1", content: "one" },
      )
      expect(version).toBe(1)
      const update = (title: string, expectedVersion?: number) =>
        call(workspace.pm, "chorus_pm_update_document_draft", {
          proposalUuid,
          draftUuid,
          title,
          ...(expectedVersion && { expectedVersion }),
        })
      expect(await update("v2", 1)).toMatchObject({ version: 2, action: "document_draft_updated" })
      await expect(update("lost", 1)).rejects.toMatchObject({
        code: "stale_version",
        status: 409,
        details: { currentVersion: 2 },
      })
      expect(await update("v3")).toMatchObject({ version: 3 })
      await expect(
        call(workspace.pm, "chorus_pm_remove_document_draft", { proposalUuid, draftUuid, expectedVersion: 2 }),
      ).rejects.toMatchObject({ code: "stale_version" })
      expect(
        await call(workspace.pm, "chorus_pm_remove_document_draft", { proposalUuid, draftUuid, expectedVersion: 3 }),
      ).toMatchObject({ version: 4 })
      const { versions } = await call<{ versions: { body: { title: string } | null; changedBy: { name: string } }[] }>(
        workspace.viewer,
        "chorus_get_draft_versions",
        { proposalUuid, draftUuid },
      )
      expect(versions.map((kept) => kept.body?.title ?? null)).toEqual(["v1", "v2", "v3", null])
      await expect(update("gone")).rejects.toMatchObject({ code: "not_found" })
    })

    it("may dangle while being written, and validation says so", async () => {
      const { proposalUuid } = await empty()
      const a = await call<{ draftUuid: string }>(workspace.pm, "chorus_pm_add_task_draft", {
        proposalUuid,
        title: "A",
        acceptanceCriteriaItems: CRITERIA,
      })
      const b = await call<{ draftUuid: string }>(workspace.pm, "chorus_pm_add_task_draft", {
        proposalUuid,
        title: "B",
        acceptanceCriteriaItems: CRITERIA,
        dependsOnDraftUuids: [a.draftUuid],
      })
      await call(workspace.pm, "chorus_pm_update_task_draft", {
        proposalUuid,
        draftUuid: a.draftUuid,
        dependsOnDraftUuids: [b.draftUuid],
      })
      const ids = async () =>
        (await call<Validation>(workspace.pm, "chorus_pm_validate_proposal", { proposalUuid })).issues.map(
          (issue) => issue.id,
        )
      expect(await ids()).toContain("E-CYCLE")
      await call(workspace.pm, "chorus_pm_remove_task_draft", { proposalUuid, draftUuid: a.draftUuid })
      expect(await ids()).toContain("E-DANGLING")
    })

    it("belong to one proposal", async () => {
      const one = await empty()
      const other = await empty()
      const { draftUuid } = await call<{ draftUuid: string }>(workspace.pm, "chorus_pm_add_task_draft", {
        proposalUuid: one.proposalUuid,
        title: "A",
        acceptanceCriteriaItems: CRITERIA,
      })
      for (const [name, changes] of [
        ["chorus_pm_update_task_draft", { title: "Stolen" }],
        ["chorus_pm_remove_task_draft", {}],
        ["chorus_pm_update_document_draft", { title: "Stolen" }],
      ] as const) {
        await expect(
          call(workspace.pm, name, { proposalUuid: other.proposalUuid, draftUuid, ...changes }),
        ).rejects.toMatchObject({ code: "not_found" })
      }
      await expect(
        call(workspace.pm, "chorus_pm_add_task_draft", {
          proposalUuid: one.proposalUuid,
          title: "No criteria",
          acceptanceCriteriaItems: [],
        }),
      ).rejects.toMatchObject({ code: "invalid_input" })
    })
  })
})
