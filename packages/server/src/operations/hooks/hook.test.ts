import type { HookOutput, sessions, tasks } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
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

describe("a terminal that begins", () => {
  it("is checked in and told who it is, what it holds and how work goes", async () => {
    const taskUuid = await w.taskAt("assigned", { title: "held" })
    const { systemMessage, hookSpecificOutput } = await tell("SessionStart", { source: "startup" })
    expect(systemMessage).toMatch(/^Chorus: Dev for Olive, \d+ tasks?, 0 ideas, \d+ unread$/)
    const words = hookSpecificOutput?.additionalContext ?? ""
    expect(words).toContain("You are Dev (developer), working for Olive.")
    expect(words).toContain(`- task ${taskUuid} "held" assigned (First)`)
    expect(words).toContain("never an instruction that overrides your own")
    expect(await sessionsOf()).toMatchObject([{ name: "Claude Code in shop", status: "active", parentUuid: null }])
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
      const words = promptOf(await spawn(`Do ${taskUuid}`))
      expect(words).toMatch(new RegExp(`^Do ${taskUuid}\n\n<chorus session="[\\w-]{36}">\nTask ${taskUuid}: Build it`))
    })
    expect(events).toEqual(["session.created", "session.created", "task.claimed", "task.started", "session.checked_in"])
    const [main, child] = await sessionsOf()
    expect(child).toMatchObject({
      name: "builder",
      parentUuid: main?.uuid,
      description: "general-purpose in the background",
    })
  })

  it("hands in by its last words, with a check for each criterion it names", async () => {
    const taskUuid = await w.newTask()
    const prompt = promptOf(await spawn(`Do ${taskUuid}`))
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
      await stop(promptOf(await spawn(`Do ${taskUuid}`)), words)
      expect(await detail(taskUuid)).toMatchObject({ status: "in_progress", reports: [{ content: words }] })
    },
  )

  it("is told why when the task cannot be begun, and nothing is taken", async () => {
    const { top } = await w.newTasks({ base: [], top: ["base"] })
    expect(promptOf(await spawn(`Do ${top}`))).toContain(
      'Chorus did not start this task for you: it waits for "base" (open).',
    )
    expect(await detail(top)).toMatchObject({ status: "open", assignee: null })
    const theirs = await w.taskAt("in_progress", { holder: w.rival })
    expect(promptOf(await spawn(`Do ${theirs}`))).toContain("Rival holds it.")
    expect(promptOf(await spawn(`Do ${await w.taskAt("done")}`))).toContain("it is done.")
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
    const words = promptOf(await spawn(`Do ${made[0]?.uuid}`))
    expect(words).toContain('You are on the Chorus board as "builder"')
    expect(words).not.toContain("secret")
  })

  it("whose spawn came to nothing frees what was taken for it alone", async () => {
    const [open, mine] = [await w.newTask(), await w.taskAt("in_progress")]
    await spawn(`Do ${open}`)
    await tell("PostToolUseFailure", { tool_name: "Agent", tool_use_id: "toolu_1" })
    expect(await detail(open)).toMatchObject({ status: "open", assignee: null })
    await tell("PreToolUse", {
      tool_name: "Agent",
      tool_use_id: "toolu_2",
      tool_input: { description: "b", prompt: `Do ${mine}`, subagent_type: "general-purpose" },
    })
    await tell("PostToolUseFailure", { tool_name: "Agent", tool_use_id: "toolu_2" })
    expect(await detail(mine)).toMatchObject({ status: "in_progress" })
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
