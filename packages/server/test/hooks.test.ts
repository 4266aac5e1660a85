import type { attentions, HookOutput, sessions, tasks } from "@chorus/contracts"
import { array, assert, asyncProperty, boolean, nat } from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Actor } from "../src/index.ts"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

let runs = 0

onEachEngineUnderStress("hooks", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const hook = (event: object, by: Actor = w.developer) =>
    w.call<HookOutput>(by, "chorus_hook", { cwd: "/home/ann/shop", ...event })
  const tell = (session: string, name: string, more: object = {}, by?: Actor) =>
    hook({ session_id: session, hook_event_name: name, ...more }, by)
  const newSession = () => `claude-${engine}-${runs++}`
  const before = (session: string, id: string, prompt: string, more: object = {}, by?: Actor) =>
    tell(
      session,
      "PreToolUse",
      {
        tool_name: "Agent",
        tool_use_id: `toolu_${id}`,
        tool_input: JSON.stringify({
          description: id,
          prompt,
          subagent_type: "general-purpose",
          model: "opus",
          ...more,
        }),
      },
      by,
    )
  const given = (output: HookOutput) => String(output.hookSpecificOutput?.updatedInput?.["prompt"])
  const head = (prompt: string) => ({ type: "user", message: { role: "user", content: prompt } })
  const stop = (session: string, agentId: string, prompt: string | undefined, words: string) =>
    tell(session, "SubagentStop", {
      agent_id: agentId,
      agent_type: "general-purpose",
      last_assistant_message: words,
      ...(prompt === undefined ? {} : { transcript_head: head(prompt) }),
    })
  const sessionsOf = async (session: string, by = w.developer) => {
    const { sessions: rows } = await w.call<{ sessions: sessions.SessionRow[] }>(by, "chorus_list_sessions", {
      pageSize: 100,
    })
    const own = rows.filter((row) => row.externalId?.startsWith(`claude-code:${session}`))
    return [
      ...own.filter((row) => row.parentUuid === null),
      ...own.filter((row) => row.parentUuid !== null).toReversed(),
    ]
  }
  const task = (taskUuid: string) => w.call<tasks.TaskDetail>(w.owner, "chorus_get_task", { taskUuid })
  const history = (taskUuid: string) =>
    w.call<{ checkins: sessions.CheckinRow[]; reports: tasks.WorkReport[] }>(w.owner, "chorus_get_task_history", {
      taskUuid,
    })
  async function addTasks(...wanted: { title: string; after?: string[] }[]): Promise<string[]> {
    const { uuid: projectUuid } = await w.call<{ uuid: string }>(w.owner, "chorus_admin_create_project", {
      name: "hooks",
    })
    const input = wanted.map(({ title, after = [] }) => ({
      title,
      draftUuid: title,
      dependsOnDraftUuids: after,
      acceptanceCriteriaItems: [{ description: `${title} works` }],
    }))
    const { tasks: made } = await w.call<{ tasks: tasks.TaskRow[] }>(w.pm, "chorus_create_tasks", {
      projectUuid,
      tasks: input,
    })
    return wanted.map(({ title }) => made.find((row) => row.title === title)?.uuid ?? "")
  }

  it("pairs sub-agents that start at once with their own tasks, whatever order their events come in", async () => {
    const order = array(nat({ max: 999 }), { minLength: 16, maxLength: 16 })
    const foreground = array(boolean(), { minLength: 4, maxLength: 4 })
    await assert(
      asyncProperty(order, foreground, async (draws, waits) => {
        const session = newSession()
        const uuids = await addTasks({ title: "a" }, { title: "b" }, { title: "c" }, { title: "d" })
        const prompts = new Map<number, string>()
        const lives = uuids.map((uuid, at) => {
          const agent_id = `a${at}fee${at}`
          return [
            async () =>
              void prompts.set(
                at,
                given(
                  await before(session, `${at}`, `Make it. Chorus task: ${uuid}`, {
                    run_in_background: waits[at] !== true,
                  }),
                ),
              ),
            () => tell(session, "SubagentStart", { agent_id, agent_type: "general-purpose" }),
            async () => {
              // The transcript is not written yet; the program tells the prompt when it is asked for it.
              const answer = await stop(session, agent_id, undefined, `DONE ${at}`)
              if (answer.chorus?.needs === "prompt") await stop(session, agent_id, prompts.get(at), `DONE ${at}`)
            },
            () =>
              tell(session, "PostToolUse", {
                tool_name: "Agent",
                tool_use_id: `toolu_${at}`,
                tool_input: { prompt: prompts.get(at) },
                tool_response: {
                  agentId: agent_id,
                  ...(waits[at] === true
                    ? { status: "completed", content: [{ type: "text", text: `DONE ${at}` }] }
                    : {}),
                },
              }),
          ]
        })
        for (const draw of draws) {
          const open = lives.filter((life) => life.length > 0)
          await open[draw % open.length]?.shift()?.()
        }
        const children = (await sessionsOf(session)).filter((row) => row.parentUuid !== null)
        expect(children.filter((row) => row.supersededByUuid === null)).toHaveLength(4)
        for (const [at, uuid] of uuids.entries()) {
          const { checkins, reports } = await history(uuid)
          expect(reports.map((report) => report.content)).toEqual([`DONE ${at}`])
          const owner = children.find((row) => row.uuid === checkins[0]?.sessionUuid)
          expect(owner).toMatchObject({
            externalId: `claude-code:${session}/a${at}fee${at}`,
            status: "closed",
            lastWords: `DONE ${at}`,
          })
          expect((await task(uuid)).status).toBe("to_verify")
        }
      }),
      { numRuns: engine === "sqlite" ? 25 : 8 },
    )
  })

  it("opens one session for each of fifty sub-agents that start together, under one terminal", async () => {
    const session = newSession()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        tell(session, "SubagentStart", { agent_id: `a${at}`, agent_type: "builder" }),
      ),
    )
    const rows = await sessionsOf(session)
    expect(rows.filter((row) => row.parentUuid === null)).toHaveLength(1)
    expect(new Set(rows.filter((row) => row.parentUuid !== null).map((row) => row.externalId)).size).toBe(50)
    expect(new Set(answers.map((answer) => answer.hookSpecificOutput?.additionalContext)).size).toBe(50)
    await tell(session, "SessionEnd")
    expect((await sessionsOf(session)).filter((row) => row.status !== "closed")).toEqual([])
  })

  it("keeps the rest of a spawn's input, because what a hook answers replaces it", async () => {
    const output = await before(newSession(), "x", "Look around.", { isolation: "worktree", run_in_background: true })
    expect(output.hookSpecificOutput?.updatedInput).toMatchObject({
      description: "x",
      subagent_type: "general-purpose",
      model: "opus",
      isolation: "worktree",
      run_in_background: true,
    })
    expect(output.hookSpecificOutput?.updatedInput?.["prompt"]).toMatch(/^Look around\.\n\n<chorus session="/)
    expect(await before(newSession(), "y", "Look around.", { subagent_type: "Explore" })).toEqual({})
  })

  it("does not start what waits, is held, or is out of reach, and changes nothing by trying", async () => {
    const [first = "", second = ""] = await addTasks({ title: "first" }, { title: "second", after: ["first"] })
    expect(given(await before(newSession(), "1", `Chorus task: ${second}`))).toContain('it waits for "first" (open)')
    expect(await task(second)).toMatchObject({ status: "open", assignee: null })
    await w.call(w.rival, "chorus_start_task", { taskUuid: first })
    expect(given(await before(newSession(), "2", `Chorus task: ${first}`))).toContain("Rival holds it.")
    expect((await history(first)).checkins).toEqual([])
    const confined = await w.agent("Confined", { projectUuids: [w.otherProject] })
    expect(given(await before(newSession(), "3", `Chorus task: ${first}`, {}, confined))).not.toContain("first works")
    const reader = await w.agent("Reader", { presets: [], permissions: ["task:read"] })
    const [open = ""] = await addTasks({ title: "open" })
    expect(given(await before(newSession(), "4", `Chorus task: ${open}`, {}, reader))).toContain(
      "this key may not work on tasks",
    )
    expect(await task(open)).toMatchObject({ status: "open", assignee: null })
  })

  it("frees a task when the spawn it was taken for came to nothing", async () => {
    const session = newSession()
    const [uuid = ""] = await addTasks({ title: "never" })
    await before(session, "n", `Chorus task: ${uuid}`)
    expect((await task(uuid)).status).toBe("in_progress")
    await tell(session, "PostToolUseFailure", { tool_name: "Agent", tool_use_id: "toolu_n", error: "denied" })
    expect(await task(uuid)).toMatchObject({ status: "open", assignee: null })
    expect((await sessionsOf(session)).at(-1)).toMatchObject({ status: "closed" })
  })

  it("leaves work in progress that does not say it is done, and takes it up again when its agent is sent another message", async () => {
    const session = newSession()
    const [uuid = ""] = await addTasks({ title: "half" })
    const prompt = given(await before(session, "h", `Chorus task: ${uuid}`))
    expect(await stop(session, "ah", prompt, "UNFINISHED: no key \u0000 for the \u0007 shop")).toMatchObject({
      systemMessage: expect.stringContaining("is still in progress"),
      chorus: { counts: true },
    })
    expect(await task(uuid)).toMatchObject({
      status: "in_progress",
      reports: [{ content: "UNFINISHED: no key  for the  shop" }],
    })
    const again = await tell(session, "SubagentStart", { agent_id: "ah", agent_type: "general-purpose" })
    expect(again.hookSpecificOutput?.additionalContext).toContain("half works")
    await stop(session, "ah", prompt, "DONE now")
    expect((await history(uuid)).checkins.map((stay) => stay.checkoutReason).toSorted()).toEqual([
      "session_closed",
      "task_submitted",
    ])
    expect((await sessionsOf(session)).filter((row) => row.parentUuid !== null)).toHaveLength(1)
    expect((await task(uuid)).status).toBe("to_verify")
  })

  it("hears of a sub-agent only at its end, and still gets everything right", async () => {
    const session = newSession()
    const [uuid = ""] = await addTasks({ title: "late" })
    await stop(session, "al", `Chorus task: ${uuid}`, "DONE late")
    expect(await task(uuid)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE late" }] })
    expect((await history(uuid)).checkins).toMatchObject([{ checkoutReason: "task_submitted" }])
    await tell(session, "SessionEnd")
    await stop(session, "am", "Look around.", "Looked.")
    expect((await sessionsOf(session)).map((row) => row.status)).toEqual(["closed", "closed", "closed"])
  })

  it("counts last words once, also when an old program tells them after the session was closed", async () => {
    const session = newSession()
    const [uuid = ""] = await addTasks({ title: "old" })
    const prompt = given(await before(session, "o", `Chorus task: ${uuid}`))
    await tell(session, "SubagentStop", {
      agent_id: "ao",
      agent_type: "general-purpose",
      transcript_head: head(prompt),
    })
    expect((await task(uuid)).status).toBe("in_progress")
    const response = { status: "completed", agentId: "ao", content: [{ type: "text", text: "DONE old" }] }
    for (let time = 0; time < 2; time++)
      await tell(session, "PostToolUse", {
        tool_name: "Task",
        tool_use_id: "toolu_o",
        tool_input: { prompt },
        tool_response: response,
      })
    expect(await task(uuid)).toMatchObject({ status: "to_verify", reports: [{ content: "DONE old" }] })
  })

  it("ignores internal agents and events it does not know", async () => {
    const session = newSession()
    for (const name of ["SubagentStart", "SubagentStop"])
      expect(await tell(session, name, { agent_id: "ai", agent_type: "" })).toEqual({})
    for (const name of ["constructor", "__proto__", "MessageDisplay", ""]) expect(await tell(session, name)).toEqual({})
    expect(await sessionsOf(session)).toEqual([])
  })

  it("closes the sub-agents of a terminal that starts again, but not those of one that only forgot", async () => {
    const session = newSession()
    const [uuid = ""] = await addTasks({ title: "lost" })
    await before(session, "l", `Chorus task: ${uuid}`)
    await tell(session, "SessionStart", { source: "compact" })
    expect((await sessionsOf(session)).map((row) => row.status)).toEqual(["active", "active"])
    const { systemMessage, hookSpecificOutput } = await tell(session, "SessionStart", { source: "resume" })
    expect((await sessionsOf(session)).map((row) => row.status)).toEqual(["active", "closed"])
    expect(systemMessage).toMatch(/^Chorus: Dev for Olive, holds \d+ tasks? and \d+ ideas?, /)
    const { shortId } = await w.call<{ shortId: string }>(w.owner, "chorus_get_task", { taskUuid: uuid })
    expect(hookSpecificOutput?.additionalContext).toContain(`task ${shortId} "lost" in_progress`)
  })

  it("asks for a permission once, and takes the question back when nobody waits any more", async () => {
    const session = newSession()
    const ask = () =>
      tell(session, "PermissionRequest", {
        tool_name: "Bash",
        tool_input: { command: "rm -rf build" },
        answer_seconds: 60,
      })
    const poll = (attention_uuid: string | undefined, more: object = {}) =>
      tell(session, "PermissionAnswer", { attention_uuid, ...more })
    const { chorus: first } = await ask()
    expect(await poll(first?.attentionUuid)).toEqual({
      chorus: { attentionUuid: first?.attentionUuid, settled: false },
    })
    await expect(
      tell(newSession(), "PermissionAnswer", { attention_uuid: first?.attentionUuid }, w.rival),
    ).rejects.toMatchObject({ code: "not_found" })
    await w.call(w.owner, "chorus_answer_attention", {
      attentionUuid: first?.attentionUuid,
      answer: { decision: "deny", text: "not today" },
    })
    expect(await poll(first?.attentionUuid)).toMatchObject({
      chorus: { settled: true },
      hookSpecificOutput: { decision: { behavior: "deny", message: "not today" } },
    })
    const { chorus: second } = await ask()
    expect(await poll(second?.attentionUuid, { reason: "gave_up" })).toMatchObject({ chorus: { settled: true } })
    expect(await w.call(w.developer, "chorus_get_attention", { attentionUuid: second?.attentionUuid })).toMatchObject({
      state: "withdrawn",
    })
  })

  describe("an answer from the page", () => {
    const answered = async () => {
      const session = newSession()
      const question = `Which colour for ${session}?`
      const asked = { tool_name: "AskUserQuestion", tool_input: { questions: [{ question, options: [] }] } }
      const { chorus } = await tell(session, "PermissionRequest", { ...asked, answer_seconds: 60, dialog: true })
      const attentionUuid = chorus?.attentionUuid ?? ""
      await w.call(w.owner, "chorus_answer_attention", {
        attentionUuid,
        answer: { text: "Blue", data: { answers: { [question]: "Blue" } } },
      })
      return {
        session,
        question,
        poll: (more: object = {}) =>
          tell(session, "PermissionAnswer", { ...asked, attention_uuid: attentionUuid, ...more }),
        stands: () => w.call<attentions.AttentionRow>(w.owner, "chorus_get_attention", { attentionUuid }),
      }
    }
    const unheard = { state: "withdrawn", answer: { text: "Blue" }, answeredBy: { name: "Olive" }, deliveredAt: null }

    it("is told again where the program did not hear it the first time", async () => {
      const { question, poll, stands } = await answered()
      for (let times = 0; times < 2; times++) {
        const { hookSpecificOutput, chorus } = await poll()
        expect(hookSpecificOutput?.decision?.updatedInput).toMatchObject({ answers: { [question]: "Blue" } })
        expect(chorus).toMatchObject({ settled: true })
      }
      expect(await stands()).toMatchObject({ state: "delivered" })
    })

    it.each([
      ["before it was fetched", false],
      ["while it was on its way", true],
    ])("that the terminal's own overtook %s is not said to have arrived", async (_, fetched) => {
      const { question, poll, stands } = await answered()
      if (fetched) await poll()
      for (let times = 0; times < 2; times++) {
        const { hookSpecificOutput, chorus } = await poll({ reason: "gave_up" })
        expect([hookSpecificOutput, chorus?.settled]).toEqual([undefined, true])
      }
      expect(await stands()).toMatchObject(unheard)
      const told = async (by: Actor) =>
        (
          await w.call<{ notifications: { message: string }[] }>(by, "chorus_get_notifications", {
            status: "unread",
            limit: 50,
            autoMarkRead: false,
          })
        ).notifications
          .map(({ message }) => message)
          .filter((message) => message.includes(question))
      expect(await told(w.owner)).toEqual([`Dev went on without your answer to "${question}".`])
      expect(await told(w.developer)).toEqual([])
    })

    it("that nobody fetched before the terminal went on is not either", async () => {
      const { session, stands, poll } = await answered()
      await tell(session, "Notification", { notification_type: "auth_success" })
      expect(await stands()).toMatchObject({ state: "answered" })
      await tell(session, "PostToolUse", { tool_name: "AskUserQuestion" })
      expect(await stands()).toMatchObject(unheard)
      expect((await poll()).hookSpecificOutput).toBeUndefined()
    })

    it("is for the program that waits for it, and not for whoever else of the same agent reads its inbox", async () => {
      const { question, stands, poll } = await answered()
      const { cursor, waits } = await w.call<{ cursor: number; waits: { title: string }[] }>(
        w.developer,
        "chorus_inbox",
      )
      expect(waits.map(({ title }) => title)).not.toContain(question)
      await w.call(w.developer, "chorus_inbox", { after: cursor })
      expect(await stands()).toMatchObject({ state: "answered" })
      expect((await poll()).hookSpecificOutput?.decision).toBeDefined()
    })
  })

  it("leaves a question whose dialog outlasts the time to answer here to its terminal, until that has ended", async () => {
    const session = newSession()
    const ask = (answer_seconds: number) =>
      tell(session, "PermissionRequest", {
        tool_name: "AskUserQuestion",
        tool_input: { questions: [{ question: "Which colour?", options: [] }] },
        answer_seconds,
        dialog: true,
      })
    const stands = (attentionUuid: string | undefined) =>
      w.call<attentions.AttentionRow>(w.owner, "chorus_get_attention", { attentionUuid })
    for (const seconds of [60, 0]) {
      const { chorus } = await ask(seconds)
      const poll = (more: object = {}) =>
        tell(session, "PermissionAnswer", { attention_uuid: chorus?.attentionUuid, ...more })
      expect(await stands(chorus?.attentionUuid)).toMatchObject({ state: "open", answerable: seconds > 0 })
      for (let times = 0; times < 2; times++)
        expect(await poll({ reason: "late" })).toMatchObject({ chorus: { settled: false } })
      const left = await stands(chorus?.attentionUuid)
      expect(left).toMatchObject({ state: "open", answerable: false })
      expect(Date.parse(left.expiresAt ?? "") - Date.parse(left.createdAt)).toBeGreaterThan(6 * 24 * 3_600_000)
      await tell(session, "PostToolUse", { tool_name: "AskUserQuestion" })
      expect(await stands(chorus?.attentionUuid)).toMatchObject({ state: "withdrawn" })
      expect(await poll({ reason: "late" })).toMatchObject({ chorus: { settled: true } })
    }
    const { chorus } = await ask(60)
    const answer = { text: "Blue", data: { answers: { "Which colour?": "Blue" } } }
    await w.call(w.owner, "chorus_answer_attention", { attentionUuid: chorus?.attentionUuid, answer })
    const heard = await tell(session, "PermissionAnswer", {
      attention_uuid: chorus?.attentionUuid,
      reason: "late",
      tool_name: "AskUserQuestion",
      tool_input: { questions: [{ question: "Which colour?", options: [] }] },
    })
    expect(heard.hookSpecificOutput?.decision?.updatedInput).toMatchObject({ answers: { "Which colour?": "Blue" } })
  })

  it("shows that a terminal waits for its person, once, until the person is back", async () => {
    const session = newSession()
    const waiting = async () => {
      const { attentions } = await w.call<{
        attentions: { title: string; sessionUuid: string; answerable: boolean }[]
      }>(w.owner, "chorus_list_attentions", { open: true, pageSize: 100 })
      const [main] = await sessionsOf(session)
      return attentions
        .filter((row) => row.sessionUuid === main?.uuid)
        .map(({ title, answerable }) => ({ title, answerable }))
    }
    const idle = { notification_type: "idle_prompt", message: "Claude is waiting for your input" }
    for (let time = 0; time < 2; time++) await tell(session, "Notification", idle)
    await tell(session, "Notification", { notification_type: "permission_prompt", message: "asked otherwise" })
    const [main] = await sessionsOf(session)
    expect(await waiting()).toEqual([{ title: `${main?.name}: ${idle.message}`, answerable: false }])
    await tell(session, "UserPromptSubmit", { prompt: "go on" })
    expect(await waiting()).toEqual([])
    await tell(session, "Notification", idle)
    await tell(session, "Stop")
    expect(await waiting()).toEqual([])
  })

  it("takes back what was asked where its terminal is idle: no dialog is open there any more", async () => {
    const session = newSession()
    const open = async () =>
      (
        await w.call<{ attentions: { kind: string; title: string }[] }>(w.owner, "chorus_list_attentions", {
          open: true,
          pageSize: 100,
        })
      ).attentions
        .filter(({ title }) => title.includes(session))
        .map(({ kind }) => kind)
    await tell(session, "PermissionRequest", {
      tool_name: "Bash",
      tool_input: { command: `echo ${session}` },
      answer_seconds: 3600,
      dialog: true,
    })
    expect(await open()).toEqual(["permission"])
    // Esc at a dialog tells nobody with some versions, and starts no turn that could end.
    await tell(session, "Notification", { notification_type: "idle_prompt", message: `${session} is waiting` })
    expect(await open()).toEqual(["input"])
  })

  it("is for agents only", async () => {
    await expect(tell(newSession(), "SessionStart", {}, w.owner)).rejects.toMatchObject({ code: "forbidden" })
    await expect(
      w.call(undefined, "chorus_hook", { session_id: "s", hook_event_name: "SessionStart" }),
    ).rejects.toMatchObject({ code: "unauthenticated" })
  })
})
