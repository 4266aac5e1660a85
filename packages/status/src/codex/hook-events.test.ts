import type { StatusLine } from "@chorus/contracts"
import { addToHistory, beginHistory } from "@chorus/core"
import { describe, expect, it } from "vitest"
import type { AppendedLines } from "../line/appended-lines.ts"
import type { HookCall } from "../line/read-line.ts"
import { codexArguments, shellQuote, snakeCase, trustedHash } from "./hook-flags.ts"
import { codexHookLines } from "./hook-lines.ts"
import { oscLine } from "./osc.ts"
import { codexRolloutLines } from "./rollout.ts"
import { sessionIndex } from "./session-index.ts"

const SESSION = "019c0000-0000-7000-8000-000000000001"
const callOf = (hook_event_name: string, payload: Record<string, unknown> = {}): HookCall => ({
  terminalId: "t",
  agent: "codex",
  at: 1000,
  pid: 7,
  payload: { hook_event_name, session_id: SESSION, turn_id: "u1", cwd: "/w", ...payload },
})
const lines = (...all: Parameters<typeof callOf>) => codexHookLines(callOf(...all))
const last = (...all: Parameters<typeof callOf>): Partial<StatusLine> => lines(...all).at(-1) ?? {}
const subagent = { agent_id: "a1", agent_type: "worker" }
/** A file with these lines, read once. */
const fileOf = (content: Record<string, string[]>): AppendedLines => ({ read: async (path) => content[path] ?? [] })

describe("what a Codex hook says", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["SessionStart", { source: "startup" }, "idle"],
    ["SessionStart", { source: "compact" }, "note"],
    ["UserPromptSubmit", { prompt: "go" }, "running"],
    ["UserPromptSubmit", { prompt: "go", ...subagent }, "running"],
    ["PreToolUse", { tool_name: "shell" }, "running"],
    ["PreToolUse", { tool_name: "request_user_input" }, "running needsInput"],
    ["PreToolUse", { tool_name: "request_user_input", ...subagent }, "running"],
    ["PermissionRequest", {}, "running needsInput"],
    ["PostToolUse", {}, "running"],
    ["PreModelRequest", {}, "running"],
    ["SubagentStart", {}, "running"],
    ["SubagentStop", {}, "running"],
    ["PostModelRequest", { status: "completed" }, ""],
    ["PostModelRequest", { status: "failed" }, "finished"],
    ["PostModelRequest", { status: "failed", ...subagent }, ""],
    ["Stop", {}, "finished"],
    ["Interrupt", {}, "idle"],
    ["PreCompact", {}, "running"],
    ["PostCompact", { trigger: "auto" }, "running"],
    ["PostCompact", { trigger: "manual" }, "idle"],
    ["SessionEnd", {}, "exited"],
    ["SomethingNew", {}, ""],
  ])("%s %j is: %s", (name, payload, said) => {
    expect(
      lines(name, payload)
        .map(({ event }) => event)
        .join(" "),
    ).toBe(said)
  })

  it("at a session's start does not take a turn away that has begun", () => {
    expect(last("SessionStart", { source: "startup" }).only).toEqual(["unknown", "idle", "finished"])
  })

  it("starts a turn with a prompt of the person's, not of a sub-agent's", () => {
    expect(last("UserPromptSubmit", { prompt: "Fix it" })).toMatchObject({
      turnStart: true,
      turnId: "u1",
      sessionTitle: "Fix it",
      resumeCommand: `codex resume ${SESSION}`,
    })
    expect(last("UserPromptSubmit", { prompt: "Fix it", ...subagent })).toEqual({
      terminalId: "t",
      agent: "codex",
      at: 1000,
      event: "running",
      source: "codex:UserPromptSubmit",
      sessionId: SESSION,
      pid: 7,
    })
  })

  it.each<[Record<string, unknown>, string | undefined]>([
    [
      { tool_name: "shell", tool_input: { command: "npm test", description: "May I run the tests?" } },
      "Bash: npm test (May I run the tests?)",
    ],
    [{ tool_name: "shell", tool_input: { command: "npm test" } }, "Bash: npm test"],
    [{ tool_name: "shell", tool_input: { command: "npm test" }, ...subagent }, "worker: Bash: npm test"],
    [{}, undefined],
  ])("asks with the command, and the reason it was given: %j", (payload, detail) => {
    expect(last("PermissionRequest", payload).toolDetail).toBe(detail)
  })

  it.each<[unknown, boolean]>([
    ["Exit code: 1\nWall time: 1s", true],
    ["Exit code: 0\n", false],
    ["Exit code: 01", true],
    ["it said Exit code: 1", false],
    [{ is_error: true }, true],
    [{ isError: true }, true],
    [{ isError: "yes" }, false],
    [undefined, false],
  ])("after a tool that answered %j has an error: %s", (tool_response, failed) => {
    expect(last("PostToolUse", { tool_response }).toolError === true).toBe(failed)
    expect(last("PostToolUse", { tool_response, ...subagent })).not.toHaveProperty("toolError")
  })

  it.each<[unknown, string]>([
    [{ message: "stream closed" }, "stream closed"],
    ['{"error":{"message": "model is overloaded","code":529}}', "model is overloaded"],
    ["plain words", "plain words"],
    [undefined, "no reason given"],
  ])("of a request that failed with %j says %s, for as long as Codex does not try again", (error, reason) => {
    expect(last("PostModelRequest", { status: "failed", error })).toMatchObject({
      exitCode: 1,
      provisional: true,
      reason: `the model request failed: ${reason}`,
    })
  })
})

