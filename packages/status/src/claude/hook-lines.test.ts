import type { StatusLine } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import type { HookCall } from "../line/read-line.ts"
import { claudeHookLines } from "./hook-lines.ts"

const SESSION = "11111111-2222-3333-4444-555555555555"
const lines = (hook_event_name: string, payload: Record<string, unknown> = {}) => {
  const call: HookCall = {
    terminalId: "t",
    agent: "claude",
    at: 1000,
    pid: 42,
    payload: { hook_event_name, session_id: SESSION, prompt_id: "p1", cwd: "/shop", ...payload },
  }
  return claudeHookLines(call)
}
const events = (...all: Parameters<typeof lines>) => lines(...all).map(({ event }) => event)
const last = (...all: Parameters<typeof lines>): Partial<StatusLine> => lines(...all).at(-1) ?? {}
const subagent = { agent_id: "a1", agent_type: "Explore" }

describe("what a Claude Code hook says", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["SessionStart", { source: "startup" }, "idle"],
    ["SessionStart", { source: "resume" }, "idle"],
    ["SessionStart", { source: "clear" }, "idle"],
    ["SessionStart", { source: "compact" }, "note"],
    ["UserPromptSubmit", { prompt: "go" }, "running"],
    ["PreToolUse", { tool_name: "Bash" }, "running"],
    ["PreToolUse", { tool_name: "AskUserQuestion" }, "running needsInput"],
    ["PreToolUse", { tool_name: "ExitPlanMode" }, "running needsInput"],
    ["PermissionRequest", { tool_name: "Bash" }, "running needsInput"],
    ["Elicitation", { message: "Which?" }, "running needsInput"],
    ["ElicitationResult", {}, "running"],
    ["PermissionDenied", {}, "running"],
    ["SubagentStart", {}, "running"],
    ["PostToolUse", {}, "running"],
    ["PostToolUseFailure", {}, "running"],
    ["PostToolUseFailure", { is_interrupt: true }, "note"],
    ["Stop", {}, "finished"],
    ["StopFailure", {}, "finished"],
    ["PreCompact", { trigger: "auto" }, "running"],
    ["PostCompact", { trigger: "auto" }, "running"],
    ["PostCompact", { trigger: "manual" }, "idle"],
    ["SessionEnd", { reason: "prompt_input_exit" }, "exited"],
    ["SessionEnd", { reason: "other" }, "exited"],
    ["SessionEnd", {}, "exited"],
    ["SessionEnd", { reason: "clear" }, "note"],
    ["SessionEnd", { reason: "resume" }, "note"],
    ["SubagentStop", {}, ""],
    ["SomethingNew", {}, ""],
  ])("%s %j is: %s", (name, payload, said) => {
    expect(events(name, payload).join(" ")).toBe(said)
  })

  it("says how a session comes back as soon as there is one to come back", () => {
    const command = `claude --resume ${SESSION}`
    expect(last("SessionStart", { source: "resume" }).resumeCommand).toBe(command)
    expect(last("UserPromptSubmit", { prompt: "go" }).resumeCommand).toBe(command)
    expect(last("SessionStart", { source: "startup" }).resumeCommand).toBeUndefined()
  })

  it("carries its terminal, session, turn, process and source", () => {
    expect(lines("PermissionDenied")).toEqual([
      {
        terminalId: "t",
        agent: "claude",
        at: 1000,
        event: "running",
        source: "claude:PermissionDenied",
        sessionId: SESSION,
        turnId: "p1",
        pid: 42,
      },
    ])
  })

  it("is nothing where the event's name is missing or no word", () => {
    expect([
      lines("", {}),
      claudeHookLines({ terminalId: "t", agent: "claude", at: 0, pid: undefined, payload: {} }),
      events("x", { hook_event_name: ["Stop"] }),
    ]).toEqual([[], [], []])
  })
})

describe("a prompt", () => {
  it("starts a turn, names the session and how to come back to it", () => {
    expect(last("UserPromptSubmit", { prompt: "Mend the\nlogin" })).toMatchObject({
      turnStart: true,
      sessionTitle: "Mend the login",
      titleOrigin: "prompt",
      resumeCommand: `claude --resume ${SESSION}`,
    })
  })

  it.each(["/compact", "<system-reminder>x</system-reminder>", "", undefined])(
    "that says %j gives no title",
    (prompt) => {
      expect(last("UserPromptSubmit", { prompt })).not.toHaveProperty("sessionTitle")
    },
  )

  it("of a session with an id that no shell should see gives no command", () => {
    expect(last("UserPromptSubmit", { session_id: "x; rm -rf /", prompt: "go" })).not.toHaveProperty("resumeCommand")
  })
})

