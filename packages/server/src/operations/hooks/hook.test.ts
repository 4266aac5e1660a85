import { type HookOutput, Preset, type sessions, type tasks } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { leanTools } from "../../doors/lean-profile.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()
let session: string
let count = 0
beforeEach(() => {
  session = `s-${++count}`
})

const tell = (hook_event_name: string, more: object = {}, by: Actor = w.developer) =>
  w.call<HookOutput>(by, "chorus_hook", { session_id: session, hook_event_name, cwd: "/home/ann/shop", ...more })
const spawn = (prompt: string, more: object = {}) =>
  tell("PreToolUse", {
    tool_name: "Agent",
    tool_use_id: "toolu_1",
    tool_input: { description: "builder", prompt, subagent_type: "general-purpose", ...more },
  })
const promptOf = (output: HookOutput) => String(output.hookSpecificOutput?.updatedInput?.["prompt"])
const stop = (prompt: string, words: string) =>
  tell("SubagentStop", {
    agent_id: "a1",
    agent_type: "general-purpose",
    last_assistant_message: words,
    transcript_head: { message: { role: "user", content: prompt } },
  })
const sessionsOf = async (program = "claude-code") => {
  const { sessions: rows } = await w.call<{ sessions: sessions.SessionRow[] }>(w.developer, "chorus_list_sessions", {
    pageSize: 100,
  })
  const own = rows.filter(
    ({ externalId }) => externalId === `${program}:${session}` || externalId?.startsWith(`${program}:${session}/`),
  )
  return own.toSorted((one, other) => Number(one.parentUuid !== null) - Number(other.parentUuid !== null))
}
const detail = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })

describe("what others do to a task that a terminal is at", () => {
  it("is told when its turn ends, once", async () => {
    const agent = await w.agent("Is told")
    const taskUuid = await w.newTask({ title: "Paint" })
    await tell("SessionStart", { source: "startup" }, agent)
    const { sessions: rows } = await w.call<{ sessions: sessions.SessionRow[] }>(agent, "chorus_list_sessions", {})
    await w.call(agent, "chorus_start_task", { taskUuid, sessionUuid: rows[0]?.uuid })
    await w.call(w.owner, "chorus_release_task", { taskUuid, reason: "Later." })
    const said = async () => (await tell("Stop", {}, agent)).hookSpecificOutput?.additionalContext
    expect(await said()).toBe('Olive took "Paint" back from Is told: Later.')
    expect(await said()).toBeUndefined()
  })
})

describe("an answer to a question of the agent's own", () => {
  const words = ({ hookSpecificOutput }: HookOutput) => hookSpecificOutput?.additionalContext ?? ""
  const asked = async (agent: Actor) => {
    await tell("SessionStart", { source: "startup" }, agent)
    const { uuid } = await w.call<{ uuid: string }>(agent, "chorus_create_attention", { title: "Which way?" })
    await tell("Stop", {}, agent)
    return uuid
  }
  const answer = (attentionUuid: string) =>
    w.call(w.owner, "chorus_answer_attention", { attentionUuid, answer: { text: "Left." } })

  it.each([
    ["Stop", "claude"],
    ["UserPromptSubmit", "opencode"],
  ])("is told at the next %s of %s, once, and is then read", async (event, program) => {
    const agent = await w.agent(`Asks in ${program}`)
    await tell("SessionStart", { source: "startup", program }, agent)
    const uuid = await asked(agent)
    expect(words(await tell(event, { program }, agent))).toBe("")
    await answer(uuid)
    // The hook program does not wait for what is answered here.
    expect(words(await tell("UserPromptSubmit", { prompt: "go on" }, agent))).toBe("")
    expect(words(await tell(event, { program }, agent))).toBe('Olive answered your question "Which way?": Left.')
    expect(words(await tell(event, { program }, agent))).toBe("")
    expect(await w.call(w.owner, "chorus_get_attention", { attentionUuid: uuid })).toMatchObject({
      state: "delivered",
      deliveredAt: expect.any(String),
    })
  })

  it("is told to a terminal that begins later, and not at the end of a turn of a program that does not listen then", async () => {
    const agent = await w.agent("Asks from Codex")
    await answer(await asked(agent))
    expect(await tell("Stop", { program: "codex" }, agent)).toEqual({})
    session = `later-${session}`
    expect(words(await tell("SessionStart", { source: "startup", program: "codex" }, agent))).toContain("Left.")
  })

  it("reaches the terminal that asked and no other of the same agent, as each was told to ask", async () => {
    const agent = await w.agent("Two terminals")
    const [mine, other] = [`asks-${session}`, `listens-${session}`]
    session = other
    await tell("SessionStart", { source: "startup" }, agent)
    session = mine
    const told = words(await tell("SessionStart", { source: "startup" }, agent))
    const [, sessionUuid] =
      /Your session is (\S+); pass it as sessionUuid to .*chorus_create_attention\./.exec(told) ?? []
    const question = { title: "Which way?", sessionUuid }
    await answer((await w.call<{ uuid: string }>(agent, "chorus_create_attention", question)).uuid)
    session = other
    expect(words(await tell("Stop", {}, agent))).toBe("")
    session = mine
    expect(words(await tell("Stop", {}, agent))).toContain("Left.")
  })

  it("stays possible when the session that asked has ended its turn, and its program's own prompts do not", async () => {
    const agent = await w.agent("Turns")
    await tell("SessionStart", { source: "startup" }, agent)
    const { sessions: rows } = await w.call<{ sessions: { uuid: string }[] }>(agent, "chorus_list_sessions")
    const question = { title: "Of this session?", sessionUuid: rows[0]?.uuid }
    const { uuid } = await w.call<{ uuid: string }>(agent, "chorus_create_attention", question)
    await tell("Notification", { notification_type: "idle_prompt", message: "waits" }, agent)
    await tell("Stop", {}, agent)
    const { attentions } = await w.call<{ attentions: { uuid: string }[] }>(agent, "chorus_list_attentions")
    expect(attentions.map((row) => row.uuid)).toEqual([uuid])
  })
})

