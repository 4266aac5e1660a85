import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { settledIdea, submittedPlan, type Uuid } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Row {
  uuid: string
  title: string
  status: string
  derivedStatus: string
  badgeHint: string
  parentUuid: string | null
  assignee: { uuid: string; name: string } | null
}

onEachEngineUnderStress("ideas", (engine) => {
  let workspace: Workspace
  beforeAll(async () => {
    workspace = await openWorkspace({ engine })
  })
  afterAll(() => workspace.close())

  const create = (input: object) =>
    workspace.call<Row>(workspace.pm, "chorus_pm_create_idea", { projectUuid: workspace.project, ...input })
  const get = (ideaUuid: string) =>
    workspace.call<Row & { children: Row[]; descendantUuids: string[] }>(workspace.pm, "chorus_get_idea", { ideaUuid })

  it("are written down with lineage, references and a place in lists", async () => {
    const theme = await create({ title: "Theme", isContainer: true })
    const child = await create({
      title: "Child",
      content: "why",
      parentUuid: theme.uuid,
      references: [{ type: "docs", url: "https://example.test/x", title: "X" }],
    })
    const grandchild = await create({ title: "Grandchild", parentUuid: child.uuid })
    expect(child).toMatchObject({
      status: "open",
      derivedStatus: "todo",
      badgeHint: "open",
      parentUuid: theme.uuid,
      assignee: null,
    })
    expect(await get(theme.uuid)).toMatchObject({
      isContainer: true,
      children: [{ uuid: child.uuid }],
      descendantUuids: [child.uuid, grandchild.uuid],
    })
    expect(await get(child.uuid)).toMatchObject({
      content: "why",
      parent: { uuid: theme.uuid },
      references: [{ url: "https://example.test/x", createdBy: { name: "Petra" } }],
    })
    const { ideas } = await workspace.call<{ ideas: Row[] }>(workspace.viewer, "chorus_get_ideas", {
      projectUuid: workspace.project,
      pageSize: 500,
    })
    expect(ideas.map((idea) => idea.title)).toEqual(["Grandchild", "Child", "Theme"])
    const tree = await workspace.call<{ ideas: (Row & { depth: number })[] }>(
      workspace.viewer,
      "chorus_get_idea_tree",
      { projectUuid: workspace.project },
    )
    expect(tree.ideas.map((idea) => [idea.title, idea.depth])).toEqual([
      ["Theme", 0],
      ["Child", 1],
      ["Grandchild", 2],
    ])
  })

  it("never stand below themselves or below an idea of another project", async () => {
    const top = await create({ title: "Top" })
    const below = await create({ title: "Below", parentUuid: top.uuid })
    await expect(
      workspace.call(workspace.pm, "chorus_edit_idea", { ideaUuid: top.uuid, parentUuid: below.uuid }),
    ).rejects.toMatchObject({ code: "lineage_circle" })
    await expect(
      workspace.call(workspace.pm, "chorus_edit_idea", { ideaUuid: top.uuid, parentUuid: top.uuid }),
    ).rejects.toMatchObject({ code: "lineage_circle" })
    const elsewhere = await create({ projectUuid: workspace.otherProject, title: "Elsewhere" })
    await expect(create({ title: "Lost", parentUuid: elsewhere.uuid })).rejects.toMatchObject({ code: "not_found" })
    await expect(workspace.call(workspace.pm, "chorus_edit_idea", { ideaUuid: top.uuid })).rejects.toMatchObject({
      code: "invalid_input",
    })
    expect(
      await workspace.call(workspace.pm, "chorus_edit_idea", {
        ideaUuid: below.uuid,
        parentUuid: null,
        title: "Apart",
      }),
    ).toMatchObject({ title: "Apart", parentUuid: null })
  })

  it("have one claimer; the other learns who", async () => {
    const { uuid } = await create({ title: "Wanted" })
    expect(await workspace.call(workspace.pm, "chorus_claim_idea", { ideaUuid: uuid })).toMatchObject({
      status: "elaborating",
      assignee: { name: "Petra" },
    })
    await expect(workspace.call(workspace.admin, "chorus_claim_idea", { ideaUuid: uuid })).rejects.toMatchObject({
      code: "already_claimed",
      details: { holder: { type: "agent", uuid: workspace.pm.uuid, name: "Petra" } },
    })
    await expect(workspace.call(workspace.admin, "chorus_release_idea", { ideaUuid: uuid })).rejects.toMatchObject({
      code: "not_holder",
    })
    expect(await workspace.call(workspace.owner, "chorus_release_idea", { ideaUuid: uuid })).toMatchObject({
      status: "open",
      assignee: null,
    })
    const { ideas } = await workspace.call<{ ideas: Row[] }>(workspace.pm, "chorus_get_available_ideas", {
      projectUuid: workspace.project,
    })
    expect(ideas.map((idea) => idea.uuid)).toContain(uuid)
  })

  it("are assigned to whoever may work on them, at any time", async () => {
    const { uuid } = await create({ title: "Given" })
    const assign = (assigneeType: string, assigneeUuid: string) =>
      workspace.call(workspace.owner, "chorus_pm_assign_idea", { ideaUuid: uuid, assigneeType, assigneeUuid })
    await expect(assign("agent", workspace.developer.uuid)).rejects.toMatchObject({ code: "assignee_lacks_permission" })
    const scoped = await workspace.agent("Scoped", { presets: ["pm"], projectUuids: [workspace.otherProject] })
    await expect(assign("agent", scoped.uuid)).rejects.toMatchObject({ code: "assignee_lacks_permission" })
    await expect(assign("user", workspace.stranger.uuid)).rejects.toMatchObject({ code: "not_found" })
    expect(await assign("agent", workspace.pm.uuid)).toMatchObject({
      status: "elaborating",
      assignee: { uuid: workspace.pm.uuid },
      wakeRequested: false,
      target: null,
    })
    expect(await assign("user", workspace.member.uuid)).toMatchObject({
      status: "elaborating",
      assignee: { name: "Mia" },
    })
  })

  it("stand where their elaboration, proposals and tasks stand, and readers are told of each change", async () => {
    const theme = await create({ title: "Standing theme", isContainer: true })
    const { uuid } = await create({ title: "Standing", parentUuid: theme.uuid })
    await workspace.call(workspace.pm, "chorus_claim_idea", { ideaUuid: uuid })
    await workspace.call(workspace.pm, "chorus_pm_skip_elaboration", { ideaUuid: uuid, reason: "clear" })
    const plan = await submittedPlan(workspace, workspace.pm, { ideaUuid: uuid, tasks: { a: [] } })
    expect(await get(uuid)).toMatchObject({ derivedStatus: "human_conduct_required", badgeHint: "review_proposal" })
    const approved = await workspace.call<{ materializedTasks: { taskUuid: string }[] }>(
      workspace.owner,
      "chorus_admin_approve_proposal",
      { proposalUuid: plan.uuid },
    )
    expect(await get(uuid)).toMatchObject({ badgeHint: "building" })
    for (const { taskUuid } of approved.materializedTasks)
      await workspace.call(workspace.owner, "chorus_admin_close_task", { taskUuid })
    expect(await get(uuid)).toMatchObject({ derivedStatus: "done", badgeHint: "done" })
    expect(await get(theme.uuid)).toMatchObject({ derivedStatus: "done" })
    const { events } = await workspace.call<{
      events: { kind: string; entityUuid: string; patch: { badgeHint: string } }[]
    }>(workspace.owner, "chorus_list_events", { kind: "idea.progressed", limit: 100 })
    const told = (ideaUuid: string) =>
      events
        .filter((event) => event.entityUuid === ideaUuid)
        .map((event) => event.patch.badgeHint)
        .reverse()
    expect(told(uuid)).toEqual(["researching", "planning", "review_proposal", "building", "done"])
    expect(told(theme.uuid)).toEqual(["researching", "planning", "review_proposal", "building", "done"])
  })

  describe("move", () => {
    it("takes everything that grew from the idea along, in one change", async () => {
      const parent = await create({ title: "Stays" })
      const { uuid } = await create({ title: "Moves", parentUuid: parent.uuid })
      await create({ title: "Moves, too", parentUuid: uuid })
      await workspace.call(workspace.pm, "chorus_claim_idea", { ideaUuid: uuid })
      await workspace.call(workspace.pm, "chorus_pm_skip_elaboration", { ideaUuid: uuid, reason: "clear" })
      const plan = await submittedPlan(workspace, workspace.pm, { ideaUuid: uuid })
      await workspace.call(workspace.owner, "chorus_admin_approve_proposal", { proposalUuid: plan.uuid })
      const answer = await workspace.call(workspace.pm, "chorus_move_idea", {
        ideaUuid: uuid,
        targetProjectUuid: workspace.otherProject,
      })
      expect(answer).toMatchObject({
        project: { name: "Second" },
        moved: { ideas: 2, proposals: 1, documents: 1, tasks: 2 },
      })
      expect(await get(uuid)).toMatchObject({ projectUuid: workspace.otherProject, parentUuid: null })
      const there = await workspace.call<{ total: number }>(workspace.pm, "chorus_list_tasks", {
        projectUuid: workspace.otherProject,
      })
      expect(there.total).toBe(2)
      const edges = await workspace.store.db
        .selectFrom("taskEdges")
        .select("projectUuid")
        .where("projectUuid", "=", workspace.otherProject)
        .execute()
      expect(edges).toHaveLength(1)
    })

    it("is refused when something would be torn apart, and changes nothing", async () => {
      const one = await settledIdea(workspace, workspace.pm, "One")
      const two = await settledIdea(workspace, workspace.pm, "Two")
      const { uuid } = await workspace.call<Uuid>(workspace.pm, "chorus_pm_create_proposal", {
        projectUuid: workspace.project,
        title: "Both",
        inputType: "idea",
        inputUuids: [one, two],
      })
      await expect(
        workspace.call(workspace.pm, "chorus_move_idea", { ideaUuid: one, targetProjectUuid: workspace.otherProject }),
      ).rejects.toMatchObject({
        code: "move_crosses_projects",
        details: { proposals: [{ uuid }] },
      })
      expect(await get(one)).toMatchObject({ projectUuid: workspace.project })
      await expect(
        workspace.call(workspace.pm, "chorus_move_idea", {
          ideaUuid: one,
          targetProjectUuid: workspace.strangersProject,
        }),
      ).rejects.toMatchObject({ code: "not_found" })
      await expect(
        workspace.call(workspace.pm, "chorus_move_idea", { ideaUuid: one, targetProjectUuid: workspace.project }),
      ).rejects.toMatchObject({ code: "already_there" })
    })
  })

  it("are deleted by those who may, children moving up, but not from under a proposal", async () => {
    const top = await create({ title: "Top" })
    const middle = await create({ title: "Middle", parentUuid: top.uuid })
    const low = await create({ title: "Low", parentUuid: middle.uuid })
    await expect(
      workspace.call(workspace.pm, "chorus_admin_delete_idea", { ideaUuid: middle.uuid }),
    ).rejects.toMatchObject({ code: "forbidden" })
    expect(await workspace.call(workspace.owner, "chorus_admin_delete_idea", { ideaUuid: middle.uuid })).toEqual({
      uuid: middle.uuid,
      deleted: true,
    })
    expect(await get(low.uuid)).toMatchObject({ parentUuid: top.uuid })
    await expect(get(middle.uuid)).rejects.toMatchObject({ code: "not_found" })
    const used = await settledIdea(workspace, workspace.pm)
    await submittedPlan(workspace, workspace.pm, { ideaUuid: used })
    await expect(workspace.call(workspace.owner, "chorus_admin_delete_idea", { ideaUuid: used })).rejects.toMatchObject(
      { code: "idea_in_use" },
    )
  })

  it("answer early clients by their retired names", async () => {
    const { uuid } = await workspace.call<Uuid>(workspace.pm, "chorus_admin_create_idea", {
      projectUuid: workspace.project,
      title: "Old client",
    })
    expect(
      await workspace.call(workspace.pm, "chorus_update_idea_status", { ideaUuid: uuid, status: "assigned" }),
    ).toMatchObject({ status: "elaborating" })
    expect(
      await workspace.call(workspace.pm, "chorus_update_idea_status", { ideaUuid: uuid, status: "completed" }),
    ).toMatchObject({ status: "elaborating", note: expect.stringContaining("Nothing was changed") })
    expect(
      await workspace.call(workspace.pm, "chorus_update_idea_status", { ideaUuid: uuid, status: "open" }),
    ).toMatchObject({ status: "open" })
    expect(await workspace.call(workspace.owner, "chorus_admin_close_idea", { ideaUuid: uuid })).toMatchObject({
      status: "open",
    })
  })

  it("stay out of reach of other workspaces and of agents of other projects", async () => {
    const { uuid } = await create({ title: "Private" })
    const scoped = await workspace.agent("Elsewhere", { presets: ["admin"], projectUuids: [workspace.otherProject] })
    for (const actor of [workspace.stranger, scoped]) {
      for (const name of ["chorus_get_idea", "chorus_claim_idea", "chorus_admin_delete_idea"]) {
        await expect(workspace.call(actor, name, { ideaUuid: uuid })).rejects.toMatchObject({ code: "not_found" })
      }
    }
  })
})