describe("a command that goes on after its turn", () => {
  const state = (...calls: (readonly [name: string, payload?: Record<string, unknown>])[]) => {
    const told = calls.flatMap(([name, payload], step) =>
      codexHookLines({ ...callOf(name, payload), at: 10_000 * (step + 1) }),
    )
    const [first, ...rest] = told
    if (first === undefined) throw new Error("no lines")
    return rest.reduce(addToHistory, beginHistory(first)).status.state
  }
  const begun = [
    ["UserPromptSubmit", { prompt: "go" }],
    ["PreToolUse", { tool_name: "shell" }],
  ] as const

  it.each([
    ["Stop", "finished"],
    ["Interrupt", "idle"],
  ])("begins no other one when it ends; after %s it stays %s", (end, stays) => {
    expect(state(...begun, [end], ["PostToolUse"])).toBe(stays)
  })

  it("says of a turn under way that it goes on", () => {
    expect(state(...begun, ["PermissionRequest"], ["PostToolUse"])).toBe("running")
    expect(state(...begun, ["Stop"], ["PreToolUse"], ["PostToolUse"])).toBe("running")
  })
})

describe("what the Codex interface writes to its terminal", () => {
  const osc = (text: unknown, more: Record<string, unknown> = {}) =>
    oscLine({ osc: text, terminalId: "t", at: 5, ...more }, 9000)

  it.each<[string, Partial<StatusLine>]>([
    ["state=working:app=codex", { event: "running", only: ["needsInput", "unknown"] }],
    ["state=blocked:kind=question:app=codex", { event: "needsInput", toolDetail: "Codex asks a question" }],
    ["state=blocked:app=codex", { event: "needsInput", toolDetail: "Codex asks for permission" }],
    ["state=error", { event: "finished", exitCode: 1 }],
    ["state=idle:app=codex", { event: "idle" }],
    ["app=codex:state=done", { event: "idle" }],
  ])("%s is %j", (text, line) => {
    expect(osc(text)).toMatchObject({ terminalId: "t", agent: "codex", at: 5000, source: "codex:osc7501", ...line })
  })

  it.each<[string, unknown, Record<string, unknown>]>([
    ["a state it does not know", "state=dreaming", {}],
    ["another program", "state=working:app=vim", {}],
    ["no state", "app=codex", {}],
    ["nothing", "", {}],
    ["no text", 7, {}],
    ["no terminal", "state=working", { terminalId: undefined }],
    ["a terminal that is none", "state=working", { terminalId: "a\u001b[2J" }],
  ])("is nothing with %s", (_, text, more) => {
    expect(osc(text, more)).toBeUndefined()
  })
})

