import type { HookOutput, OutputOf, sessions, tasks, usage } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { NOBODY } from "../../operation.ts"
import { readProgramRequest } from "./hook-program.ts"

const w = embeddedWorkspace()
let session: string
let count = 0
beforeEach(() => {
  session = `n-${++count}`
})

const tell = (hook_event_name: string, more: object = {}) =>
  w.call<HookOutput>(w.developer, "chorus_hook", {
    session_id: session,
    hook_event_name,
    cwd: "/home/ann/shop",
    ...more,
  })
const call = (id: string, prompt: string, more: object = {}) => ({
  tool_name: "Agent",
  tool_use_id: `toolu_${session}_${id}`,
  tool_input: { description: "builder", prompt, subagent_type: "general-purpose", ...more },
})
const spawn = async (id: string, taskUuid: string, more: object = {}) =>
  String(
    (await tell("PreToolUse", call(id, `Chorus task: ${taskUuid}`, more))).hookSpecificOutput?.updatedInput?.["prompt"],
  )
const stop = (id: string, prompt: string, words: string) =>
  tell("SubagentStop", {
    agent_id: `${session}-${id}`,
    agent_type: "general-purpose",
    last_assistant_message: words,
    transcript_head: { message: { role: "user", content: prompt } },
  })
const named = async (name: string) =>
  (
    await w.call<{ sessions: sessions.SessionRow[] }>(w.developer, "chorus_list_sessions", { pageSize: 100 })
  ).sessions.filter((row) => row.name === name)
const reopen = (taskUuid: string) => w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, reason: "not yet" })
const detail = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })

