import type { tasks, work } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace, type Stage } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()

interface Graph {
  readonly nodes: (tasks.TaskRow & { wave: number | null; critical: boolean; blockedBy: string[] })[]
  readonly edges: object[]
  readonly waves: string[][]
  readonly criticalPath: string[]
  readonly criticalWeight: number
}

describe("the board", () => {
  const board = (projectUuid: string) =>
    w.call<{ tasks: tasks.TaskRow[]; checkins: { taskUuid: string }[]; position: number }>(
      w.viewer,
      "chorus_get_board",
      { projectUuid },
    )

  it("of an empty project is empty, at the place in the log where it was read", async () => {
    const projectUuid = await w.newProject()
    const { last } = await w.call<{ last: number }>(w.owner, "chorus_list_events")
    expect(await board(projectUuid)).toEqual({ tasks: [], checkins: [], returned: [], position: last })
  })

  it("holds every card of the project with who is at it, and is new after every change", async () => {
    const projectUuid = await w.newProject()
    const taskUuid = await w.taskAt("assigned", { projectUuid, title: "a card" })
    const before = await board(projectUuid)
    expect(before.tasks).toMatchObject([
      { uuid: taskUuid, title: "a card", status: "assigned", assignee: { name: "Dev" }, ac: { total: 2 } },
    ])
    await w.call(w.developer, "chorus_start_task", { taskUuid, sessionUuid: await w.newSession() })
    const after = await board(projectUuid)
    expect(after).toMatchObject({ tasks: [{ status: "in_progress" }], checkins: [{ taskUuid }] })
    expect(after.position).toBeGreaterThan(before.position)
  })

  it("has who died at work in progress until somebody is at that again, and when each was heard from", async () => {
    const projectUuid = await w.newProject()
    const taskUuid = await w.newTask({ projectUuid })
    const start = async () => {
      const session_id = `dies-${crypto.randomUUID()}`
      const tell = (hook_event_name: string, more: object) =>
        w.call(w.developer, "chorus_hook", { session_id, hook_event_name, ...more })
      await tell("SessionStart", { source: "startup" })
      const tool_input = { prompt: `Chorus task: ${taskUuid}`, description: session_id, subagent_type: "x" }
      await tell("PreToolUse", { tool_name: "Agent", tool_use_id: `toolu_${session_id}`, tool_input })
      return { die: () => tell("SessionEnd", { reason: "crashed" }) }
    }
    const stays = async () => (await board(projectUuid)).checkins
    const first = await start()
    expect(await stays()).toMatchObject([{ checkoutAt: null, heardAt: expect.any(String) }])
    await first.die()
    expect(await stays()).toMatchObject([{ checkoutReason: "session_lost" }])
    const second = await start()
    expect(await stays()).toMatchObject([{ checkoutAt: null }])
    await second.die()
    await w.call(w.owner, "chorus_release_task", { taskUuid, reason: "Later." })
    expect(await stays()).toEqual([])
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    expect(await stays()).toEqual([])
  })

  it("is brought up to date by what happened, as if it were read anew", async () => {
    const [projectUuid, elsewhere] = [await w.newProject(), await w.newProject()]
    const names = ["a", "b", "c", "d", "e"]
    const tasks = await w.newTasks(Object.fromEntries(names.map((name) => [name, []])), { projectUuid })
    const anew = async () => {
      const { tasks: rows } = await w.call<{ tasks: tasks.TaskRow[] }>(w.viewer, "chorus_list_tasks", { projectUuid })
      return rows
    }
    const agrees = async () => {
      const [shown, listed] = [(await board(projectUuid)).tasks, await anew()]
      expect(new Map(shown.map((row) => [row.uuid, row]))).toEqual(new Map(listed.map((row) => [row.uuid, row])))
      expect(shown).toHaveLength(listed.length)
    }
    await agrees()
    await w.call(w.owner, "chorus_update_task", { taskUuid: tasks["a"], title: "another" })
    await agrees()
    await w.call(w.owner, "chorus_admin_delete_task", { taskUuid: tasks["e"] })
    await w.call(w.owner, "chorus_admin_delete_task", { taskUuid: tasks["b"] })
    await agrees()
    await w.newTasks({ f: [], g: ["f"] }, { projectUuid })
    await w.newTasks({ other: [] }, { projectUuid: elsewhere })
    await w.call(w.developer, "chorus_claim_task", { taskUuid: tasks["c"] })
    await Promise.all([agrees(), agrees(), agrees()])
    await w.call(w.owner, "chorus_update_agent", { agentUuid: w.developer.uuid, name: "Renamed" })
    await agrees()
    await w.call(w.owner, "chorus_update_agent", { agentUuid: w.developer.uuid, name: "Dev" })
  })

  it("is the very same answer while nothing happens", async () => {
    const projectUuid = await w.newProject()
    expect(await board(projectUuid)).toBe(await board(projectUuid))
  })
})

