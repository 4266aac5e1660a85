import type { tasks, work } from "@chorus/contracts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { settledIdea, submittedPlan } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Wanted {
  readonly title: string
  readonly after?: string[]
  readonly priority?: string
  readonly storyPoints?: number
}

onEachEngineUnderStress("compound work", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  async function project(...wanted: Wanted[]): Promise<{ projectUuid: string; uuidOf: (title: string) => string }> {
    const { uuid: projectUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", {
      name: "work",
    })
    const input = wanted.map(({ title, after = [], ...rest }) => ({
      title,
      draftUuid: title,
      dependsOnDraftUuids: after,
      acceptanceCriteriaItems: [{ description: `${title} works` }],
      ...rest,
    }))
    const { tasks: made } = await w.call<{ tasks: tasks.TaskRow[] }>(w.pm, "chorus_create_tasks", {
      projectUuid,
      tasks: input,
    })
    return { projectUuid, uuidOf: (title) => made.find((task) => task.title === title)?.uuid ?? "" }
  }
  const next = (projectUuid: string, by = w.developer, more: object = {}) =>
    w.call<work.TaskBrief>(by, "chorus_next_task", { projectUuid, ...more })
  const finish = async (taskUuid: string, by = w.developer) => {
    const { acceptanceCriteriaItems } = await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
    const criteria = acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, devStatus: "passed", exitCode: 0 }))
    return w.call(by, "chorus_finish_task", { taskUuid, report: "built it", criteria })
  }
  const verify = async (taskUuid: string) => {
    const { acceptanceCriteriaItems } = await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
    await w.call(w.owner, "chorus_mark_acceptance_criteria", {
      taskUuid,
      criteria: acceptanceCriteriaItems.map(({ uuid }) => ({ uuid, status: "passed" })),
    })
    await w.call(w.owner, "chorus_admin_verify_task", { taskUuid })
  }

  it("takes a task through its life in two calls", async () => {
    const { projectUuid, uuidOf } = await project({ title: "only" })
    const { uuid: sessionUuid } = await w.call<{ uuid: string }>(w.developer, "chorus_create_session", { name: "solo" })
    const brief = await next(projectUuid, w.developer, { sessionUuid })
    expect(brief).toMatchObject({
      task: { uuid: uuidOf("only"), status: "in_progress" },
      session: { uuid: sessionUuid },
    })
    const criterion = brief.task?.acceptanceCriteriaItems[0]?.uuid
    const answer = await w.call(w.developer, "chorus_finish_task", {
      taskUuid: uuidOf("only"),
      report: "all green",
      criteria: [{ uuid: criterion, devStatus: "passed", exitCode: 0, output: "ok" }],
      sessionUuid,
    })
    expect(answer).toMatchObject({ status: "to_verify", unchecked: [], checkedOut: 1 })
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid: uuidOf("only") })).toMatchObject({
      ac: { checked: 1 },
      reports: [{ content: "all green", author: { name: "Dev" }, sessionUuid }],
      commentCount: 1,
    })
    expect(
      await w.call(w.owner, "chorus_get_comments", { targetType: "task", targetUuid: uuidOf("only") }),
    ).toMatchObject({ comments: [{ content: "all green", author: { name: "Dev" } }] })
  })

  it("hands in nothing when one part is wrong", async () => {
    const { uuidOf } = await project({ title: "half" })
    const taskUuid = uuidOf("half")
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    const foreign = await project({ title: "foreign" })
    const other = (await w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid: foreign.uuidOf("foreign") }))
      .acceptanceCriteriaItems[0]?.uuid
    await expect(
      w.call(w.developer, "chorus_finish_task", {
        taskUuid,
        report: "done",
        criteria: [{ uuid: other, devStatus: "passed" }],
      }),
    ).rejects.toMatchObject({ code: "not_found" })
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid })).toMatchObject({ status: "in_progress", reports: [] })
    expect(await w.call(w.developer, "chorus_finish_task", { taskUuid, report: "done" })).toMatchObject({
      unchecked: ["half works"],
    })
    await expect(w.call(w.developer, "chorus_finish_task", { taskUuid, report: "again" })).rejects.toMatchObject({
      code: "wrong_status",
    })
  })

  it("briefs with the last word on what the task builds upon", async () => {
    const { uuidOf } = await project({ title: "below" }, { title: "above", after: ["below"] })
    await w.call(w.rival, "chorus_start_task", { taskUuid: uuidOf("below") })
    await expect(w.call(w.developer, "chorus_start_task", { taskUuid: uuidOf("above") })).rejects.toMatchObject({
      code: "blocked_by_dependencies",
      details: { blockers: [{ title: "below" }] },
    })
    expect(await w.call(w.owner, "chorus_get_task", { taskUuid: uuidOf("above") })).toMatchObject({
      status: "open",
      assignee: null,
    })
    await finish(uuidOf("below"), w.rival)
    await verify(uuidOf("below"))
    const brief = await w.call<work.TaskBrief>(w.developer, "chorus_start_task", { taskUuid: uuidOf("above") })
    expect(brief.dependencies).toMatchObject([{ title: "below", status: "done", reports: "built it" }])
  })

  it("leads from an approved plan to work that knows its idea and documents, and what it cost", async () => {
    const ideaUuid = await settledIdea(w, w.pm, "The wish")
    const { uuid: proposalUuid } = await submittedPlan(w, w.pm, { ideaUuid })
    const waiting = async () =>
      (
        await w.call<{ items: { uuid: string; kind: string; from: { name: string } }[] }>(w.owner, "chorus_needs_you")
      ).items.find((item) => item.uuid === proposalUuid)
    expect(await waiting()).toMatchObject({ kind: "proposal", from: { name: "Petra" } })
    await w.call(w.owner, "chorus_admin_approve_proposal", { proposalUuid })
    expect(await waiting()).toBeUndefined()
    const brief = await next(w.project, w.developer, { proposalUuids: [proposalUuid] })
    expect(brief).toMatchObject({
      task: { title: "Task a", acceptanceCriteriaItems: [{}, { command: "npm test" }] },
      idea: { uuid: ideaUuid, title: "The wish" },
      documents: [{ title: "Design", type: "tech_design", version: 1, parts: expect.stringContaining("A paragraph") }],
    })
    expect(await next(w.project, w.rival, { proposalUuids: [proposalUuid] })).toMatchObject({ task: null })
    await w.call(w.developer, "chorus_report_usage", { taskUuid: brief.task?.uuid, inputTokens: 7, costUsd: 0.25 })
    expect(await w.call(w.owner, "chorus_get_usage", { by: "idea", ideaUuid })).toMatchObject({
      total: { inputTokens: 7, costUsd: 0.25 },
      rows: [{ key: ideaUuid, name: "The wish" }],
    })
    await finish(brief.task?.uuid ?? "")
    await verify(brief.task?.uuid ?? "")
    expect(await next(w.project, w.rival, { proposalUuids: [proposalUuid] })).toMatchObject({
      task: { title: "Task b" },
      dependencies: [{ title: "Task a", reports: "built it" }],
    })
  })

  it("chooses by what is mine, then priority, then the work that waits behind it, then age", async () => {
    const { projectUuid, uuidOf } = await project(
      { title: "old low", priority: "low" },
      { title: "leaf" },
      { title: "root" },
      { title: "on root", after: ["root"], storyPoints: 5 },
      { title: "urgent", priority: "high" },
      { title: "mine", priority: "low" },
    )
    await w.call(w.pm, "chorus_pm_assign_task", { taskUuid: uuidOf("mine"), agentUuid: w.developer.uuid })
    const order: (string | undefined)[] = []
    for (let turn = 0; turn < 5; turn++) order.push((await next(projectUuid)).task?.title)
    expect(order).toEqual(["mine", "urgent", "root", "leaf", "old low"])
    expect(await next(projectUuid)).toEqual({
      task: null,
      reason: `Nothing is ready: "on root" waits for "root" (in progress).`,
      waiting: 1,
      inProgress: 5,
      held: order.map((title) => expect.objectContaining({ title })),
    })
  })

  describe("the page", () => {
    it("sees waves, the critical path and what blocks what", async () => {
      const { projectUuid, uuidOf } = await project(
        { title: "a", storyPoints: 3 },
        { title: "b" },
        { title: "c", after: ["a", "b"], storyPoints: 2 },
        { title: "d", after: ["c"] },
      )
      const graph = await w.call<{
        waves: string[][]
        criticalPath: string[]
        criticalWeight: number
        nodes: { uuid: string; blockedBy: string[]; wave: number }[]
        edges: object[]
      }>(w.viewer, "chorus_get_task_graph", { projectUuid })
      expect(graph.waves.map((wave) => wave.toSorted())).toEqual([
        [uuidOf("a"), uuidOf("b")].toSorted(),
        [uuidOf("c")],
        [uuidOf("d")],
      ])
      expect(graph.criticalPath).toEqual(["a", "c", "d"].map(uuidOf))
      expect(graph.criticalWeight).toBe(6)
      expect(graph.nodes.find((node) => node.uuid === uuidOf("c"))?.blockedBy.toSorted()).toEqual(
        [uuidOf("a"), uuidOf("b")].toSorted(),
      )
      expect(graph.edges).toHaveLength(3)
    })

    it("moves cards by the rules of a task's life", async () => {
      const { uuidOf } = await project({ title: "card" }, { title: "blocked", after: ["card"] })
      const move = (status: string, by = w.member, taskUuid = uuidOf("card")) =>
        w.call(by, "chorus_move_task", { taskUuid, status })
      await expect(move("done")).rejects.toMatchObject({ code: "wrong_status" })
      expect(await move("assigned")).toMatchObject({ status: "assigned" })
      await move("in_progress")
      await move("to_verify")
      await expect(move("done", w.owner)).rejects.toMatchObject({ code: "criteria_not_passed" })
      await expect(move("in_progress", w.developer)).rejects.toMatchObject({ code: "forbidden" })
      await expect(move("in_progress", w.viewer)).rejects.toMatchObject({ code: "forbidden" })
      expect(await move("in_progress")).toMatchObject({ status: "in_progress" })
      expect(await move("open")).toMatchObject({ status: "open" })
      await move("assigned", w.member, uuidOf("blocked"))
      await expect(move("in_progress", w.member, uuidOf("blocked"))).rejects.toMatchObject({
        code: "blocked_by_dependencies",
      })
      expect(await move("closed")).toMatchObject({ status: "closed" })
      expect(await move("open")).toMatchObject({ status: "open" })
    })
  })
})
