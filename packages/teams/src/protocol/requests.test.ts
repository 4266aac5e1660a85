import type { TeamMessageBody } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { codeOf, ledByClaude, scratchTeam } from "../../test/scratch-team.ts"
import { updateConfig } from "../files/config-file.ts"
import type { Team } from "../team.ts"
import {
  answerPermission,
  answerPlan,
  answerShutdown,
  assignTask,
  broadcast,
  notifyIdle,
  requestPermission,
  requestPlanApproval,
  requestShutdown,
  sendMessage,
} from "./send.ts"
import { sentSince } from "./sent-journal.ts"

const NOW = 1_770_000_000_000
const AT = "2026-02-02T02:40:00.000Z"
const team = (...members: string[]) => scratchTeam(members, { now: () => NOW })
const bodies = async (made: Team, name: string) =>
  (await made.unread(name)).map(({ entry }) => JSON.parse(entry.text) as TeamMessageBody)
const entries = async (made: Team, name: string) => (await made.unread(name)).map(({ entry }) => entry)

describe("a request", () => {
  it("to shut down carries an empty reason where none is given, and the lead's name", async () => {
    const made = await team("bob")
    await requestShutdown(made, { from: "team-lead", to: "bob" })
    expect(await bodies(made, "bob")).toEqual([
      { type: "shutdown_request", requestId: `shutdown-${NOW}@bob`, from: "team-lead", reason: "", timestamp: AT },
    ])
  })

  it("for a plan goes to the lead with the plan and where it lies", async () => {
    const made = await team("bob")
    expect(await requestPlanApproval(made, "bob", { path: "/p.md", content: "# Plan" })).toBe(
      `plan_approval-${NOW}@bob@t`,
    )
    expect(await bodies(made, "team-lead")).toEqual([
      {
        type: "plan_approval_request",
        from: "bob",
        timestamp: AT,
        planFilePath: "/p.md",
        planContent: "# Plan",
        requestId: `plan_approval-${NOW}@bob@t`,
      },
    ])
  })

  it("for a permission says which tool wants what, with suggestions or none", async () => {
    const made = await team("bob")
    const ask = { toolName: "Bash", toolUseId: "u", description: "List", input: { command: "ls" } }
    const id = await requestPermission(made, "bob", ask)
    await requestPermission(made, "bob", { ...ask, suggestions: [{ type: "setMode" }] })
    const [first, second] = await bodies(made, "team-lead")
    expect(first).toEqual({
      type: "permission_request",
      request_id: id,
      agent_id: "bob",
      tool_name: "Bash",
      tool_use_id: "u",
      description: "List",
      input: { command: "ls" },
      permission_suggestions: [],
    })
    expect(second).toMatchObject({ permission_suggestions: [{ type: "setMode" }] })
  })

  it("is noted for the host of the one who asked, with its id", async () => {
    const made = await team("bob")
    const id = await requestPlanApproval(made, "bob", { path: "/p", content: "x" })
    await sendMessage(made, { from: "bob", to: "team-lead", content: "see my plan", summary: "plan" })
    expect(sentSince(made.paths, "bob", 0)).toEqual([
      { to: "team-lead", kind: "plan_approval_request", at: AT, requestId: id },
      { to: "team-lead", kind: "message", at: AT, summary: "plan" },
    ])
  })
})