describe("a tool", () => {
  it("is told with what it does, relative to the folder", () => {
    expect(last("PreToolUse", { tool_name: "Edit", tool_input: { file_path: "/shop/src/app.ts" } }).toolDetail).toBe(
      "Edit src/app.ts",
    )
  })

  it("of a sub-agent is told with the kind of agent, and belongs to no turn", () => {
    const line = last("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, ...subagent })
    expect([line.toolDetail, line.turnId]).toEqual(["Explore: Bash: ls", undefined])
  })

  it("that asks is told with its questions", () => {
    expect(
      last("PreToolUse", {
        tool_name: "AskUserQuestion",
        tool_input: { questions: [{ question: "Red?" }, { question: "Blue?" }] },
      }).toolDetail,
    ).toBe("Red? / Blue?")
    expect(last("Elicitation", { message: "Which\u0007 one?" }).toolDetail).toBe("Which one?")
  })

  it.each<[string, Record<string, unknown>, boolean]>([
    ["PostToolUse", { tool_response: { is_error: true } }, true],
    ["PostToolUse", { tool_response: { is_error: false } }, false],
    ["PostToolUse", { tool_response: "is_error: true" }, false],
    ["PostToolUse", { tool_response: { is_error: true }, ...subagent }, false],
    ["PostToolUseFailure", {}, true],
    ["PostToolUseFailure", { ...subagent }, false],
  ])("after %s %j has failed: %s", (name, payload, failed) => {
    expect(last(name, payload).toolError === true).toBe(failed)
  })
})

describe("the end of a turn", () => {
  it("has the last words without their thinking, and the way back", () => {
    expect(last("Stop", { last_assistant_message: "<thinking>hm</thinking> All\ndone." })).toMatchObject({
      event: "finished",
      summary: "All done.",
      resumeCommand: `claude --resume ${SESSION}`,
    })
    expect(last("Stop")).not.toHaveProperty("exitCode")
  })

  it.each<[string, unknown, string]>([
    [
      "one agent",
      [{ type: "subagent", status: "running", description: "Read docs" }],
      "Waiting for 1 background agent: Read docs",
    ],
    [
      "two agents",
      [
        { type: "subagent", status: "running", description: "a" },
        { type: "subagent", status: "running" },
      ],
      "Waiting for 2 background agents: a, agent",
    ],
  ])("waits while %s are at work", (_, background_tasks, detail) => {
    expect(last("Stop", { background_tasks })).toMatchObject({ event: "running", toolDetail: detail })
  })

  it.each<[string, unknown]>([
    ["a shell", [{ type: "shell", status: "running" }]],
    ["an agent that is done", [{ type: "subagent", status: "completed" }]],
    ["nothing that can be read", [null, 7, "subagent"]],
    ["no list", { type: "subagent", status: "running" }],
  ])("does not wait for %s", (_, background_tasks) => {
    expect(last("Stop", { background_tasks }).event).toBe("finished")
  })

  it.each<[Record<string, unknown>, string]>([
    [{ last_assistant_message: "API Error: 529" }, "the model request failed: API Error: 529"],
    [{ error: "overloaded" }, "the model request failed: overloaded"],
    [{}, "the model request failed: no reason given"],
  ])("in a failed request says why: %j", (payload, reason) => {
    expect(last("StopFailure", payload)).toMatchObject({ event: "finished", exitCode: 1, reason })
  })

  it("of a sub-agent is not the turn's, however it ended", () => {
    expect(lines("StopFailure", { ...subagent, error: "unknown" })).toEqual([])
  })

  it("of a compaction that was asked for is an end only for a terminal that runs", () => {
    expect(last("PostCompact", { trigger: "manual" }).only).toEqual(["running"])
  })
})

describe("a notification", () => {
  it.each<[Record<string, unknown>, string, unknown]>([
    [{ notification_type: "idle_prompt" }, "idle", ["running", "unknown"]],
    [{ message: "Claude is waiting for your input" }, "idle", ["running", "unknown"]],
    [{ notification_type: "permission_prompt" }, "needsInput", undefined],
    [{ notification_type: "elicitation_dialog" }, "needsInput", undefined],
    [{ message: "Claude needs your permission to use Bash" }, "needsInput", undefined],
    [{ notification_type: "auth_success", message: "permission granted" }, "note", undefined],
    [{ notification_type: "something_new", message: "waiting for your input" }, "note", undefined],
    [{}, "note", undefined],
  ])("%j is %s", (payload, event, only) => {
    expect([last("Notification", payload).event, last("Notification", payload).only]).toEqual([event, only])
  })
})
