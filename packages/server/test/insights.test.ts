import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

interface Flow {
  throughput: { day: string; tasks: number; points: number }[]
  cycleTime: { count: number; medianHours: number | null }
  cumulativeFlow: { day: string; counts: Record<string, number> }[]
  burnUp: { day: string; scope: number; done: number; scopePoints: number; donePoints: number }[]
}

onEachEngineUnderStress("insights", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const create = async (...titles: string[]) =>
    (
      await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
        projectUuid: w.project,
        tasks: titles.map((title) => ({
          title,
          storyPoints: 2,
          acceptanceCriteriaItems: [{ description: "x", required: false }],
        })),
      })
    ).tasks.map(({ uuid }) => uuid)
  const finish = async (taskUuid: string) => {
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid })
    await w.call(w.owner, "chorus_admin_verify_task", { taskUuid })
  }

  it("tell throughput, cycle time, cumulative flow and burn-up from what happened", async () => {
    const [a = "", b = "", c = ""] = await create("A", "B", "C")
    await w.call(w.developer, "chorus_start_task", { taskUuid: a })
    w.clock.advance(6 * HOUR)
    await finish(a)
    w.clock.advance(DAY)
    await w.call(w.developer, "chorus_start_task", { taskUuid: b })
    await w.call(w.owner, "chorus_admin_close_task", { taskUuid: c })
    w.clock.advance(DAY)
    await create("D")
    const flow = await w.call<Flow>(w.viewer, "chorus_get_flow", { projectUuid: w.project, days: 4 })
    expect(flow.throughput.map(({ tasks, points }) => [tasks, points])).toEqual([
      [0, 0],
      [1, 2],
      [0, 0],
      [0, 0],
    ])
    expect(flow.cycleTime.count).toBe(1)
    expect(flow.cycleTime.medianHours).toBeCloseTo(6, 1)
    expect(
      flow.cumulativeFlow.map(({ counts }) => [
        counts["open"],
        counts["in_progress"],
        counts["done"],
        counts["closed"],
      ]),
    ).toEqual([
      [0, 0, 0, 0],
      [2, 0, 1, 0],
      [0, 1, 1, 1],
      [1, 1, 1, 1],
    ])
    expect(flow.burnUp.map(({ scope, done, scopePoints }) => [scope, done, scopePoints])).toEqual([
      [0, 0, 0],
      [3, 1, 6],
      [2, 1, 4],
      [3, 1, 6],
    ])
  })

  it("remember tasks whose beginning the log no longer holds", async () => {
    const before = await w.call<Flow>(w.viewer, "chorus_get_flow", { projectUuid: w.project, days: 4 })
    await w.store.write(({ db }) => db.deleteFrom("events").where("kind", "=", "task.created").execute())
    expect(
      (await w.call<Flow>(w.viewer, "chorus_get_flow", { projectUuid: w.project, days: 4 })).cumulativeFlow,
    ).toEqual(before.cumulativeFlow)
  })

  it("show who worked on what when", async () => {
    const [taskUuid = ""] = await create("Watched")
    const { uuid: sessionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_create_session", {
      name: "worker",
    })
    await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid })
    w.clock.advance(2 * HOUR)
    await w.call(w.developer, "chorus_session_checkout_task", { sessionUuid, taskUuid })
    const { lanes } = await w.call<{ lanes: { sessionName: string; hours: number; stays: { taskTitle: string }[] }[] }>(
      w.viewer,
      "chorus_get_session_timeline",
      { projectUuid: w.project },
    )
    expect(lanes).toMatchObject([{ sessionName: "worker", agent: { name: "Dev" }, stays: [{ taskTitle: "Watched" }] }])
    expect(lanes[0]?.hours).toBeCloseTo(2, 2)
    const until = new Date(w.clock.now().getTime() - 30 * DAY).toISOString()
    expect(await w.call(w.viewer, "chorus_get_session_timeline", { projectUuid: w.project, until })).toMatchObject({
      lanes: [],
    })
  })

  it("list what happened in a project, newest first, with titles, and only there", async () => {
    const [taskUuid = ""] = await create("Seen")
    await w.call(w.developer, "chorus_claim_task", { taskUuid })
    await w.call(w.owner, "chorus_create_tasks", {
      projectUuid: w.otherProject,
      tasks: [{ title: "Unseen", acceptanceCriteriaItems: [{ description: "x" }] }],
    })
    const { activities, total } = await w.call<{
      activities: { kind: string; action: string; targetTitle: string; actorName: string }[]
      total: number
    }>(w.viewer, "chorus_get_activity", { projectUuid: w.project, pageSize: 2 })
    expect(activities).toMatchObject([
      { kind: "task.claimed", action: "claimed", targetTitle: "Seen", actorName: "Dev" },
      { kind: "task.created", action: "created", targetTitle: "Seen", actorName: "Olive" },
    ])
    const all = await w.call<{ activities: { targetTitle: string; kind: string }[] }>(w.viewer, "chorus_get_activity", {
      projectUuid: w.project,
      pageSize: 100,
    })
    expect(all.activities).toHaveLength(Math.min(100, total))
    expect(all.activities.map(({ targetTitle }) => targetTitle)).not.toContain("Unseen")
    expect(all.activities.filter(({ kind }) => kind.startsWith("notification."))).toEqual([])
    const ofTask = await w.call<{ total: number }>(w.viewer, "chorus_get_activity", {
      projectUuid: w.project,
      entityUuid: taskUuid,
    })
    expect(ofTask.total).toBe(2)
  })

  it("sum up a group of projects", async () => {
    const group = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project_group", { name: "G" })
    const { uuid: projectUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", {
      name: "In group",
      groupUuid: group.uuid,
    })
    const { tasks } = await w.call<{ tasks: { uuid: string }[] }>(w.owner, "chorus_create_tasks", {
      projectUuid,
      tasks: [1, 2, 3].map((n) => ({
        title: `T${n}`,
        acceptanceCriteriaItems: [{ description: "x", required: false }],
      })),
    })
    const [first, second] = tasks.map(({ uuid }) => uuid)
    await w.call(w.developer, "chorus_start_task", { taskUuid: first })
    await finish(first ?? "")
    await w.call(w.owner, "chorus_admin_close_task", { taskUuid: second })
    await w.call(w.owner, "chorus_pm_create_idea", { projectUuid, title: "Idea" })
    const dashboard = await w.call<{ recentActivity: object[] }>(w.viewer, "chorus_get_group_dashboard", {
      groupUuid: group.uuid,
    })
    expect(dashboard).toMatchObject({
      group: { name: "G", projectCount: 1 },
      stats: {
        projectCount: 1,
        totalTasks: 2,
        completedTasks: 1,
        completionRate: 50,
        openIdeas: 1,
        activeProposals: 0,
      },
      projects: [{ name: "In group", totalTasks: 2 }],
    })
    expect(dashboard.recentActivity[0]).toMatchObject({ kind: "idea.created", targetTitle: "Idea" })
  })
})
