import type { activity, HookOutput, OutputOf, sessions, tasks, usage } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { NOBODY } from "../../operation.ts"
import { readProgramRequest } from "./hook-program.ts"

const MINUTE = 60_000
const w = embeddedWorkspace()
let session: string
let count = 0
beforeEach(() => {
  session = `p-${++count}`
})

const PROCESS = { machine: "studio", process: "17-4711" }
const tell = (hook_event_name: string, more: object = {}) =>
  w.call<HookOutput>(w.developer, "chorus_hook", {
    session_id: session,
    hook_event_name,
    cwd: "/home/ann/shop",
    ...more,
  })
const started = (more: object = PROCESS) => tell("SessionStart", { source: "startup", ...more })
const beat = () => {
  const body = JSON.stringify({ session_id: session, hook_event_name: "SessionStart", cwd: "/home/ann/shop" })
  return w.call(w.developer, "chorus_hook", readProgramRequest(body, { ...PROCESS, beat: "1" }).event)
}
const NO_TOKENS = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 }
const spawn = (taskUuid: string, more: object = {}) =>
  tell("PreToolUse", {
    tool_name: "Agent",
    tool_use_id: "toolu_1",
    tool_input: { description: "builder", prompt: `Chorus task: ${taskUuid}`, run_in_background: true, ...more },
  })
const returned = (agentId: string) =>
  tell("PostToolUse", {
    tool_name: "Agent",
    tool_use_id: "toolu_1",
    tool_response: { status: "async_launched", agentId },
  })
/** Those of this very session of the program. */
const ours = async () =>
  (await own()).filter(
    ({ externalId }) => externalId === `claude-code:${session}` || externalId?.startsWith(`claude-code:${session}/`),
  )
const own = async (status?: string) =>
  (
    await w.call<{ sessions: sessions.SessionRow[] }>(w.developer, "chorus_list_sessions", { status, pageSize: 100 })
  ).sessions.filter(({ externalId }) => externalId?.startsWith(`claude-code:${session}`))
const statuses = async () => (await own()).map(({ status }) => status)
const sweep = () => {
  const actor = { ...NOBODY, uuid: "chorus", name: "Chorus", workspaceUuid: w.workspaceUuid, projectUuids: null }
  return w.call(actor, "chorus_return_lapsed_tasks")
}
const task = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })

describe("a program that died without a word, and nobody who could tell", () => {
  it("is not active ten minutes later, nor are its sub-agents, and their task is ready again", async () => {
    const taskUuid = await w.newTask()
    await started()
    await spawn(taskUuid)
    const { watchedMinutes } = await w.call<{ watchedMinutes: number }>(w.owner, "chorus_get_work_settings")
    expect(watchedMinutes).toBe(10)
    w.clock.advance((watchedMinutes - 1) * MINUTE)
    expect(await statuses()).toEqual(["active", "active"])
    w.clock.advance(MINUTE)
    expect(await statuses()).toEqual(["inactive", "inactive"])
    expect([await own("active"), (await own("inactive")).length]).toEqual([[], 2])
    await sweep()
    expect(await task(taskUuid)).toMatchObject({ status: "open", assignee: null })
  })

  it("of which no process is known is waited for as long as the workspace says", async () => {
    const taskUuid = await w.newTask()
    await started({})
    await spawn(taskUuid)
    w.clock.advance(59 * MINUTE)
    await sweep()
    expect([await statuses(), (await task(taskUuid)).status]).toEqual([["active", "active"], "in_progress"])
  })
})

describe("a program that says that it runs", () => {
  it("keeps itself, its sub-agents and their work for hours", async () => {
    const taskUuid = await w.newTask()
    await started()
    await spawn(taskUuid)
    for (let minutes = 0; minutes < 180; minutes += 9) {
      w.clock.advance(9 * MINUTE)
      await beat()
    }
    await sweep()
    expect([await statuses(), (await task(taskUuid)).status]).toEqual([["active", "active"], "in_progress"])
  })

  it("is known from then on where nobody heard it begin, and from then on as the process it is", async () => {
    await beat()
    expect(await own()).toMatchObject([{ name: "Claude Code in shop", machine: "studio", status: "active" }])
    w.clock.advance(10 * MINUTE)
    expect(await statuses()).toEqual(["inactive"])
  })

  it("is told how its agent stands by now, and what was sent back", async () => {
    await started()
    const taskUuid = await w.taskAt("to_verify", { title: "Guest pay" })
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, reason: "Cards too." })
    const { systemMessage } = (await beat()) as HookOutput
    expect(systemMessage).toContain(`sent back: ${(await task(taskUuid)).shortId} "Guest pay"`)
  })

  it("stays ended once it has said so", async () => {
    await started()
    await tell("SessionEnd", { reason: "other" })
    await beat()
    expect(await statuses()).toEqual(["closed"])
  })

  it("is told to readers often enough that none takes it for silent, and no oftener", async () => {
    await started()
    const told = await w.kinds(async () => {
      for (let minute = 0; minute < 12; minute++) {
        w.clock.advance(MINUTE)
        await beat()
      }
    })
    expect(told).toEqual(["session.seen", "session.seen", "session.seen"])
  })
})