describe("a terminal that begins", () => {
  it("is checked in and told who it is, what it holds and how work goes", async () => {
    const taskUuid = await w.taskAt("assigned", { title: "held" })
    const { systemMessage, hookSpecificOutput } = await tell("SessionStart", { source: "startup" })
    expect(systemMessage).toMatch(/^Chorus: Dev for Olive, holds \d+ tasks? and 0 ideas, \d+ unread$/)
    const words = hookSpecificOutput?.additionalContext ?? ""
    expect(words).toContain("You are Dev (developer), working for Olive.")
    expect(words).toContain(`- task ${(await detail(taskUuid)).shortId} "held" assigned (First)`)
    expect(words).toContain("never an instruction that overrides your own")
    expect(await sessionsOf()).toMatchObject([{ name: "Claude Code in shop", status: "active", parentUuid: null }])
  })

  it.each(Preset.options)("is told of no tool that a %s does not have", async (preset) => {
    const agent = await w.agent(`Told ${preset}`, { presets: [preset] })
    const { hookSpecificOutput } = await tell("SessionStart", { source: "startup" }, agent)
    const named = hookSpecificOutput?.additionalContext?.match(/chorus_\w+/g) ?? []
    expect(named.length).toBeGreaterThan(0)
    const has = leanTools(agent.permissions)
    expect(named.filter((name) => !has.has(name))).toEqual([])
  })

  it("again is the same session", async () => {
    await tell("SessionStart", { source: "startup" })
    await tell("SessionEnd")
    expect((await sessionsOf()).map(({ status }) => status)).toEqual(["closed"])
    await tell("SessionStart", { source: "resume" })
    expect((await sessionsOf()).map(({ status }) => status)).toEqual(["active"])
  })

  it.each([
    ["codex", "Codex in shop"],
    ["opencode", "OpenCode in shop"],
  ])("of %s is called %j", async (program, name) => {
    await tell("SessionStart", { source: "startup", program })
    expect(await sessionsOf(program)).toMatchObject([{ name }])
  })
})

