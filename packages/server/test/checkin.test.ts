import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { submittedPlan } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Tracker {
  name: string
  ideas: { title: string; proposals: number; tasks: number; derivedStatus: string }[]
  tasks: { title: string; ac: { passed: number; total: number } }[]
}

interface Hello {
  agent: {
    name: string
    permissions: Record<string, string[]>
    owner: { name: string; email: string } | null
    roles: string[]
  }
  ideaTracker: Record<string, Tracker>
  taskTracker: Record<string, Tracker>
  activeProjects: { name: string; activeIdeas: number; openTasks: number }[]
  notifications: { unread: number; recent: { title: string; actor: string; action: string }[] }
}

onEachEngineUnderStress("checking in", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const hello = (actor: Actor, focus?: { projectUuids: string[]; groupUuid: string | undefined }) =>
    w.registry.execute("chorus_checkin", {}, { actor, requestId: randomUUID(), focus }) as Promise<Hello>
  const makeTask = async (projectUuid: string, title: string) =>
    (
      await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
        projectUuid,
        tasks: [{ title, acceptanceCriteriaItems: [{ description: "x" }] }],
      })
    ).tasks[0]?.uuid ?? ""

  it("tells an agent who it is, whose it is and what it may do", async () => {
    const { agent } = await hello(w.developer)
    expect(agent).toMatchObject({
      name: "Dev",
      roles: ["developer"],
      owner: { name: "Olive", email: "olive@example.test" },
    })
    expect(agent.permissions).toEqual({
      idea: ["read"],
      proposal: ["read"],
      document: ["read"],
      task: ["read", "write"],
      project: ["read"],
    })
    const row = await w.store.db
      .selectFrom("agents")
      .select("lastActiveAt")
      .where("uuid", "=", w.developer.uuid)
      .executeTakeFirstOrThrow()
    expect(row.lastActiveAt).not.toBeNull()
    expect((await hello(w.owner)).agent).toMatchObject({ name: "Olive", roles: ["owner"] })
  })

  it("shows what it holds and what goes on, by project, without what is finished", async () => {
    const plan = await submittedPlan(w, w.pm)
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid: plan.uuid })
    const held = await makeTask(w.project, "Held")
    const closed = await makeTask(w.project, "Closed")
    for (const taskUuid of [held, closed]) await w.call(w.developer, "chorus_claim_task", { taskUuid })
    await w.call(w.owner, "chorus_admin_close_task", { taskUuid: closed })
    expect((await hello(w.pm)).ideaTracker[w.project]).toMatchObject({
      name: "First",
      ideas: [{ title: "An idea", proposals: 1, tasks: 2, derivedStatus: "in_progress" }],
    })
    const { taskTracker, activeProjects } = await hello(w.developer)
    expect(taskTracker[w.project]?.tasks).toMatchObject([{ title: "Held", ac: { passed: 0, total: 1 } }])
    expect(activeProjects.find(({ name }) => name === "First")).toMatchObject({ activeIdeas: 1, openTasks: 3 })
    const mine = await w.call<{ tasks: { title: string }[]; taskTracker: Record<string, Tracker> }>(
      w.developer,
      "chorus_get_my_assignments",
    )
    expect(mine.tasks.map(({ title }) => title)).toEqual(["Held"])
    expect(mine.taskTracker[w.project]?.name).toBe("First")
  })

  it("brings the latest five notifications, and takes none away by showing them", async () => {
    await hello(w.rival)
    for (let n = 0; n < 7; n++)
      await w.call(w.pm, "chorus_pm_assign_task", {
        taskUuid: await makeTask(w.project, `N${n}`),
        agentUuid: w.rival.uuid,
      })
    const first = await hello(w.rival)
    expect(first.notifications).toMatchObject({
      unread: 7,
      recent: [{ title: "N6", actor: "Petra", action: "task_assigned" }, {}, {}, {}, {}],
    })
    expect((await hello(w.rival)).notifications).toEqual(first.notifications)
  })

  it("is narrowed to the projects or the group asked for, never widened", async () => {
    const group = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project_group", { name: "G" })
    await w.call(w.owner, "chorus_admin_move_project_to_group", { projectUuid: w.otherProject, groupUuid: group.uuid })
    const elsewhere = await makeTask(w.otherProject, "Elsewhere")
    await w.call(w.developer, "chorus_claim_task", { taskUuid: elsewhere })
    const names = async (focus?: { projectUuids: string[]; groupUuid: string | undefined }, actor = w.developer) =>
      (await hello(actor, focus)).activeProjects.map(({ name }) => name).sort()
    expect(await names()).toEqual(["First", "Second"])
    expect(await names({ projectUuids: [w.project], groupUuid: undefined })).toEqual(["First"])
    expect(await names({ projectUuids: [], groupUuid: group.uuid })).toEqual(["Second"])
    expect(await names({ projectUuids: [w.strangersProject, "nonsense"], groupUuid: undefined })).toEqual([])
    const confined = await w.agent("Confined", { projectUuids: [w.otherProject] })
    expect(await names({ projectUuids: [w.project, w.otherProject], groupUuid: undefined }, confined)).toEqual([
      "Second",
    ])
    expect(
      Object.keys((await hello(w.developer, { projectUuids: [w.otherProject], groupUuid: undefined })).taskTracker),
    ).toEqual([w.otherProject])
  })
})