describe("a sub-agent that is spawned again by its name", () => {
  it("goes on under its old session when its task came back, also for another lead, and its earlier self is heard no more", async () => {
    const taskUuid = await w.newTask()
    const first = await spawn("1", taskUuid, { name: "mason" })
    await stop("1", first, "DONE: walls")
    const [before] = await named("mason")
    expect(before).toMatchObject({ status: "closed", lastWords: "DONE: walls" })
    await reopen(taskUuid)
    const earlier = session
    session = `${session}-later`
    const second = await spawn("2", taskUuid, { name: "mason" })
    const again = await named("mason")
    expect(again).toMatchObject([{ uuid: before?.uuid, status: "active", lastWords: null }])
    expect(again[0]?.parentUuid).not.toBe(before?.parentUuid)
    session = earlier
    await stop("1", first, "DONE: walls, told late")
    expect((await detail(taskUuid)).status).toBe("in_progress")
    session = `${earlier}-later`
    await stop("2", second, "DONE: straight walls")
    expect(await detail(taskUuid)).toMatchObject({ status: "to_verify", reports: { length: 2 } })
    expect(await named("mason")).toMatchObject([{ status: "closed", lastWords: "DONE: straight walls" }])
  })

  it("is told of no task where none was started for it, though its earlier self had handed one in", async () => {
    const taskUuid = await w.newTask()
    await stop("1", await spawn("1", taskUuid, { name: "mason" }), "DONE: walls")
    const second = await spawn("2", taskUuid, { name: "mason" })
    expect(second).toContain("Chorus did not start this task for you")
    await reopen(taskUuid)
    const { systemMessage } = await stop("2", second, "DONE: straight walls")
    expect(systemMessage ?? "").not.toContain("its report is stored")
    expect(await detail(taskUuid)).toMatchObject({ reports: { length: 1 } })
  })

  it("gets a session of its own while the other is at work, each another one, however many start at once", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => w.newTask()))
    const round = async (part: string) => {
      const prompts = await Promise.all(all.map((taskUuid, at) => spawn(`${part}${at}`, taskUuid, { name: "crew" })))
      await Promise.all(prompts.map((prompt, at) => stop(`${part}${at}`, prompt, `DONE ${part}${at}`)))
    }
    await round("a")
    expect(await named("crew")).toHaveLength(5)
    await Promise.all(all.map(reopen))
    await round("b")
    expect((await named("crew")).map(({ lastWords }) => lastWords).toSorted()).toEqual(
      all.map((_, at) => `DONE b${at}`),
    )
    for (const [at, taskUuid] of all.entries())
      expect((await detail(taskUuid)).reports.map(({ content }) => content).toSorted()).toEqual([
        `DONE a${at}`,
        `DONE b${at}`,
      ])
  })

  it("takes up a session that was opened for it by that name, unless somebody is at work in it", async () => {
    const open = () => w.call<{ uuid: string }>(w.developer, "chorus_create_session", { name: "scout" })
    const [busy, free] = [await open(), await open()]
    const theirs = await w.newTask()
    await w.call(w.developer, "chorus_session_checkin_task", { sessionUuid: busy.uuid, taskUuid: theirs })
    const taskUuid = await w.newTask()
    const prompt = await spawn("1", taskUuid, { name: "scout" })
    expect(prompt).toContain(`<chorus session="${free.uuid}">`)
    expect((await named("scout")).map(({ uuid }) => uuid).toSorted()).toEqual([busy.uuid, free.uuid].toSorted())
    await spawn("2", await w.newTask(), { name: "scout" })
    expect(await named("scout")).toHaveLength(3)
    await stop("1", prompt, "DONE: seen")
    expect((await detail(taskUuid)).status).toBe("to_verify")
    expect((await named("scout")).find(({ uuid }) => uuid === free.uuid)).toMatchObject({
      status: "closed",
      lastWords: "DONE: seen",
      source: "claude-code",
    })
  })

  it("goes on under the session of one that was lost, whose last words still count where they come late", async () => {
    const taskUuid = await w.newTask()
    const first = await spawn("1", taskUuid, { name: "tiler" })
    await tell("SessionEnd", { reason: "crashed" })
    const [before] = await named("tiler")
    expect(before).toMatchObject({ status: "closed", lastWords: null })
    await spawn("2", await w.newTask(), { name: "tiler" })
    expect(await named("tiler")).toMatchObject([{ uuid: before?.uuid, status: "active" }])
    for (const _ of ["told", "told twice"]) await stop("1", first, "DONE: tiles")
    expect(await detail(taskUuid)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE: tiles" }] })
    expect(await named("tiler")).toMatchObject([{ status: "active", lastWords: null }])
  })

  it("is not handed in by what a lost one says late, while it is at the same task itself", async () => {
    const taskUuid = await w.newTask()
    const first = await spawn("1", taskUuid, { name: "glazier" })
    await tell("SessionEnd", { reason: "crashed" })
    const second = await spawn("2", taskUuid, { name: "glazier" })
    expect((await stop("1", first, "DONE: half a window")).chorus).toMatchObject({ counts: true })
    expect(await detail(taskUuid)).toMatchObject({ status: "in_progress", reports: { length: 1 } })
    await stop("2", second, "DONE: a window")
    expect(await detail(taskUuid)).toMatchObject({ status: "to_verify", reports: { length: 2 } })
    expect(await named("glazier")).toHaveLength(1)
  })

  it("goes on under the session of one that nobody has heard from, and not of one whose program lives", async () => {
    const alive = { machine: "studio", process: "17-4711" }
    await tell("SessionStart", { source: "startup", ...alive })
    const theirs = await w.newTask()
    await spawn("1", theirs, { name: "joiner" })
    const earlier = session
    session = `${session}-later`
    const other = await w.newTask()
    await stop("2", await spawn("2", other, { name: "joiner" }), "DONE: a door")
    expect(await named("joiner")).toHaveLength(2)
    w.clock.advance(11 * 60_000)
    const chorus = { ...NOBODY, uuid: "chorus", name: "Chorus", workspaceUuid: w.workspaceUuid, projectUuids: null }
    await w.call(chorus, "chorus_return_lapsed_tasks")
    const [lost] = (await named("joiner")).filter(({ status }) => status === "inactive")
    expect(lost?.externalId).toContain(`:${earlier}/`)
    const prompts = [await spawn("3", await w.newTask(), { name: "joiner" })]
    prompts.push(await spawn("4", await w.newTask(), { name: "joiner" }))
    expect(prompts.some((prompt) => prompt.includes(`<chorus session="${lost?.uuid}"`))).toBe(true)
    expect(await named("joiner")).toHaveLength(2)
    expect((await detail(theirs)).status).toBe("open")
  })

  it("and has only a description goes on where its own lead started it, and nowhere else", async () => {
    const description = `builder of ${session}`
    const [one, two] = [await w.newTask(), await w.newTask()]
    await stop("1", await spawn("1", one, { description }), "DONE")
    await spawn("2", two, { description })
    expect(await named(description)).toHaveLength(1)
    session = `${session}-later`
    await spawn("3", await w.newTask(), { description })
    expect(await named(description)).toHaveLength(2)
  })

  it("is told of the session that it goes on under, and at its start of no other", async () => {
    const [one, two] = [await w.newTask(), await w.newTask()]
    await stop("1", await spawn("1", one), "DONE")
    w.clock.advance(10 * 60_000)
    await spawn("2", two)
    const before = (await named("builder")).length
    expect(await tell("SubagentStart", { agent_id: `${session}-2`, agent_type: "general-purpose" })).toEqual({})
    expect([(await named("builder")).length, await named("general-purpose")]).toEqual([before, []])
  })
})

describe("how a sub-agent was spawned", () => {
  const spawned = async () => (await named("builder")).find(({ externalId }) => externalId?.includes(`:${session}/`))

  it.each([
    ["foreground", { status: "completed", agentId: "a1", content: [{ type: "text", text: "Looked." }] }],
    ["background", { status: "async_launched", agentId: "a1" }],
  ])("is known to be in the %s by what its call returned, where the call did not say", async (how, response) => {
    await spawn("1", await w.newTask())
    expect((await spawned())?.spawn).toBeNull()
    await tell("PostToolUse", { ...call("1", "x"), tool_response: response })
    expect((await spawned())?.spawn).toBe(how)
  })
})