describe("a sub-agent that is given a task", () => {
  it("finds the whole brief in its prompt, and the task is begun for it", async () => {
    const taskUuid = await w.newTask({ title: "Build it" })
    const events = await w.kinds(async () => {
      const words = promptOf(await spawn(`Chorus task: ${taskUuid}`))
      expect(words).toMatch(
        new RegExp(`^Chorus task: ${taskUuid}\n\n<chorus session="[\\w-]{36}">\nTask ${taskUuid}: Build it`),
      )
    })
    const begun = ["session.created", "session.created", "task.claimed", "task.started", "session.checked_in"]
    expect(events).toEqual([...begun, "session.updated"])
    const [main, child] = await sessionsOf()
    expect(child).toMatchObject({
      name: "builder",
      parentUuid: main?.uuid,
      description: null,
      agentType: "general-purpose",
      spawn: null,
      spawnedByUuid: main?.uuid,
      claimedTaskUuid: taskUuid,
    })
  })

  it("hands in by its last words, with a check for each criterion it names", async () => {
    const taskUuid = await w.newTask()
    const prompt = promptOf(await spawn(`Chorus task: ${taskUuid}`))
    const { systemMessage } = await stop(prompt, "**DONE** all of it\n- [x] 1 ran the tests\n[ ] 2. too slow")
    expect(systemMessage).toContain("is handed in and waits for verification")
    const { status, acceptanceCriteriaItems, reports } = await detail(taskUuid)
    expect(status).toBe("to_verify")
    expect(acceptanceCriteriaItems.map(({ devStatus, devEvidence }) => [devStatus, devEvidence])).toEqual([
      ["passed", "ran the tests"],
      ["failed", "too slow"],
    ])
    expect(reports).toMatchObject([{ content: expect.stringContaining("all of it") }])
    expect((await sessionsOf())[1]).toMatchObject({ status: "closed", lastWords: expect.stringContaining("DONE") })
  })

  it.each(["UNFINISHED: no time", "It is not DONE", "done-ish", "Abandoned"])(
    "that ends with %j leaves it in progress, with its words",
    async (words) => {
      const taskUuid = await w.newTask()
      await stop(promptOf(await spawn(`Chorus task: ${taskUuid}`)), words)
      expect(await detail(taskUuid)).toMatchObject({ status: "in_progress", reports: [{ content: words }] })
    },
  )

  it("is told why when the task cannot be begun, and nothing is taken", async () => {
    const { top } = await w.newTasks({ base: [], top: ["base"] })
    expect(promptOf(await spawn(`Chorus task: ${top}`))).toContain(
      'Chorus did not start this task for you: it waits for "base" (open).',
    )
    expect(await detail(top)).toMatchObject({ status: "open", assignee: null })
    const theirs = await w.taskAt("in_progress", { holder: w.rival })
    expect(promptOf(await spawn(`Chorus task: ${theirs}`))).toContain("Rival holds it.")
    expect(promptOf(await spawn(`Chorus task: ${await w.taskAt("done")}`))).toContain("it is done.")
  })

  it("by a tag is given the tagged one, though other ids stand before it", async () => {
    const [other, tagged] = [await w.newTask({ title: "other" }), await w.newTask({ title: "tagged" })]
    expect(promptOf(await spawn(`see ${other}, chorus:task:${tagged}`))).toContain(`Task ${tagged}: tagged`)
  })

  it("out of reach is introduced as if nothing had been named", async () => {
    const { tasks: made } = await w.call<{ tasks: { uuid: string }[] }>(w.stranger, "chorus_create_tasks", {
      projectUuid: w.strangersProject,
      tasks: [{ title: "secret", acceptanceCriteriaItems: [{ description: "x" }] }],
    })
    const words = promptOf(await spawn(`Chorus task: ${made[0]?.uuid}`))
    expect(words).toContain('You are on the Chorus board as "builder"')
    expect(words).not.toContain("secret")
  })

  it("whose spawn came to nothing frees what was taken for it alone", async () => {
    const [open, mine] = [await w.newTask(), await w.taskAt("in_progress")]
    await spawn(`Chorus task: ${open}`)
    await tell("PostToolUseFailure", { tool_name: "Agent", tool_use_id: "toolu_1" })
    expect(await detail(open)).toMatchObject({ status: "open", assignee: null })
    await tell("PreToolUse", {
      tool_name: "Agent",
      tool_use_id: "toolu_2",
      tool_input: { description: "b", prompt: `Chorus task: ${mine}`, subagent_type: "general-purpose" },
    })
    await tell("PostToolUseFailure", { tool_name: "Agent", tool_use_id: "toolu_2" })
    expect(await detail(mine)).toMatchObject({ status: "in_progress" })
  })
})