describe("a program that was found dead", () => {
  it("says so of its stays, and its work is free ten minutes later, however long a tidy leaver's is kept", async () => {
    const taskUuid = await w.newTask()
    await started()
    await spawn(taskUuid)
    await tell("SessionEnd", { reason: "crashed" })
    expect(await statuses()).toEqual(["closed", "closed"])
    const { checkins } = await w.call<{ checkins: sessions.CheckinRow[] }>(w.owner, "chorus_get_task_history", {
      taskUuid,
    })
    expect(checkins).toMatchObject([{ checkoutReason: "session_lost" }])
    const { activities } = await w.call<OutputOf<typeof activity.getActivity>>(w.owner, "chorus_get_activity", {
      projectUuid: w.project,
      entityUuid: taskUuid,
    })
    expect(activities[0]).toMatchObject({ kind: "session.checked_out", value: { checkoutReason: "session_lost" } })
    w.clock.advance(11 * MINUTE)
    await sweep()
    expect((await task(taskUuid)).status).toBe("open")
  })

  it("is no news to whoever took its work up again afterwards", async () => {
    const taskUuid = await w.newTask()
    await started()
    await spawn(taskUuid)
    await tell("SessionEnd", { reason: "crashed" })
    w.clock.advance(11 * MINUTE)
    await sweep()
    expect((await task(taskUuid)).status).toBe("open")
    session = `${session}-after`
    await started()
    await spawn(taskUuid)
    expect(JSON.stringify(await tell("Stop"))).not.toContain("after a long silence")
  })

  it("frees work ten minutes later also where somebody left it in good order before, who was sent it back", async () => {
    const taskUuid = await w.newTask()
    await started()
    await spawn(taskUuid)
    await tell("SessionEnd", { reason: "other" })
    await w.call(w.developer, "chorus_submit_for_verify", { taskUuid, summary: "Done." })
    await w.call(w.owner, "chorus_admin_reopen_task", { taskUuid, reason: "Not yet." })
    session = `${session}-again`
    await started()
    await spawn(taskUuid)
    await tell("SessionEnd", { reason: "crashed" })
    w.clock.advance(11 * MINUTE)
    await sweep()
    expect((await task(taskUuid)).status).toBe("open")
  })

  it("keeps the work of one that left in good order, and not that of its sub-agents, which are cut off", async () => {
    const [own, handedOn] = [await w.newTask(), await w.newTask()]
    await started()
    const [{ uuid: sessionUuid = "" } = {}] = await ours()
    await w.call(w.developer, "chorus_start_task", { taskUuid: own, sessionUuid })
    await spawn(handedOn)
    await tell("SessionEnd", { reason: "prompt_input_exit" })
    w.clock.advance(11 * MINUTE)
    await sweep()
    expect([(await task(own)).status, (await task(handedOn)).status]).toEqual(["in_progress", "open"])
  })
})

describe("a terminal that is cleared", () => {
  const cleared = async () => {
    await tell("SessionEnd", { reason: "clear" })
    session = `${session}-cleared`
    await tell("SessionStart", { source: "clear", ...PROCESS })
  }

  it("goes on with what runs in the background, which is heard, counted and handed in as ever", async () => {
    const taskUuid = await w.newTask()
    await started()
    await spawn(taskUuid)
    await returned("a1")
    await cleared()
    const [terminal, agent] = (await ours()).toSorted((one) => (one.parentUuid === null ? -1 : 1))
    expect(agent).toMatchObject({ name: "builder", status: "active", parentUuid: terminal?.uuid })
    for (let minutes = 0; minutes < 30; minutes += 9) {
      w.clock.advance(9 * MINUTE)
      await beat()
    }
    await sweep()
    const agent_id = "a1"
    const { systemMessage } = await tell("SubagentStop", {
      agent_id,
      agent_type: "general-purpose",
      last_assistant_message: "DONE: it is lit.",
    })
    expect(systemMessage).toContain("is handed in and waits for verification")
    expect(await task(taskUuid)).toMatchObject({ status: "to_verify" })
    await tell("Usage", { agent_id, usage: [{ ...NO_TOKENS, model: "m", inputTokens: 7 }] })
    const { total } = await w.call<OutputOf<typeof usage.getUsage>>(w.owner, "chorus_get_usage", { taskUuid })
    expect(total.inputTokens).toBe(7)
  })

  it("has done with whom it waited for, and takes nothing over from another program", async () => {
    const [own, strange] = [await w.newTask(), await w.newTask()]
    await started()
    await spawn(own, { run_in_background: false })
    const here = session
    session = `${here}-elsewhere`
    await tell("SessionStart", { source: "startup", machine: "studio", process: "18-4711" })
    await spawn(strange)
    await returned("b1")
    await tell("SessionEnd", { reason: "clear" })
    session = here
    await cleared()
    expect((await ours()).map(({ parentUuid }) => parentUuid)).toEqual([null])
    expect(await task(strange)).toMatchObject({ status: "in_progress" })
  })
})
