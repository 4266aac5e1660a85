import type { OutputOf, groups as groupContracts, projects } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

const createGroup = async (name: string) =>
  (await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project_group", { name })).uuid
const createProject = async (name: string, more: object = {}) =>
  (await w.call<projects.ProjectRow>(w.owner, "chorus_admin_create_project", { name, ...more })).uuid
const list = async (by: Actor, more: object = {}) =>
  (await w.call<OutputOf<typeof projects.listProjects>>(by, "chorus_list_projects", { pageSize: 100, ...more }))
    .projects

describe("a project", () => {
  it("is told whole when it is made, and by what changed afterwards", async () => {
    const events = await w.told(() => createProject("Told", { description: "why" }))
    const projectUuid = events[0]?.entityUuid ?? ""
    expect(events).toMatchObject([
      {
        kind: "project.created",
        projectUuid,
        patch: { name: "Told", description: "why", status: "active", groupUuid: null },
      },
    ])
    const [updated] = await w.told(() => w.call(w.owner, "chorus_update_project", { projectUuid, name: "Renamed" }))
    expect(updated).toMatchObject({ kind: "project.updated", patch: { name: "Renamed" } })
    expect(updated?.patch).not.toHaveProperty("description")
    expect(await w.call(w.viewer, "chorus_get_project", { projectUuid })).toMatchObject({
      name: "Renamed",
      description: "why",
    })
  })

  it("is listed with how much is in it; archived ones only to who asks", async () => {
    const projectUuid = await createProject("Counted")
    await w.newIdea({ projectUuid })
    await w.taskAt("done", { projectUuid })
    await w.newTask({ projectUuid })
    const find = async (more: object = {}) => (await list(w.viewer, more)).find(({ uuid }) => uuid === projectUuid)
    expect(await find()).toMatchObject({ _count: { ideas: 1, tasks: 2, openTasks: 1 } })
    await w.call(w.owner, "chorus_update_project", { projectUuid, status: "archived" })
    expect(await find()).toBeUndefined()
    expect(await find({ includeArchived: true })).toMatchObject({ status: "archived" })
  })

  it("is shown to an agent only where it reaches", async () => {
    const scoped = await w.agent("Scoped", { projectUuids: [w.otherProject] })
    expect((await list(scoped)).map(({ uuid }) => uuid)).toEqual([w.otherProject])
    const nowhere = await w.agent("Nowhere", { projectUuids: [] })
    expect(await list(nowhere)).toEqual([])
  })

  it("has settings that are off until a person turns them on, one by one", async () => {
    const projectUuid = await createProject("Strict")
    const get = () => w.call(w.viewer, "chorus_get_project_settings", { projectUuid })
    expect(await get()).toEqual({
      allowSelfApproval: false,
      allowSelfVerify: false,
      requireReview: false,
      requireTaskReview: false,
      exclusiveWork: false,
      checks: [],
      returnFailedChecks: true,
      preview: null,
    })
    const events = await w.told(() =>
      w.call(w.owner, "chorus_update_project_settings", { projectUuid, requireReview: true }),
    )
    expect(events).toMatchObject([{ kind: "project.settings_changed", projectUuid, patch: { requireReview: true } }])
    await w.call(w.owner, "chorus_update_project_settings", { projectUuid, exclusiveWork: true })
    expect(await get()).toMatchObject({ requireReview: true, exclusiveWork: true, allowSelfVerify: false })
  })
})

describe("a group of projects", () => {
  const groups = (by: Actor) => w.call<OutputOf<typeof projects.listGroups>>(by, "chorus_get_project_groups")

  it("is made, renamed and dissolved, each told; its projects stay", async () => {
    const [made] = await w.told(() => createGroup("Team A"))
    const groupUuid = made?.entityUuid ?? ""
    expect(made).toMatchObject({
      kind: "group.created",
      entityType: "project_group",
      patch: { name: "Team A", projectCount: 0 },
    })
    const projectUuid = await createProject("Grouped", { groupUuid })
    expect(
      await w.told(() => w.call(w.owner, "chorus_admin_update_project_group", { groupUuid, name: "Team B" })),
    ).toMatchObject([{ kind: "group.updated", patch: { name: "Team B" } }])
    const events = await w.told(() => w.call(w.owner, "chorus_admin_delete_project_group", { groupUuid }))
    expect(events.map(({ kind, entityUuid }) => [kind, entityUuid])).toEqual([
      ["group.deleted", groupUuid],
      ["project.moved", projectUuid],
    ])
    expect(events[1]?.patch).toMatchObject({ groupUuid: null })
    expect(await w.call(w.viewer, "chorus_get_project", { projectUuid })).toMatchObject({ groupUuid: null })
  })

  it("takes projects in and lets them go", async () => {
    const groupUuid = await createGroup("Movers")
    const projectUuid = await createProject("Moved")
    const move = (to: string | null) =>
      w.call(w.owner, "chorus_admin_move_project_to_group", { projectUuid, groupUuid: to })
    expect(await w.told(() => move(groupUuid))).toMatchObject([{ kind: "project.moved", patch: { groupUuid } }])
    expect(await w.call(w.viewer, "chorus_get_project_group", { groupUuid })).toMatchObject({
      projectCount: 1,
      projects: [{ name: "Moved" }],
    })
    await move(null)
    expect(await w.call(w.viewer, "chorus_get_project_group", { groupUuid })).toMatchObject({
      projectCount: 0,
      projects: [],
    })
  })

  it("counts, for an agent confined to some projects, only those", async () => {
    const groupUuid = await createGroup("Half seen")
    const seen = await createProject("Seen", { groupUuid })
    await createProject("Hidden", { groupUuid })
    const scoped = await w.agent("Half", { projectUuids: [seen] })
    expect(await w.call(scoped, "chorus_get_project_group", { groupUuid })).toMatchObject({
      projectCount: 1,
      projects: [{ name: "Seen" }],
    })
    const listed = await groups(scoped)
    expect(listed.groups.find(({ uuid }) => uuid === groupUuid)).toMatchObject({ projectCount: 1 })
    expect(listed.ungroupedCount).toBe(0)
    expect((await groups(w.viewer)).groups.find(({ uuid }) => uuid === groupUuid)).toMatchObject({ projectCount: 2 })
  })

  it("sums up what its projects hold; closed tasks count neither as work nor as done", async () => {
    const groupUuid = await createGroup("Summed")
    const [one, two] = [await createProject("One", { groupUuid }), await createProject("Two", { groupUuid })]
    await w.newIdea({ projectUuid: one })
    for (const stage of ["done", "open", "open", "closed"] as const) await w.taskAt(stage, { projectUuid: one })
    const dashboard = await w.call<OutputOf<typeof groupContracts.getGroupDashboard>>(
      w.viewer,
      "chorus_get_group_dashboard",
      { groupUuid },
    )
    expect(dashboard.stats).toEqual({
      projectCount: 2,
      totalTasks: 3,
      completedTasks: 1,
      completionRate: 33.3,
      openIdeas: 1,
      activeProposals: 0,
    })
    expect(
      dashboard.projects.map(({ name, totalTasks, completionRate }) => [name, totalTasks, completionRate]),
    ).toEqual([
      ["One", 3, 33.3],
      ["Two", 0, 0],
    ])
    expect(dashboard.recentActivity[0]).toMatchObject({ kind: "task.closed", projectUuid: one })
    expect(dashboard.recentActivity.every(({ projectUuid }) => projectUuid === one || projectUuid === two)).toBe(true)
  })
})
