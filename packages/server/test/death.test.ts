import type { OutputOf, tasks, work } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngine } from "./each-engine.ts"
import { CRITERIA, settledIdea, submittedPlan, type Uuid } from "./plan-fixture.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const MINUTE = 60_000
const SYSTEM = { type: "system", uuid: "chorus", name: "Chorus", role: null, ownerUuid: null } as const

onEachEngine("death", (engine) => {
  let w: Workspace
  beforeEach(async () => {
    w = await openWorkspace({ engine })
  })
  afterEach(() => w.close())

  const newTask = async (title = "left lying", more: object = {}) => {
    const { tasks: made } = await w.call<{ tasks: Uuid[] }>(w.pm, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: [{ title, acceptanceCriteriaItems: CRITERIA, ...more }],
    })
    return made[0]?.uuid ?? ""
  }
  const session = async (name: string, by: Actor = w.developer) =>
    (await w.call<Uuid>(by, "chorus_create_session", { name })).uuid
  const start = (taskUuid: string, sessionUuid?: string) =>
    w.call(w.developer, "chorus_start_task", sessionUuid === undefined ? { taskUuid } : { taskUuid, sessionUuid })
  const beat = (sessionUuid: string) => w.call(w.developer, "chorus_session_heartbeat", { sessionUuid })
  const get = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
  const history = (taskUuid: string) =>
    w.call<OutputOf<typeof work.getTaskHistory>>(w.owner, "chorus_get_task_history", { taskUuid })
  const sweep = () => {
    const actor = { ...SYSTEM, workspaceUuid: w.workspaceUuid, permissions: new Set<never>(), projectUuids: null }
    return w.call<{ returned: number }>(actor, "chorus_return_lapsed_tasks")
  }
  const told = async (who: Actor) =>
    (
      await w.call<{ notifications: { message: string }[] }>(who, "chorus_get_notifications", { autoMarkRead: false })
    ).notifications.map(({ message }) => message)

  describe("of a sub-agent", () => {
    it("frees its task while its siblings on the same key live, and what they hold stays theirs", async () => {
      const [dead, alive] = [await session("dead"), await session("alive")]
      const [left, kept] = [await newTask(), await newTask("in good hands")]
      await start(left, dead)
      await start(kept, alive)
      for (const _ of [1, 2]) {
        w.clock.advance(40 * MINUTE)
        await beat(alive)
      }
      expect((await history(left)).lease.state).toBe("lapsed")
      expect(await sweep()).toEqual({ returned: 1 })
      expect(await get(left)).toMatchObject({ status: "open", assignee: null })
      expect(await get(kept)).toMatchObject({ status: "in_progress" })
      expect((await history(left)).checkins).toMatchObject([{ checkoutReason: "task_reclaimed" }])
      expect(await sweep()).toEqual({ returned: 0 })
    })

    it("that claimed and never came to check in frees it, too, however busy its siblings are", async () => {
      const sibling = await session("busy")
      await start(await newTask("a sibling's"), sibling)
      const taskUuid = await newTask()
      await w.call(w.developer, "chorus_claim_task", { taskUuid })
      w.clock.advance(50 * MINUTE)
      await beat(sibling)
      w.clock.advance(11 * MINUTE)
      await beat(sibling)
      expect(await sweep()).toEqual({ returned: 1 })
      expect((await get(taskUuid)).status).toBe("open")
    })

    it("is told to its key, to the one who leads the idea and to the agent's owner", async () => {
      const ideaUuid = await settledIdea(w, w.pm)
      const plan = await submittedPlan(w, w.pm, { ideaUuid, tasks: { a: [] } })
      const { materializedTasks } = await w.call<{ materializedTasks: { taskUuid: string; title: string }[] }>(
        w.owner,
        "chorus_admin_approve_proposal",
        { proposalUuid: plan.uuid },
      )
      const agent = await w.agent("Silent", { owner: w.member })
      const { taskUuid = "", title } = materializedTasks[0] ?? {}
      await w.call(agent, "chorus_start_task", { taskUuid, sessionUuid: await session("mine", agent) })
      w.clock.advance(61 * MINUTE)
      await sweep()
      const said = `Chorus took "${title}" back from Silent after a long silence; it is ready again.`
      for (const who of [agent, w.pm, w.member]) expect(await told(who), who.name).toContain(said)
    })

    it("leaves its task where the workspace wants a person to look first", async () => {
      await w.call(w.owner, "chorus_update_work_settings", { lapsedTasks: "keep" })
      const taskUuid = await newTask()
      await start(taskUuid, await session("dead"))
      w.clock.advance(61 * MINUTE)
      expect(await sweep()).toEqual({ returned: 0 })
      expect(await w.call(w.rival, "chorus_reclaim_task", { taskUuid })).toMatchObject({ status: "open" })
    })

    it("is not taken for the sleep of one to whom work was only assigned", async () => {
      const taskUuid = await newTask()
      await w.call(w.pm, "chorus_pm_assign_task", { taskUuid, agentUuid: w.developer.uuid })
      w.clock.advance(600 * MINUTE)
      expect(await sweep()).toEqual({ returned: 0 })
    })
  })

  describe("at the same moment as", () => {
    const outcome = (answer: PromiseSettledResult<unknown>) =>
      answer.status === "fulfilled" ? "done" : (answer.reason as { code: string }).code

    it("a second and a third who take the task back: one does", async () => {
      const taskUuid = await newTask()
      await start(taskUuid, await session("dead"))
      w.clock.advance(61 * MINUTE)
      const reclaim = (by: Actor) => w.call(by, "chorus_reclaim_task", { taskUuid })
      const [one, two, swept] = await Promise.allSettled([reclaim(w.rival), reclaim(w.admin), sweep()])
      const count = swept.status === "fulfilled" ? swept.value.returned : Number.NaN
      expect([one, two].filter(({ status }) => status === "fulfilled").length + count).toBe(1)
      expect((await history(taskUuid)).checkins).toHaveLength(1)
    })

    it("its late heartbeat: the task is taken back or stays, and both know which", async () => {
      for (let round = 0; round < 5; round++) {
        const taskUuid = await newTask()
        const sessionUuid = await session(`late ${round}`)
        await start(taskUuid, sessionUuid)
        w.clock.advance(61 * MINUTE)
        const [, taken] = await Promise.allSettled([
          beat(sessionUuid),
          w.call(w.rival, "chorus_reclaim_task", { taskUuid }),
        ])
        const open = (await history(taskUuid)).checkins.filter(({ checkoutAt }) => checkoutAt === null)
        expect([outcome(taken), (await get(taskUuid)).status, open.length]).toEqual(
          taken.status === "fulfilled" ? ["done", "open", 0] : ["lease_held", "in_progress", 1],
        )
      }
    })

    it("its claim: a session that was closed stands at nothing", async () => {
      for (let round = 0; round < 5; round++) {
        const taskUuid = await newTask()
        const sessionUuid = await session(`dying ${round}`)
        const [checkedIn] = await Promise.allSettled([
          w.call(w.developer, "chorus_session_checkin_task", { sessionUuid, taskUuid }),
          w.call(w.developer, "chorus_close_session", { sessionUuid }),
        ])
        expect(["done", "session_closed"]).toContain(outcome(checkedIn))
        const { checkins } = await w.call<{ checkins: object[] }>(w.developer, "chorus_get_session", { sessionUuid })
        expect(checkins).toEqual([])
        expect((await get(taskUuid)).status).toBe(outcome(checkedIn) === "done" ? "assigned" : "open")
        w.clock.advance(61 * MINUTE)
        await sweep()
        expect((await get(taskUuid)).status).toBe("open")
      }
    })
  })

  describe("deleting a task between others", () => {
    const chain = async () => {
      const first = await newTask("first")
      const middle = await newTask("middle", { dependsOnTaskUuids: [first] })
      return { first, middle, last: await newTask("last", { dependsOnTaskUuids: [middle] }) }
    }
    const remove = (taskUuid: string, more: object = {}) =>
      w.call(w.admin, "chorus_admin_delete_task", { taskUuid, ...more })

    it("asks what becomes of their order, and changes nothing until it is told", async () => {
      const { first, middle, last } = await chain()
      await expect(remove(middle)).rejects.toMatchObject({
        code: "has_neighbours",
        message: '"last" waits for "first" only through "middle".',
        next: expect.stringContaining("bridge"),
        details: { dependsOn: [{ uuid: first }], dependedBy: [{ uuid: last }] },
      })
      expect((await get(middle)).title).toBe("middle")
    })

    it("bridges it, or cuts it", async () => {
      const { first, middle, last } = await chain()
      await remove(middle, { neighbours: "bridge" })
      expect(await get(last)).toMatchObject({ dependsOn: [{ uuid: first }], openDependencies: 1 })
      const other = await chain()
      await remove(other.middle, { neighbours: "cut" })
      expect(await get(other.last)).toMatchObject({ dependsOn: [], openDependencies: 0 })
    })

    it("asks nothing at the end of a chain", async () => {
      const { first, last } = await chain()
      await remove(last)
      await remove(first)
    })
  })

  it("of a project: archived, it refuses new ideas, tasks and claims, and takes them once restored", async () => {
    const taskUuid = await newTask("waits")
    const { uuid: ideaUuid } = await w.call<Uuid>(w.pm, "chorus_pm_create_idea", {
      projectUuid: w.project,
      title: "waits, too",
    })
    const { uuid: elsewhere } = await w.call<Uuid>(w.pm, "chorus_pm_create_idea", {
      projectUuid: w.otherProject,
      title: "from elsewhere",
    })
    const status = (to: string) => w.call(w.owner, "chorus_update_project", { projectUuid: w.project, status: to })
    await status("archived")
    const tries: [Actor, string, object][] = [
      [w.owner, "chorus_pm_create_idea", { projectUuid: w.project, title: "new" }],
      [
        w.pm,
        "chorus_create_tasks",
        { projectUuid: w.project, tasks: [{ title: "n", acceptanceCriteriaItems: CRITERIA }] },
      ],
      [w.pm, "chorus_claim_idea", { ideaUuid }],
      [w.owner, "chorus_pm_assign_idea", { ideaUuid, assigneeType: "agent", assigneeUuid: w.pm.uuid }],
      [w.owner, "chorus_move_idea", { ideaUuid: elsewhere, targetProjectUuid: w.project }],
      [w.developer, "chorus_claim_task", { taskUuid }],
      [w.developer, "chorus_start_task", { taskUuid }],
      [w.developer, "chorus_next_task", { projectUuid: w.project }],
      [w.developer, "chorus_session_checkin_task", { taskUuid, sessionUuid: await session("s") }],
      [w.pm, "chorus_pm_assign_task", { taskUuid, agentUuid: w.developer.uuid }],
      [w.owner, "chorus_move_task", { taskUuid, status: "assigned" }],
    ]
    for (const [who, name, input] of tries)
      await expect(w.call(who, name, input), name).rejects.toMatchObject({ code: "project_archived", status: 409 })
    expect(await w.call(w.owner, "chorus_get_ideas", { projectUuid: w.project })).toMatchObject({ total: 1 })
    await status("active")
    await w.call(w.developer, "chorus_claim_task", { taskUuid })
  })

  it("of the wish for a task: closed is told apart from done where the graph is drawn", async () => {
    const taskUuid = await newTask()
    await w.call(w.admin, "chorus_admin_close_task", { taskUuid })
    const { nodes } = await w.call<OutputOf<typeof work.getTaskGraph>>(w.owner, "chorus_get_task_graph", {
      projectUuid: w.project,
    })
    expect(nodes).toMatchObject([{ uuid: taskUuid, status: "closed", wave: null, critical: false }])
  })
})