describe("what an agent used", () => {
  const spent = async (taskUuid: string) =>
    (await w.call<OutputOf<typeof usage.getUsage>>(w.owner, "chorus_get_usage", { taskUuid })).total
  const answer = (line: number, id: string, output: number, cached = 1000, model = "opus") => [
    `${line}:"model":"${model}`,
    `${line}:"id":"msg_${id}`,
    `${line}:"input_tokens":10`,
    `${line}:"cache_read_input_tokens":${cached}`,
    `${line}:"cache_creation_input_tokens":5`,
    `${line}:"output_tokens":${output}`,
    `${line}:"output_tokens":7777777`,
  ]
  const count = (...lines: string[][]) => {
    const told = { session_id: session, hook_event_name: "SubagentStop", agent_id: `${session}-1`, agent_type: "x" }
    const body = [JSON.stringify(told), ...lines.flat()].join("\n")
    return w.call(w.developer, "chorus_hook", readProgramRequest(body, { used: "1" }).event)
  }

  it("is read from its transcript and spent on its task, cache reads and all, each answer once", async () => {
    const taskUuid = await w.newTask()
    await stop("1", await spawn("1", taskUuid), "DONE")
    await count(answer(3, "a", 1), answer(4, "a", 30), answer(6, "b", 5))
    const sum = { inputTokens: 20, outputTokens: 35, cacheReadTokens: 2000, cacheCreationTokens: 10, totalTokens: 2065 }
    expect(await spent(taskUuid)).toMatchObject(sum)
    await count(answer(3, "a", 1), answer(4, "a", 30), answer(6, "b", 5))
    expect(await spent(taskUuid)).toMatchObject(sum)
    await count(answer(4, "a", 30), answer(6, "b", 5), answer(9, "c", 2, 0, "haiku"))
    expect(await spent(taskUuid)).toMatchObject({ inputTokens: 30, outputTokens: 37, cacheReadTokens: 2000 })
  })

  it("is spent on its own task though another of its name has its session by then", async () => {
    const [one, two] = [await w.newTask(), await w.newTask()]
    await stop("1", await spawn("1", one), "DONE")
    await stop("2", await spawn("2", two), "DONE")
    await spawn("3", await w.newTask())
    await count(answer(3, "a", 30))
    expect([(await spent(one)).outputTokens, (await spent(two)).outputTokens]).toEqual([30, 0])
  })

  it("before it was lost is spent on its task: whoever settles that is told which transcripts to read", async () => {
    const [one, two] = [await w.newTask(), await w.newTask()]
    const [prompt, ended] = [await spawn("1", one), await spawn("2", two)]
    await stop("2", ended, "DONE")
    w.clock.advance(1000)
    const mark = /session="([^"]+)"/.exec(prompt)?.[1]
    expect((await tell("SessionEnd", { reason: "crashed" })).chorus).toMatchObject({ lost: [mark] })
    const event = { session_id: session, hook_event_name: "SessionEnd", reason: "crashed" }
    const head = { message: { role: "user", content: prompt } }
    const body = [event, head]
      .map((line) => JSON.stringify(line))
      .concat(answer(3, "a", 30))
      .join("\n")
    for (const _ of ["told", "told twice"])
      await w.call(w.developer, "chorus_hook", readProgramRequest(body, { used: "1", agent: `${session}-1` }).event)
    expect(await spent(one)).toMatchObject({ inputTokens: 10, outputTokens: 30, cacheReadTokens: 1000 })
    expect(await spent(two)).toMatchObject({ totalTokens: 0 })
  })

  it("in the turn in which a session hands its own task in is spent on that, and in later ones no more", async () => {
    await tell("SessionStart", { source: "startup" })
    const [main] = (
      await w.call<{ sessions: sessions.SessionRow[] }>(w.developer, "chorus_list_sessions", { pageSize: 100 })
    ).sessions.filter(({ externalId }) => externalId === `claude-code:${session}`)
    const taskUuid = await w.newTask()
    const own = { taskUuid, sessionUuid: main?.uuid }
    expect((await tell("Stop")).chorus?.counts).toBeUndefined()
    await w.call(w.developer, "chorus_start_task", own)
    await w.call(w.developer, "chorus_finish_task", { ...own, report: "DONE" })
    expect((await tell("Stop")).chorus).toMatchObject({ counts: true })
    w.clock.advance(1000)
    const figures = [JSON.stringify({ session_id: session, hook_event_name: "Stop" }), ...answer(3, "a", 30)].join("\n")
    await w.call(w.developer, "chorus_hook", readProgramRequest(figures, { used: "1" }).event)
    expect(await spent(taskUuid)).toMatchObject({ outputTokens: 30 })
    expect((await tell("Stop")).chorus?.counts).toBeUndefined()
  })

  it("of which nothing can be read is nothing", async () => {
    await count(["nonsense"], ['1:"model":"opus'], [""])
    expect((await spent(await w.newTask())).totalTokens).toBe(0)
  })
})
