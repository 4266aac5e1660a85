import { describe, expect, it } from "vitest"
import { describeAnswer, faults } from "../test/contract.ts"
import { statusRow } from "../test/examples.ts"
import { StatusAgent, StatusEvent, StatusLine, StatusRow, StatusState, StatusTitleOrigin } from "./status.ts"

const smallest = { terminalId: "tty1", event: "running", agent: "claude", at: 1_772_359_200_000 }

describe("the words of status", () => {
  it("are those of three agents", () => expect(StatusAgent.options).toEqual(["claude", "codex", "opencode"]))
  it("are five states", () =>
    expect(StatusState.options).toEqual(["running", "idle", "needsInput", "finished", "unknown"]))
  it("are four events that any emitter sends and four that our own programs add", () => {
    expect(StatusEvent.options).toEqual(["running", "idle", "needsInput", "finished", "exited", "lost", "note", "seen"])
  })
  it("are three origins of a title", () => expect(StatusTitleOrigin.options).toEqual(["prompt", "generated", "person"]))
})

describe("a line on the listener's socket", () => {
  it("needs a terminal, an event, an agent and a time", () => {
    expect(StatusLine.parse(smallest)).toEqual(smallest)
    for (const field of Object.keys(smallest))
      expect(faults(StatusLine, { ...smallest, [field]: undefined }), field).toHaveLength(1)
  })

  it("keeps everything it may say besides", () => {
    const full = {
      ...smallest,
      exitCode: 1,
      toolDetail: "Bash: npm test",
      summary: "Tests fail.",
      resumeCommand: "claude --resume abc",
      sessionTitle: "Fit the door",
      titleOrigin: "person",
      source: "claude:Stop",
      reason: "a tool failed",
      sessionId: "abc",
      turnId: "t1",
      turnStart: true,
      toolError: true,
      provisional: false,
      only: ["running", "needsInput"],
      pid: 4711,
    }
    expect(StatusLine.parse(full)).toEqual(full)
  })

  it("may have fields that a newer emitter knows, which are left out", () =>
    expect(StatusLine.parse({ ...smallest, mood: "good" })).toEqual(smallest))

  it.each([
    ["no terminal", { terminalId: "" }],
    ["a terminal's name over 200 characters", { terminalId: "x".repeat(201) }],
    ["an event nobody knows", { event: "thinking" }],
    ["an agent nobody knows", { agent: "gpt" }],
    ["a time as text", { at: "now" }],
    ["half an exit code", { exitCode: 0.5 }],
    ["a summary over 200 characters", { summary: "x".repeat(201) }],
    ["a state nobody knows to hold back for", { only: ["asleep"] }],
    ["no process", { pid: 0 }],
    ["a process below nothing", { pid: -1 }],
    ["null for what is not known", { summary: null }],
  ])("does not have %s", (_, change) => expect(StatusLine.safeParse({ ...smallest, ...change }).success).toBe(false))
})

describeAnswer("StatusRow", StatusRow, statusRow, {
  mayBeNull: ["title", "detail", "summary", "exitCode", "resumeCommand", "reason", "ask", "asks", "folder"],
})