describe("the graph", () => {
  const graph = (projectUuid: string, more: object = {}) =>
    w.call<Graph>(w.viewer, "chorus_get_task_graph", { projectUuid, ...more })

  it("lays unfinished work out in waves and names the longest way through it", async () => {
    const projectUuid = await w.newProject()
    const { a, b, c, d } = await w.newTasks({ a: [], b: ["a"], c: ["a"], d: ["b", "c"] }, { projectUuid })
    await w.call(w.pm, "chorus_update_task", { taskUuid: c, storyPoints: 5 })
    const { waves, criticalPath, criticalWeight, nodes, edges } = await graph(projectUuid)
    expect(waves.map((wave) => wave.toSorted())).toEqual([[a], [b, c].toSorted(), [d]])
    expect(criticalPath).toEqual([a, c, d])
    expect(criticalWeight).toBe(7)
    expect(edges).toHaveLength(4)
    expect(nodes.find(({ uuid }) => uuid === b)).toMatchObject({ wave: 1, critical: false, blockedBy: [a] })
  })

  it("leaves finished work out of waves and of what blocks, but shows it", async () => {
    const projectUuid = await w.newProject()
    const { a, b } = await w.newTasks({ a: [], b: ["a"] }, { projectUuid })
    await w.call(w.admin, "chorus_admin_close_task", { taskUuid: a })
    const { waves, nodes } = await graph(projectUuid)
    expect(waves).toEqual([[b]])
    expect(nodes.find(({ uuid }) => uuid === a)).toMatchObject({ wave: null, critical: false })
    expect(nodes.find(({ uuid }) => uuid === b)).toMatchObject({ wave: 0, blockedBy: [] })
  })

  it("of no plan is empty", async () => {
    expect(await graph(w.project, { proposalUuids: [] })).toMatchObject({
      nodes: [],
      edges: [],
      waves: [],
      criticalPath: [],
      criticalWeight: 0,
    })
  })
})

describe("moving a card", () => {
  const move = (taskUuid: string, status: string, by: Actor = w.owner) =>
    w.call<{ status: string }>(by, "chorus_move_task", { taskUuid, status })
  const STAGES: readonly Stage[] = ["open", "assigned", "in_progress", "to_verify", "done", "closed"]
  /** What each column leads to; everything else is refused. */
  const ALLOWED: Record<Stage, readonly Stage[]> = {
    open: ["open", "assigned", "closed"],
    assigned: ["open", "assigned", "in_progress", "closed"],
    in_progress: ["open", "in_progress", "to_verify", "closed"],
    to_verify: ["in_progress", "to_verify", "done", "closed"],
    done: ["in_progress", "done", "closed"],
    closed: ["open", "closed"],
  }
  const cases = STAGES.flatMap((from) => STAGES.map((to) => ({ from, to, allowed: ALLOWED[from].includes(to) })))

  it.each(cases)("from $from to $to: $allowed", async ({ from, to, allowed }) => {
    const taskUuid = await w.taskAt(from)
    if (from === "to_verify") await w.passCriteria(taskUuid)
    if (allowed) return void expect(await move(taskUuid, to)).toMatchObject({ status: to })
    await expect(move(taskUuid, to)).rejects.toMatchObject({
      code: "wrong_status",
      details: { status: from, wanted: to },
    })
  })

  it("to where it stands is no change and told to nobody", async () => {
    const taskUuid = await w.taskAt("assigned")
    expect(await w.kinds(() => move(taskUuid, "assigned"))).toEqual([])
  })
})

describe("who is present", () => {
  const presence = (by: Actor, input: object = {}) =>
    w.call<{
      agents: {
        name: string
        sessions: { uuid: string; working: { taskUuid: string }[] }[]
        inProgress: { uuid: string; wasInSession: boolean }[]
      }[]
    }>(by, "chorus_get_presence", input)

  it("names agents by name, with the sessions that are open and what each is at", async () => {
    const agent = await w.agent("Aaron")
    const taskUuid = await w.newTask()
    const [open, closed] = [await w.newSession(agent), await w.newSession(agent)]
    await w.call(agent, "chorus_close_session", { sessionUuid: closed })
    await w.call(agent, "chorus_start_task", { taskUuid, sessionUuid: open })
    const { agents } = await presence(w.viewer)
    expect(agents[0]).toMatchObject({
      name: "Aaron",
      sessions: [{ uuid: open, working: [{ taskUuid }] }],
      inProgress: [{ uuid: taskUuid, wasInSession: true }],
    })
    await w.call(w.owner, "chorus_update_agent", { agentUuid: agent.uuid, archived: true })
    expect((await presence(w.viewer)).agents.map(({ name }) => name)).not.toContain("Aaron")
  })

  it("shows an agent nothing of projects it does not reach", async () => {
    const taskUuid = await w.newTask({ title: "hidden" })
    await w.call(w.rival, "chorus_start_task", { taskUuid, sessionUuid: await w.newSession(w.rival) })
    const scoped = await w.agent("Scoped", { projectUuids: [w.otherProject] })
    const { agents } = await presence(scoped)
    expect(agents.flatMap(({ inProgress }) => inProgress)).toEqual([])
    expect(agents.flatMap(({ sessions }) => sessions.flatMap(({ working }) => working))).toEqual([])
  })
})

describe("settings of work", () => {
  const get = () => w.call<work.WorkSettings>(w.developer, "chorus_get_work_settings")

  it("are an hour at first, change one by one, and are told", async () => {
    expect(await get()).toMatchObject({ sessionInactiveMinutes: 60, leaseMinutes: 60, lapsedTasks: "return" })
    const events = await w.told(() => w.call(w.owner, "chorus_update_work_settings", { leaseMinutes: 5 }))
    expect(events).toMatchObject([
      {
        kind: "workspace.updated",
        entityUuid: w.workspaceUuid,
        patch: { work: { sessionInactiveMinutes: 60, leaseMinutes: 5 } },
      },
    ])
    await w.call(w.owner, "chorus_update_work_settings", { sessionInactiveMinutes: 7 })
    expect(await get()).toMatchObject({ sessionInactiveMinutes: 7, leaseMinutes: 5 })
  })

  it.each([0, 10_081, 1.5])("refuse %d minutes", async (leaseMinutes) => {
    await expect(w.call(w.owner, "chorus_update_work_settings", { leaseMinutes })).rejects.toMatchObject({
      code: "invalid_input",
    })
  })
})