describe("what Codex keeps in files", () => {
  const rollout = { transcript_path: "/c/sessions/2026/r.jsonl" }
  const kept = (payload: object, second: number) =>
    JSON.stringify({ timestamp: new Date(second * 1000).toISOString(), payload })
  const told = (...lines: string[]) =>
    codexRolloutLines(callOf("Stop", rollout), fileOf({ "/c/sessions/2026/r.jsonl": lines }))
  const item = (status: string, words = "") => ({ type: "item_completed", turn_id: "u0", item: { status, words } })
  const answer = (output: string) => ({
    type: "function_call_output",
    output,
    internal_chat_message_metadata_passthrough: { turn_id: "u1" },
  })

  it("adds the tools that failed, each in its own turn and at its own time", async () => {
    expect(
      await told(
        kept(item("failed"), 3),
        kept(answer("apply_patch verification failed: no such lines"), 4),
        kept(answer('Output:\napply_patch verification failed, says "status":"failed"'), 5),
        kept(item("declined"), 6),
        kept(item("completed", '"status":"failed"'), 7),
        '{"payload":{"item":{"status":"failed"}}}',
        '"status":"failed" {broken',
      ),
    ).toMatchObject([
      { event: "note", toolError: true, turnId: "u0", at: 3000, source: "codex:rollout" },
      { event: "note", toolError: true, turnId: "u1", at: 4000 },
    ])
    expect(await codexRolloutLines(callOf("Stop", { transcript_path: "/etc/shadow" }), fileOf({}))).toEqual([])
  })

  it("adds how turns begin and end", async () => {
    const refused = { message: '{"error":{"message":"no such model"}}' }
    expect(
      await told(
        kept({ type: "task_started", turn_id: "u" }, 1),
        kept({ type: "turn_aborted" }, 2),
        kept({ type: "task_complete", last_agent_message: "Done." }, 3),
        kept({ type: "task_complete", error: refused }, 4),
      ),
    ).toMatchObject([
      { event: "running", turnId: "u", only: ["idle", "finished", "unknown"] },
      { event: "idle", reason: "interrupted by the person" },
      { event: "finished", summary: "Done." },
      { event: "finished", exitCode: 1, reason: "the model request failed: no such model" },
    ])
  })

  it("names a session by its newest line, and keeps names it has read before", async () => {
    const reads = [
      [
        '{"id":"a","thread_name":"First"}',
        '{"id":"019c0000-0000-7000-8000-000000000001","thread_name":"Old"}',
        `{"id":"${SESSION}","thread_name":"New"}`,
        "{broken",
      ],
      [],
    ]
    const titles = sessionIndex({
      read: async (path) => (path === "/c/session_index.jsonl" ? (reads.shift() ?? []) : []),
    })
    expect(await titles(callOf("Stop", rollout))).toMatchObject([
      { event: "note", sessionTitle: "New", titleOrigin: "generated" },
    ])
    expect(await titles(callOf("Stop", { ...rollout, session_id: "a" }))).toMatchObject([{ sessionTitle: "First" }])
    expect(await titles(callOf("Stop", { ...rollout, session_id: "b" }))).toEqual([])
    expect(await titles(callOf("Stop"))).toEqual([])
  })
})

describe("the flags of one launch", () => {
  it.each(["SessionStart", "PreModelRequest", "Interrupt"])("trust the handler of %s by its own hash", (event) => {
    const args = codexArguments(["exec", "hi"], "/it's/emit")?.join("\n") ?? ""
    const command = "exec '/it'\\''s/emit'"
    expect(args).toContain(`hooks.${event}=[{hooks=[{type="command",command=${JSON.stringify(command)},timeout=3}]}]`)
    expect(args).toContain(
      `"/<session-flags>/config.toml:${snakeCase(event)}:0:0"={trusted_hash="${trustedHash(event, command)}"}`,
    )
    expect(args.endsWith("exec\nhi")).toBe(true)
  })

  it.each([["--version"], ["login"], ["exec", "-h"], ["cloud", "x"]])("are left out of %j", (...args) => {
    expect(codexArguments(args, "/emit")).toBeUndefined()
  })

  it("give a hash that changes with everything it is about", () => {
    const hashes = [
      trustedHash("Stop", "a"),
      trustedHash("Stop", "b"),
      trustedHash("SessionStart", "a"),
      trustedHash("Stop", "a", 10),
      trustedHash("Stop", "a", 3, "m"),
    ]
    expect(new Set(hashes).size).toBe(5)
    expect(hashes[0]).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect([snakeCase("PreToolUse"), snakeCase("Stop"), shellQuote("a'b")]).toEqual([
      "pre_tool_use",
      "stop",
      `'a'\\''b'`,
    ])
  })
})
