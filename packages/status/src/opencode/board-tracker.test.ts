import { expect, it } from "vitest"
import { boardTracker, type HookAnswer } from "./board-tracker.ts"

const said = (sessionID: string, text: string) => ({
  event: {
    type: "message.part.updated",
    properties: { part: { type: "text", sessionID, text, time: { start: 1, end: 2 } } },
  },
})
const idle = (sessionID: string) => ({ event: { type: "session.idle", properties: { sessionID } } })
const created = (id: string, parentID?: string) => ({
  event: { type: "session.created", properties: { info: { id, parentID } } },
})
const parts = (text: string) => ({
  parts: [
    { type: "text", text },
    { type: "text", text: "<reminder>", synthetic: true },
  ],
})

function tracked(answers: Record<string, HookAnswer> = {}) {
  const told: Record<string, unknown>[] = []
  const ask = async (event: object): Promise<HookAnswer> => {
    told.push(event as Record<string, unknown>)
    return answers[(event as { hook_event_name: string }).hook_event_name] ?? {}
  }
  return {
    told,
    names: () => told.map((event) => event["hook_event_name"]),
    tracker: boardTracker({ ask, parentOf: async (id) => (id === "old-child" ? "root" : undefined) }),
  }
}

it("a session is told of when it is first spoken to, a child under its root, and each end of a turn once", async () => {
  const { told, names, tracker } = tracked({
    PreToolUse: { hookSpecificOutput: { updatedInput: { prompt: "Do it. <mark>" } } },
    SubagentStop: { systemMessage: "Chorus: handed in." },
  })
  await tracker.event(created("root"))
  await tracker.chatMessage({ sessionID: "root", agent: "build" }, parts("Go."))
  const args = { prompt: "Do it.", description: "it", subagent_type: "general" }
  await tracker.toolBefore({ tool: "task", sessionID: "root", callID: "c1" }, { args })
  expect(args.prompt).toBe("Do it. <mark>")
  await tracker.event(created("child", "root"))
  await tracker.chatMessage({ sessionID: "child", agent: "general" }, parts(args.prompt))
  await tracker.event(said("child", "DONE"))
  await tracker.event(idle("child"))
  await tracker.event(idle("child"))
  const output = { output: "result", metadata: { sessionId: "child" } }
  await tracker.toolAfter({ tool: "task" }, output)
  expect(output.output).toBe("result\n\nChorus: handed in.")
  await tracker.event(said("root", "Over."))
  await tracker.event(idle("root"))
  await tracker.event(idle("root"))
  tracker.end()
  expect(names()).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "SessionEnd",
  ])
  expect(told[0]).toMatchObject({ session_id: "root", source: "startup" })
  expect(told[1]).toMatchObject({ prompt: "Go." })
  expect(told[2]).toMatchObject({ tool_name: "Agent", tool_use_id: "toolu_c1" })
  expect(told[4]).toMatchObject({
    session_id: "root",
    agent_id: "child",
    agent_type: "general",
    last_assistant_message: "DONE",
    transcript_head: { message: { content: "Do it. <mark>" } },
  })
  expect(told[5]).toMatchObject({ session_id: "root", last_assistant_message: "Over." })
})

it("what the board says goes to the session it is for, and only there", async () => {
  const { tracker } = tracked({
    SessionStart: { hookSpecificOutput: { additionalContext: "You are Dev." } },
    UserPromptSubmit: { hookSpecificOutput: { additionalContext: "Brief." } },
  })
  await tracker.chatMessage({ sessionID: "root" }, parts("Go."))
  const system: string[] = []
  await tracker.system({ sessionID: "root" }, { system })
  await tracker.system({ sessionID: "another" }, { system })
  await tracker.system({}, { system })
  expect(system).toEqual(["You are Dev.", "Brief."])
})

it("a session that was there before is a resumed one, and a child of before finds its root", async () => {
  const { told, tracker } = tracked()
  await tracker.chatMessage({ sessionID: "old" }, parts("Again."))
  expect(told[0]).toMatchObject({ hook_event_name: "SessionStart", source: "resume" })
  await tracker.chatMessage({ sessionID: "old-child" }, parts("More."))
  expect(told.at(-1)).toMatchObject({ hook_event_name: "SubagentStart", session_id: "root", agent_id: "old-child" })
})