describe("an answer", () => {
  it("to a shutdown is not the lead's to give, nor is the lead asked for one", async () => {
    const team = await scratchTeam(["bob"])
    expect(await codeOf(answerShutdown(team, "team-lead", "r", { approve: true }))).toBe("lead_stays")
    expect(await codeOf(requestShutdown(team, { from: "bob", to: "team-lead" }))).toBe("lead_stays")
  })

  it.each<[string, Parameters<typeof answerPlan>[2], unknown]>([
    ["approves", { requestId: "r", approved: true }, { approved: true, permissionMode: "default" }],
    [
      "approves into a mode",
      { requestId: "r", approved: true, permissionMode: "acceptEdits", feedback: "unused" },
      { approved: true, permissionMode: "acceptEdits" },
    ],
    [
      "refuses",
      { requestId: "r", approved: false, feedback: "smaller", permissionMode: "unused" },
      { approved: false, feedback: "smaller" },
    ],
    ["refuses without a word", { requestId: "r", approved: false }, { approved: false, feedback: "" }],
  ])("to a plan %s", async (_, verdict, body) => {
    const made = await team("bob")
    await answerPlan(made, "bob", verdict)
    expect(await bodies(made, "bob")).toEqual([
      { type: "plan_approval_response", requestId: "r", timestamp: AT, ...(body as object) },
    ])
  })

  it("to a permission carries either the input or the reason", async () => {
    const made = await team("bob")
    await answerPermission(made, "bob", { requestId: "r", approved: true, updatedInput: { a: 1 } })
    await answerPermission(made, "bob", { requestId: "r", approved: false, reason: "no" })
    expect(await bodies(made, "bob")).toEqual([
      {
        type: "permission_response",
        request_id: "r",
        subtype: "success",
        response: { updated_input: { a: 1 }, permission_updates: [] },
      },
      { type: "permission_response", request_id: "r", subtype: "error", error: "no" },
    ])
  })

  it("to a shutdown names the pane and the back end, where there are some", async () => {
    const made = await team("bob", "carol")
    await made.patchMember("bob", { tmuxPaneId: "%7", backendType: "tmux" })
    await answerShutdown(made, "bob", "r", { approve: true })
    await answerShutdown(made, "carol", "s", { approve: true })
    const [bob, carol] = await bodies(made, "team-lead")
    expect(bob).toMatchObject({
      type: "shutdown_approved",
      requestId: "r",
      from: "bob",
      paneId: "%7",
      backendType: "tmux",
    })
    expect(carol).toEqual({ type: "shutdown_approved", requestId: "s", from: "carol", timestamp: AT })
  })

  it("is marked only when a person decided", async () => {
    const made = await team("bob")
    await answerPlan(made, "bob", { requestId: "r", approved: true })
    await answerPlan(made, "bob", { requestId: "r", approved: true }, { decided: true })
    expect((await made.unread("bob")).map((message) => made.isDecision("bob", message))).toEqual([false, true])
  })
})

describe("a notice of idleness", () => {
  it("says why and with whom it talked; the result where the lead is ours or a session, not to one of the older form", async () => {
    const made = await team("bob")
    await notifyIdle(made, "bob", { summary: "[to alice] hi", result: "did it" })
    await updateConfig(made.paths, (config) => ({ ...config, leadSessionId: "a-session-of-claude-code" }))
    await notifyIdle(made, "bob", { result: "did it", reason: "failed" })
    await notifyIdle(await ledByClaude(made), "bob", { result: "did it" })
    const idle = { type: "idle_notification", from: "bob", timestamp: AT, idleReason: "available" }
    expect(await bodies(made, "team-lead")).toEqual([
      { ...idle, summary: "[to alice] hi", result: "did it" },
      { ...idle, idleReason: "failed" },
      { ...idle, result: "did it" },
    ])
  })
})

describe("the colour of an entry", () => {
  it("is the sender's for words and idleness, and none for plans and assignments", async () => {
    const made = await team("bob", "carol")
    await made.createTask({ subject: "A", description: "a" })
    await sendMessage(made, { from: "bob", to: "carol", content: "hi" })
    await assignTask(made, "bob", "1", "carol")
    await answerPlan(made, "carol", { requestId: "r", approved: true }, { from: "bob" })
    expect((await entries(made, "carol")).map(({ color }) => color)).toEqual(["blue", undefined, undefined])
    await notifyIdle(made, "carol")
    expect((await entries(made, "team-lead")).map(({ color }) => color)).toEqual(["green"])
  })
})

describe("words", () => {
  it("to somebody who is not there, or from nobody, leave no inbox behind", async () => {
    const made = await team("bob")
    expect(await codeOf(sendMessage(made, { from: "bob", to: "ghost", content: "boo" }))).toBe("no_such_member")
    expect(await codeOf(requestShutdown(made, { from: "team-lead", to: "ghost" }))).toBe("no_such_member")
    expect(await made.unread("ghost")).toEqual([])
  })

  it("to all reach nobody in a team of one, and say so", async () => {
    const made = await team()
    expect(await broadcast(made, { from: "team-lead", content: "hello?" })).toMatchObject({
      message: "Message broadcast to 0 teammate(s): ",
      recipients: [],
    })
  })

  it("assigning a task that is not there reach nobody", async () => {
    const made = await team("bob")
    expect(await codeOf(assignTask(made, "team-lead", "9", "bob"))).toBe("no_such_task")
    expect(await made.unread("bob")).toEqual([])
  })
})