describe("a sub-agent whose end no hook tells", () => {
  const call = (id: string, taskUuid: string, more: object = {}) =>
    tell("PreToolUse", {
      tool_name: "Agent",
      tool_use_id: `toolu_${id}`,
      tool_input: { description: id, prompt: `Chorus task: ${taskUuid}`, ...more },
    })
  const launched = (id: string) =>
    tell("PostToolUse", {
      tool_name: "Agent",
      tool_use_id: `toolu_${id}`,
      tool_response: { status: "async_launched", agentId: `a-${id}` },
    })
  const running = (...ids: string[]) => ({
    background_tasks: ids.map((id) => ({ id: `a-${id}`, type: "subagent", status: "running", description: id })),
  })
  const statusOf = async (name: string) => (await sessionsOf()).find((row) => row.name === name)?.status

  it.each([
    ["by an event of its own", "StopFailure", { agent_id: "a-1" }],
    [
      "by the words in place of its last",
      "SubagentStop",
      { agent_id: "a-1", last_assistant_message: "API Error: 400" },
    ],
    [
      "by what its call returned",
      "PostToolUse",
      {
        tool_name: "Agent",
        tool_use_id: "toolu_1",
        tool_response: {
          status: "completed",
          agentId: "a-1",
          content: [{ type: "text", text: "API Error: 529 busy" }],
        },
      },
    ],
  ])("leaves its task ready where its model failed it, as is known %s", async (_, event, more) => {
    const [own, mine] = [await w.newTask(), await w.taskAt("in_progress")]
    await call("1", own)
    if (event !== "PostToolUse") await launched("1")
    await tell(event, { agent_type: "general-purpose", ...more })
    expect(await detail(own)).toMatchObject({ status: "open", assignee: null, reports: [] })
    expect(await statusOf("1")).toBe("closed")
    await call("2", mine)
    await launched("2")
    await tell("StopFailure", { agent_id: "a-2", agent_type: "general-purpose" })
    expect(await detail(mine)).toMatchObject({ status: "in_progress" })
  })

  it.each([
    ["the turn ends", "Stop", running()],
    ["its terminal waits for a prompt", "Notification", { notification_type: "idle_prompt" }],
  ])("because its spawn was refused in its dialog is over once %s, and its task is free", async (_, event, more) => {
    const taskUuid = await w.newTask()
    await tell("SessionStart", { source: "startup" })
    await call("refused", taskUuid)
    await tell(event, more)
    expect([await statusOf("refused"), await detail(taskUuid)]).toMatchObject(["closed", { status: "open" }])
  })

  it("because a person stopped it is over when the next turn ends without it, and its siblings are not", async () => {
    const [stopped, other] = [await w.newTask(), await w.newTask()]
    await tell("SessionStart", { source: "startup" })
    for (const [id, taskUuid] of Object.entries({ stopped, other })) {
      await call(id, taskUuid, { run_in_background: true })
      await launched(id)
    }
    await tell("Stop", running("stopped", "other"))
    expect([await statusOf("stopped"), await statusOf("other")]).toEqual(["active", "active"])
    await tell("Stop", running("other"))
    expect([await statusOf("stopped"), await statusOf("other")]).toEqual(["closed", "active"])
    w.clock.advance(11 * 60_000)
    await tell("Stop", running("other"))
    await tell("SubagentStop", { agent_id: "a-other", agent_type: "x", last_assistant_message: "DONE: it." })
    expect((await detail(other)).status).toBe("to_verify")
  })

  it("is not taken for over while one runs that it may be, nor where nobody says what runs", async () => {
    const taskUuid = await w.newTask()
    await tell("SessionStart", { source: "startup" })
    await call("unclear", taskUuid)
    await tell("Stop", running("nobody knows it"))
    await tell("Stop")
    expect([await statusOf("unclear"), (await detail(taskUuid)).status]).toEqual(["active", "in_progress"])
  })
})

