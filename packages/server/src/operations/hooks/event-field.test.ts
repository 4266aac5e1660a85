import type { HookEvent, work } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import { briefText, closingRules } from "./brief-text.ts"
import { fromCodex, toCodex } from "./codex-event.ts"
import { cleaned, cleanLine, fieldsOf, lastWordsOf, returnedWords, wordsOf } from "./event-field.ts"
import { isHelper } from "./helper-agent.ts"

const w = embeddedWorkspace()
const event = (more: Partial<HookEvent> = {}): HookEvent => ({
  hook_event_name: "PreToolUse",
  session_id: "s",
  ...more,
})

describe("a field of an event", () => {
  it.each([
    [{ a: 1 }, { a: 1 }],
    ['{"a":1}', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ["[1]", undefined],
    ["{half", undefined],
    ["7", undefined],
    [[1], undefined],
    [null, undefined],
    [undefined, undefined],
  ])("%j is read as %j", (value, fields) => {
    expect(fieldsOf(value)).toEqual(fields)
  })

  it("is cleaned of what no store takes, trimmed and cut", () => {
    expect(cleaned("  a\u0000b\u001b[31m\tc\nd \u007f ")).toBe("ab[31m\tc\nd")
    expect(cleaned("abcdef", 3)).toBe("abc")
    expect(cleanLine(" one\n\ttwo\u0000  three ", 100)).toBe("one two three")
    expect(cleanLine("", 10)).toBe("")
  })
})

describe("the words of a message", () => {
  const line = (content: unknown, holder = "message") => ({ type: "user", [holder]: { role: "user", content } })

  it.each<[string, unknown, string]>([
    ["plain text", line("hello"), "hello"],
    [
      "blocks of text",
      line([
        { type: "text", text: "one" },
        { type: "tool_use", name: "x" },
        { type: "text", text: "two" },
      ]),
      "one\ntwo",
    ],
    ["what Codex calls a payload", line([{ type: "input_text", text: "hi" }], "payload"), "hi"],
    [
      "what Codex calls encrypted",
      line([{ type: "encrypted_content", encrypted_content: "plain after all" }], "payload"),
      "plain after all",
    ],
    ["a line of JSON", JSON.stringify(line("hello")), "hello"],
    ["no content", line(undefined), ""],
    ["content that is no text", line([{ type: "text", text: 7 }, null, "x"]), ""],
    ["no message", {}, ""],
    ["nothing", undefined, ""],
  ])("%s", (_, told, words) => {
    expect(wordsOf(told as HookEvent["transcript_head"])).toBe(words)
  })

  it("said last are told, or else stand at the end of the transcript, if an agent said them", () => {
    const tail = (role: string) => ({ message: { role, content: "from the transcript" } })
    expect(lastWordsOf(event({ last_assistant_message: " DONE\u0000 " }))).toBe("DONE")
    expect(lastWordsOf(event({ transcript_tail: tail("assistant") } as Partial<HookEvent>))).toBe("from the transcript")
    expect(lastWordsOf(event({ transcript_tail: tail("user") } as Partial<HookEvent>))).toBe("")
    expect(
      lastWordsOf(event({ last_assistant_message: "told", transcript_tail: tail("assistant") } as Partial<HookEvent>)),
    ).toBe("told")
    expect(lastWordsOf(event())).toBe("")
  })
})

describe("agents that only look things up", () => {
  it.each(["Explore", "plan", "PLAN", "claude-code-guide", "statusline-setup"])("%s is one", (type) =>
    expect(isHelper(type)).toBe(true),
  )
  it.each(["general-purpose", "", "explorer", "code-reviewer"])("%j is none", (type) =>
    expect(isHelper(type)).toBe(false),
  )
})

describe("Codex's way to spawn", () => {
  const spawn = event({
    program: "codex",
    tool_name: "functions.spawn_agent",
    tool_use_id: "call_1",
    tool_input: { message: "build it", task_name: "builder", extra: 1 },
  })

  it("is told in Claude Code's words", () => {
    expect(fromCodex(spawn)).toMatchObject({
      tool_name: "Agent",
      tool_use_id: "toolu_call_1",
      tool_input: { prompt: "build it", description: "builder", subagent_type: "default", run_in_background: true },
    })
  })

  it("that came to nothing is a failure", () => {
    const after = { ...spawn, hook_event_name: "PostToolUse" }
    expect(fromCodex({ ...after, tool_response: { error: "no" } }).hook_event_name).toBe("PostToolUseFailure")
    expect(fromCodex({ ...after, tool_response: { task_name: "builder" } }).hook_event_name).toBe("PostToolUse")
  })

  it("is answered with its whole input and the new message, allowed; other answers stay as they are", () => {
    const output = {
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { prompt: "build it\n\nbrief" } },
    }
    expect(toCodex(spawn, output)).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { message: "build it\n\nbrief", task_name: "builder", extra: 1 },
      },
    })
    const plain = { systemMessage: "hi" }
    expect(toCodex(spawn, plain)).toBe(plain)
  })

  it("leaves every other event alone", () => {
    const other = event({ tool_name: "shell", tool_input: {} })
    expect(fromCodex(other)).toBe(other)
  })
})

describe("a brief in words", () => {
  const brief = async (more: object = {}) =>
    w.call<work.TaskBrief>(w.developer, "chorus_start_task", {
      taskUuid: await w.newTask({ title: "Build", description: "the thing", priority: "high", ...more }),
    })

  it("says what to do and numbers the criteria, with how to check them", async () => {
    const words = briefText(await brief())
    expect(words).toMatch(
      /^Task [\w-]{36}: Build \(\w+-\d+, in progress, priority high, project First\)\n\nthe thing\n\nAcceptance criteria:\n1\. it works\n2\. it is fast \(optional\) — check: npm test$/,
    )
  })

  it("says what it builds on, on one line each, and where others work", async () => {
    const base = await w.taskAt("in_progress", { title: "Base", holder: w.rival })
    await w.call(w.rival, "chorus_report_work", { taskUuid: base, report: "made\nthe base" })
    await w.call(w.admin, "chorus_admin_close_task", { taskUuid: base })
    const busy = await w.taskAt("in_progress", { holder: w.rival })
    await w.call(w.rival, "chorus_reserve_paths", { taskUuid: busy, globs: ["src/**"] })
    const words = briefText(
      await brief({
        dependsOnTaskUuids: [base],
        references: [{ type: "docs", url: "https://example.test/", title: "Guide" }],
      }),
    )
    expect(words).toContain("Builds on:\n- Base (closed): made the base")
    expect(words).toContain("Paths others work on; leave them alone:\n- src/** (Rival)")
    expect(words).toContain("References:\n- Guide: https://example.test/")
  })

  it("ends with how to hand in, and asks about criteria only where there are any", () => {
    expect(closingRules([{}, {}])).toContain('"[x] 1 evidence"')
    expect(closingRules([])).not.toContain("[x]")
    expect(closingRules([])).toContain('Begin it with "DONE"')
  })
})

it("takes what a sub-agent said, without the list of its tools that the program puts before it", () => {
  const said = (text: string) => returnedWords({ status: "completed", content: [{ type: "text", text }] })
  const tools = "<tools-used-before-summary>Bash</tools-used-before-summary>"
  expect(said(`${tools}\n\nDONE: it works`)).toBe("DONE: it works")
  expect(said(`DONE: ${tools}`)).toBe(`DONE: ${tools}`)
})
