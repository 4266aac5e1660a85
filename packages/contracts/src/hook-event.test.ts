import { describe, expect, it } from "vitest"
import { HookEvent, HookOutput } from "./hook-event.ts"
import { hook } from "./operations/hooks.ts"

const smallest = { hook_event_name: "SessionStart", session_id: "abc" }
const MOST_TEXT = 2_000_000

describe("what a hook tells", () => {
  it("is an event and a session at least", () => {
    expect(HookEvent.parse(smallest)).toEqual(smallest)
    expect(HookEvent.safeParse({ hook_event_name: "Stop" }).success).toBe(false)
    expect(HookEvent.safeParse({ session_id: "abc" }).success).toBe(false)
  })

  it("may be an event that only a newer agent has", () =>
    expect(HookEvent.parse({ ...smallest, hook_event_name: "MoonRise" }).hook_event_name).toBe("MoonRise"))

  it("loses the fields nobody asked for", () => {
    expect(HookEvent.parse({ ...smallest, transcript_path: "/home/ada/secret", env: {} })).toEqual(smallest)
  })

  it.each(["claude", "codex", "opencode"])("may come from %s", (program) =>
    expect(HookEvent.parse({ ...smallest, program })).toEqual({ ...smallest, program }),
  )

  it("comes from no program nobody knows", () =>
    expect(HookEvent.safeParse({ ...smallest, program: "vim" }).success).toBe(false))

  it.each(["tool_input", "tool_response", "transcript_head", "transcript_tail"])(
    "has %s as it is, or as JSON text where no process could read it",
    (field) => {
      for (const value of [{ command: "ls" }, '{"command":"ls"}', "", "not json"])
        expect(HookEvent.parse({ ...smallest, [field]: value })).toEqual({ ...smallest, [field]: value })
      for (const value of [7, true, [1], null])
        expect(HookEvent.safeParse({ ...smallest, [field]: value }).success).toBe(false)
    },
  )

  it.each(["prompt", "error", "last_assistant_message", "task_subject", "task_description", "message"])(
    "has up to two million characters of %s",
    (field) => {
      expect(HookEvent.safeParse({ ...smallest, [field]: "x".repeat(MOST_TEXT) }).success).toBe(true)
      expect(HookEvent.safeParse({ ...smallest, [field]: "x".repeat(MOST_TEXT + 1) }).success).toBe(false)
    },
  )

  it.each([
    "permission_mode",
    "agent_id",
    "agent_type",
    "agent_path",
    "source",
    "reason",
    "tool_name",
    "tool_use_id",
    "teammate_name",
    "team_name",
    "task_id",
    "notification_type",
    "attention_uuid",
  ])("has up to a thousand characters of %s", (field) => {
    expect(HookEvent.safeParse({ ...smallest, [field]: "x".repeat(1000) }).success).toBe(true)
    expect(HookEvent.safeParse({ ...smallest, [field]: "x".repeat(1001) }).success).toBe(false)
  })

  it.each([
    ["30", 30],
    [0, 0],
    ["3600", 3600],
  ])("says as %j for how many seconds the program waits", (answer_seconds, seconds) => {
    expect(HookEvent.parse({ ...smallest, answer_seconds }).answer_seconds).toBe(seconds)
  })

  it.each([-1, 3601, "soon", 1.5])("does not wait for %j seconds", (answer_seconds) => {
    expect(HookEvent.safeParse({ ...smallest, answer_seconds }).success).toBe(false)
  })

  it("names a session by 1 to 200 characters", () => {
    expect(HookEvent.safeParse({ ...smallest, session_id: "" }).success).toBe(false)
    expect(HookEvent.safeParse({ ...smallest, session_id: "x".repeat(201) }).success).toBe(false)
  })
})

describe("what a hook answers", () => {
  it("may be nothing", () => expect(HookOutput.parse({})).toEqual({}))

  it("may be context, a changed input, a decision, and a word to our own program", () => {
    const full = {
      systemMessage: "You work on a task.",
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        additionalContext: "…",
        permissionDecision: "allow",
        updatedInput: { prompt: "x" },
        decision: { behavior: "deny", message: "No." },
      },
      chorus: { attentionUuid: "a1", settled: true, needs: "prompt" },
    }
    expect(HookOutput.parse(full)).toEqual(full)
  })

  it("never denies by the old field, which a person cannot answer", () => {
    expect(
      HookOutput.safeParse({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } }).success,
    ).toBe(false)
  })

  it("is what the operation for hooks takes and gives, callable but on no list", () => {
    expect([hook.input, hook.output, hook.tool]).toEqual([HookEvent, HookOutput, "hidden"])
  })
})