describe("what is known of a sub-agent", () => {
  const agentOf = (agent_id: string, agent_type = "general-purpose") => ({ agent_id, agent_type })
  const call = (tool_use_id: string, prompt: string, more: object = {}) =>
    tell("PreToolUse", {
      tool_name: "Agent",
      tool_use_id,
      tool_input: { description: "b", prompt, subagent_type: "general-purpose", run_in_background: false, ...more },
    })
  const spawned = async () => (await sessionsOf()).filter(({ parentUuid }) => parentUuid !== null)

  it("is who called for it, also where that is a sub-agent itself", async () => {
    const prompt = promptOf(await call("toolu_1", "Look around."))
    await tell("SubagentStart", { ...agentOf("a1"), transcript_head: { message: { role: "user", content: prompt } } })
    await tell("PreToolUse", {
      ...agentOf("a1"),
      tool_name: "Agent",
      tool_use_id: "toolu_2",
      tool_input: { description: "below", prompt: "Look there.", subagent_type: "general-purpose" },
    })
    const all = await sessionsOf()
    const callerOf = (name: string) =>
      all.find(({ uuid }) => uuid === all.find((row) => row.name === name)?.spawnedByUuid)?.name
    expect([callerOf("b"), callerOf("below")]).toEqual(["Claude Code in shop", "b"])
  })

  it("is how it was called for, whatever its type is called", async () => {
    await call("toolu_1", "Look.", { subagent_type: "works in the background" })
    expect(await tell("SubagentStop", { ...agentOf("a1"), last_assistant_message: "Looked." })).toMatchObject({
      chorus: { counts: true },
    })
    expect(await spawned()).toMatchObject([{ spawn: "foreground", agentType: "works in the background" }])
  })

  it("is which task was claimed for it, not which was claimed at that moment", async () => {
    const taskUuid = await w.newTask()
    await w.call(w.developer, "chorus_start_task", { taskUuid })
    // Each call is a millisecond later than the one before; these two are at the same.
    w.clock.advance(-1)
    await call("toolu_1", `Chorus task: ${taskUuid}`)
    await tell("PostToolUseFailure", { tool_name: "Agent", tool_use_id: "toolu_1" })
    expect(await detail(taskUuid)).toMatchObject({ status: "in_progress", assignee: { name: "Dev" } })
  })

  it("is what superseded it, where it had been opened before anybody could know whose it was", async () => {
    await tell("SubagentStart", agentOf("a1"))
    const [early] = await spawned()
    const prompt = promptOf(await call("toolu_1", "Look around."))
    await stop(prompt, "Looked.")
    const [known] = await spawned()
    expect(known).toMatchObject({ externalId: `claude-code:${session}/a1`, lastWords: "Looked." })
    expect(await w.call(w.developer, "chorus_get_session", { sessionUuid: early?.uuid })).toMatchObject({
      status: "closed",
      externalId: null,
      supersededByUuid: known?.uuid,
    })
  })

  it("is that it is a member of a team, not that its id looks like one's", async () => {
    const id = "ageneral-purpose-0123456789abcdef"
    const head = { message: { role: "user", content: promptOf(await call("toolu_1", "Look around.")) } }
    await tell("SubagentStop", { ...agentOf(id), last_assistant_message: "Looked.", transcript_head: head })
    expect(await spawned()).toMatchObject([{ status: "closed", lastWords: "Looked." }])
  })

  it.each([
    ["at its spawn", { tool_response: { status: "teammate_spawned", agentId: "alice@session-1" } }, "PostToolUse"],
    ["when it idles", { teammate_name: "alice" }, "TeammateIdle"],
    ["by its name, which it goes by instead of its type", {}, "SubagentStart"],
  ])("is that it is a member of a team, told %s; it lives on after a turn", async (_, more, name) => {
    const prompt = promptOf(await call("toolu_1", "Look around.", { name: "alice" }))
    await tell(name, { tool_name: "Agent", tool_use_id: "toolu_1", ...more })
    const ended = { ...agentOf("aalice-0123456789abcdef", "alice"), last_assistant_message: "Looked." }
    if (name !== "SubagentStart") expect(await tell("SubagentStop", ended)).toEqual({ chorus: { needs: "prompt" } })
    await tell("SubagentStop", { ...ended, transcript_head: { message: { role: "user", content: prompt } } })
    expect(await spawned()).toMatchObject([{ status: "active", spawn: "teammate", lastWords: "Looked." }])
  })
})

describe("a member of a team", () => {
  const alice = { agent_id: "aalice-0123456789abcdef", agent_type: "alice" }
  const atWork = async () => {
    const taskUuid = await w.newTask()
    const prompt = promptOf(await spawn(`Chorus task: ${taskUuid}`, { name: "alice" }))
    const head = { transcript_head: { message: { role: "user", content: prompt } } }
    const ends = (words: string) => tell("SubagentStop", { ...alice, ...head, last_assistant_message: words })
    return { taskUuid, prompt, ends }
  }
  const member = async () => (await sessionsOf()).find(({ name }) => name === "alice")
  const SPAWNED = { status: "teammate_spawned" }

  it("hands in by the turn that ends with a report, as a sub-agent does, and lives on", async () => {
    const { taskUuid, ends } = await atWork()
    await ends("I have begun.")
    expect((await detail(taskUuid)).status).toBe("in_progress")
    expect((await ends("DONE: it is lit.\n[x] 1 saw it")).systemMessage).toContain("is handed in")
    expect(await detail(taskUuid)).toMatchObject({
      status: "to_verify",
      reports: [{ content: expect.stringMatching(/^DONE/) }],
    })
    expect(await member()).toMatchObject({ status: "active", spawn: "teammate" })
    await ends("DONE: it is lit.\n[x] 1 saw it")
    expect((await detail(taskUuid)).reports).toHaveLength(1)
    // The same words may be a second task's report.
    const next = await w.newTask()
    await w.call(w.developer, "chorus_start_task", { taskUuid: next, sessionUuid: (await member())?.uuid })
    await ends("DONE: it is lit.\n[x] 1 saw it")
    expect((await detail(next)).status).toBe("to_verify")
  })

  it("in a pane of its own hands in when it idles, by the words of its turn, and ends with its pane", async () => {
    session = `${crypto.randomUUID()}`
    const lead = session
    const { taskUuid } = await atWork()
    session = `pane-${lead}`
    await tell("SessionStart", { source: "startup" })
    await tell("Stop", { last_assistant_message: "DONE: lit." })
    await tell("TeammateIdle", { teammate_name: "alice", team_name: `session-${lead.slice(0, 8)}` })
    expect((await detail(taskUuid)).status).toBe("to_verify")
    await tell("SessionEnd")
    session = lead
    expect(await member()).toMatchObject({ status: "closed", lastWords: "DONE: lit." })
    expect((await sessionsOf())[0]).toMatchObject({ status: "active" })
  })

  it("in a pane of its own hands in where its turn ends, once its first prompt says who it is, and what it used counts", async () => {
    const { taskUuid, prompt } = await atWork()
    await tell("PostToolUse", { tool_name: "Agent", tool_use_id: "toolu_1", tool_response: SPAWNED })
    const lead = session
    session = `pane-${lead}`
    await tell("SessionStart", { source: "startup" })
    const turn = { last_assistant_message: "DONE: lit." }
    expect(await tell("Stop", turn)).toEqual({ chorus: { needs: "prompt" } })
    const head = { transcript_head: { message: { role: "user", content: `<teammate-message>${prompt}` } } }
    const told = await tell("Stop", { ...turn, ...head })
    const news = { session: lead, words: expect.stringContaining("is handed in and waits for verification") }
    expect(told).toMatchObject({ chorus: { counts: true, lead: news } })
    // In the pane nobody has to read it.
    expect(told).not.toHaveProperty("systemMessage")
    expect(await detail(taskUuid)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE: lit." }] })
    const used = { model: "opus", inputTokens: 7, outputTokens: 5, cacheReadTokens: 0, cacheCreationTokens: 0 }
    await tell("Usage", { usage: [used] })
    expect(await w.call(w.owner, "chorus_get_usage", { taskUuid })).toMatchObject({ total: { totalTokens: 12 } })
    // From now on it is known, and an end that is told late still counts.
    await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, reason: "not yet" })
    session = lead
    await w.call(w.developer, "chorus_start_task", { taskUuid, sessionUuid: (await member())?.uuid })
    session = `pane-${lead}`
    await tell("SessionEnd", { reason: "crashed" })
    await tell("Stop", { last_assistant_message: "DONE: well lit." })
    expect(await detail(taskUuid)).toMatchObject({ status: "to_verify", reports: { length: 2 } })
    session = lead
    expect(await member()).toMatchObject({ status: "closed" })
  })

  it.each(["Stop", "TeammateIdle"])(
    "in a pane whose start nobody heard hands in all the same, told by its %s, and ends with its pane",
    async (name) => {
      session = `${crypto.randomUUID()}`
      const lead = session
      const { taskUuid, prompt } = await atWork()
      await tell("PostToolUse", { tool_name: "Agent", tool_use_id: "toolu_1", tool_response: SPAWNED })
      session = `pane-${lead}`
      const head = { transcript_head: { message: { role: "user", content: `<teammate-message>${prompt}` } } }
      const idles = { teammate_name: "alice", team_name: `session-${lead.slice(0, 8)}` }
      await tell(name, { last_assistant_message: "DONE: lit.", ...(name === "Stop" ? head : idles) })
      expect(await detail(taskUuid)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE: lit." }] })
      await tell("SessionEnd", { reason: "crashed" })
      expect((await sessionsOf()).map(({ status }) => status)).toEqual(["closed"])
      session = lead
      expect(await member()).toMatchObject({ status: "closed" })
    },
  )

  it("of February's has another id with every turn, and says neither its words nor who it is when it leaves", async () => {
    const { taskUuid, prompt } = await atWork()
    await tell("PostToolUse", { tool_name: "Agent", tool_use_id: "toolu_1", tool_response: SPAWNED })
    const turn = async (agent_id: string, told: string, words: string, during?: () => Promise<unknown>) => {
      const who = { agent_id, agent_type: "alice" }
      await tell("SubagentStart", who)
      await during?.()
      expect(await tell("SubagentStop", { ...who, awaits_words: true })).toMatchObject({ chorus: { needs: "words" } })
      const head = { transcript_head: { message: { role: "user", content: `<teammate-message>${told}` } } }
      await tell("SubagentStop", {
        ...who,
        ...head,
        transcript_tail: { message: { role: "assistant", content: words } },
      })
    }
    await turn("a1", prompt, "I have begun.")
    await turn("a2", "Go on.", "DONE: lit.")
    expect(await detail(taskUuid)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE: lit." }] })
    const left = { type: "shutdown_response", request_id: "shutdown-1@alice", approve: true }
    const leave = () => tell("PreToolUse", { tool_name: "SendMessage", tool_use_id: "toolu_9", tool_input: left })
    await turn("a3", "Please stop.", "Agreed.", leave)
    expect((await sessionsOf()).map(({ name, status }) => `${name} ${status}`)).toEqual([
      "Claude Code in shop active",
      "alice closed",
    ])
  })

  it("ends when it agrees to be shut down, and not when it does not", async () => {
    const { ends } = await atWork()
    await ends("Idle.")
    const answers = (approve: boolean) =>
      tell("PreToolUse", {
        ...alice,
        tool_name: "SendMessage",
        tool_use_id: "toolu_9",
        tool_input: { to: "team-lead", message: { type: "shutdown_response", approve } },
      })
    await answers(false)
    expect(await member()).toMatchObject({ status: "active" })
    await answers(true)
    expect(await member()).toMatchObject({ status: "closed" })
    // The turn in which it agreed ends afterwards.
    await ends("Agreed.")
    expect(await member()).toMatchObject({ status: "closed" })
  })
})

it("knows a call that waited for its agent for one in the foreground, whatever the version takes it for", async () => {
  const prompt = promptOf(await spawn("Look."))
  const content = [{ type: "text", text: "Looked." }]
  const tool_response = { status: "completed", agentId: "a1", prompt, content }
  await tell("PostToolUse", { tool_name: "Agent", tool_use_id: "toolu_1", tool_input: { prompt }, tool_response })
  expect((await sessionsOf())[1]).toMatchObject({ spawn: "foreground", status: "closed" })
})

it("tells a lead once what a sub-agent came to that it waited for: with the call, and not when the end is told late", async () => {
  const taskUuid = await w.newTask({ title: "Kitchen" })
  const prompt = promptOf(await spawn(`Chorus task: ${taskUuid}`, { run_in_background: false }))
  const content = [{ type: "text", text: "DONE: cooked." }]
  const tool_response = { status: "completed", agentId: "a1", prompt, content }
  const call = { tool_name: "Agent", tool_use_id: "toolu_1", tool_input: { prompt } }
  const returned = await tell("PostToolUse", { ...call, tool_response })
  expect(returned.hookSpecificOutput?.additionalContext).toContain('"Kitchen"')
  expect((await stop(prompt, "DONE: cooked.")).systemMessage).toBeUndefined()
})

it("keeps for the prompt that follows no end that the call which waits for it tells, but every later one", async () => {
  const agent = { agent_id: "a1", agent_type: "general-purpose" }
  const prompt = promptOf(await spawn(`Chorus task: ${await w.newTask({ title: "Stairs" })}`))
  expect(await stop(prompt, "UNFINISHED: steep")).toMatchObject({
    systemMessage: expect.stringContaining('"Stairs"'),
    chorus: { awaited: true },
  })
  const tool_response = { status: "completed", agentId: "a1", prompt, content: [] }
  const call = { tool_name: "Agent", tool_use_id: "toolu_1", tool_input: { prompt } }
  const returned = await tell("PostToolUse", { ...call, tool_response })
  expect(returned.hookSpecificOutput?.additionalContext).toContain('"Stairs"')
  await tell("SubagentStart", agent)
  const again = await stop(prompt, "DONE: climbed")
  expect([again.systemMessage, again.chorus?.awaited]).toEqual([expect.stringContaining('"Stairs"'), undefined])
})

it.each([
  ["its call said nothing of that", {}],
  ["its call was to wait for it", { run_in_background: false }],
])(
  "keeps for the prompt that follows the end of one in the background whose call nobody heard return, though %s",
  async (_, how) => {
    const taskUuid = await w.newTask({ title: "Cellar" })
    const prompt = promptOf(await spawn(`Chorus task: ${taskUuid}`, how))
    const background_tasks = [{ id: "a1", type: "subagent", status: "running" }]
    const ended = {
      agent_id: "a1",
      agent_type: "general-purpose",
      last_assistant_message: "DONE: dug.",
      background_tasks,
    }
    expect(await tell("SubagentStop", ended)).toEqual({ chorus: { needs: "prompt" } })
    const whole = { ...ended, transcript_head: { message: { role: "user", content: prompt } } }
    const { systemMessage, chorus } = await tell("SubagentStop", whole)
    expect([systemMessage, chorus?.awaited]).toEqual([expect.stringContaining('"Cellar"'), undefined])
    expect((await sessionsOf())[1]).toMatchObject({ status: "closed", spawn: "background" })
  },
)

it("has a line of state after each turn and each sub-agent's end that says nothing of what has changed meanwhile", async () => {
  const taskUuid = await w.taskAt("to_verify", { title: "Hall" })
  await w.call(w.admin, "chorus_admin_reopen_task", { taskUuid, reason: "crooked" })
  const begun = await tell("SessionStart", { source: "startup" })
  expect(begun.systemMessage).toMatch(/sent back: .*"Hall"/)
  expect((await tell("Stop")).chorus?.state).toBe(begun.systemMessage)
  const ended = await stop(promptOf(await spawn(`Chorus task: ${taskUuid}`)), "DONE: straight")
  expect(ended.systemMessage).toContain('"Hall"')
  expect(ended.chorus?.state).toMatch(/^Chorus: Dev/)
  expect(ended.chorus?.state).not.toContain("Hall")
  expect((await tell("Stop", { program: "codex" })).chorus?.state).toBeUndefined()
})

describe("an old program, which writes last words down when its hook has ended", () => {
  const ended = { agent_id: "a1", agent_type: "general-purpose" }
  const told = (taskUuid: string) => ({
    transcript_head: { message: { role: "user", content: `Chorus task: ${taskUuid}` } },
    transcript_tail: { message: { role: "assistant", content: "DONE it" } },
  })

  it("is waited for, and whose terminal ends meanwhile leaves nobody at work, though no start was heard", async () => {
    const taskUuid = await w.newTask()
    expect(await tell("SubagentStop", { ...ended, awaits_words: true })).toEqual({ chorus: { needs: "words" } })
    await tell("SessionEnd")
    await tell("SubagentStop", { ...ended, awaits_words: true, ...told(taskUuid) })
    expect(await detail(taskUuid)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE it" }] })
    expect((await sessionsOf()).map(({ status }) => status)).toEqual(["closed", "closed"])
  })

  it("does not open a terminal again that has ended", async () => {
    await tell("SessionStart", { source: "startup" })
    await tell("SessionEnd")
    await tell("SubagentStop", { ...ended, awaits_words: true })
    expect((await sessionsOf()).map(({ status }) => status)).toEqual(["closed"])
  })
})

describe("events that are nobody's business here", () => {
  it.each([
    ["one nobody knows", "SomethingNew", {}],
    ["a tool that is no spawn", "PreToolUse", { tool_name: "Bash", tool_use_id: "t", tool_input: { command: "ls" } }],
    ["a spawn without a prompt", "PreToolUse", { tool_name: "Agent", tool_use_id: "t", tool_input: {} }],
    [
      "a helper without a task",
      "PreToolUse",
      { tool_name: "Agent", tool_use_id: "t", tool_input: { prompt: "look around", subagent_type: "Explore" } },
    ],
    ["the end of a session that never began", "SessionEnd", {}],
    ["a turn of a session that never began", "Stop", {}],
    ["a prompt that is asked elsewhere", "Notification", { notification_type: "permission_prompt" }],
    ["a task of its own list without a tag", "TaskCompleted", { task_subject: "tidy" }],
  ])("%s is answered with nothing and changes nothing", async (_, name, more) => {
    expect(await w.kinds(async () => expect(await tell(name, more)).toEqual({}))).toEqual([])
  })
})
