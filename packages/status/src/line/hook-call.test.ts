import { appendFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { appendedLines } from "./appended-lines.ts"
import { isTerminalId, lineFrom, readHookCall, withoutEmpty } from "./read-line.ts"
import { oneLine, summaryOf, titleFromPrompt } from "./text.ts"
import { questionText, toolDetail } from "./tool-detail.ts"

const NOW = 1_794_740_000_000
const call = (more: Record<string, unknown> = {}) =>
  readHookCall(
    { hook: "claude", terminalId: "t", at: NOW, pid: 42, payload: { hook_event_name: "Stop" }, ...more },
    NOW,
  )

describe("a hook call", () => {
  it("is read with where and when it happened, its input untouched", () => {
    expect(call({ payload: { hook_event_name: "Stop", deep: { a: [1] } } })).toEqual({
      terminalId: "t",
      agent: "claude",
      at: NOW,
      pid: 42,
      payload: { hook_event_name: "Stop", deep: { a: [1] } },
    })
  })

  it.each<[string, Record<string, unknown>]>([
    ["an agent nobody knows", { hook: "vim" }],
    ["no terminal", { terminalId: undefined }],
    ["a terminal that steers", { terminalId: "a\u001b]0;x\u0007" }],
    ["no input", { payload: undefined }],
    ["an input that is a list", { payload: [] }],
    ["a beginning without an event", { payload: undefined, head: '{"session_id":"s"' }],
    ["a beginning that is no text", { payload: undefined, head: 7 }],
  ])("is none with %s", (_, more) => {
    expect(call(more)).toBeUndefined()
  })

  it.each<[unknown, number | undefined]>([
    [42, 42],
    [1, undefined],
    [0, undefined],
    [-5, undefined],
    [1.5, undefined],
    ["42", undefined],
  ])("with the process %j has %s", (pid, known) => {
    expect(call({ pid })?.pid).toBe(known)
  })

  it("of a tool with megabytes of input is read from its beginning", () => {
    const head = String.raw`{"session_id":"s-1","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/w/\"a\" \u00fc.ts","content":"${"x".repeat(300)}`
    expect(call({ payload: undefined, head })?.payload).toEqual({
      session_id: "s-1",
      cwd: "/w",
      hook_event_name: "PreToolUse",
      tool_name: "Write",
      tool_input: { file_path: '/w/"a" ü.ts' },
    })
  })

  it("does not take a field that is cut off, or longer than a field can be", () => {
    expect(call({ payload: undefined, head: '{"hook_event_name":"Stop","cwd":"/half' })?.payload).toEqual({
      hook_event_name: "Stop",
    })
    expect(
      call({ payload: undefined, head: `{"cwd":"${"x".repeat(501)}","hook_event_name":"Stop"}` })?.payload,
    ).toEqual({ hook_event_name: "Stop" })
  })
})

describe("a line about a call", () => {
  const made = (payload: Record<string, unknown>) =>
    lineFrom({ terminalId: "t", agent: "codex", at: 1, pid: undefined, payload }, "running")

  it("names its turn by either agent's word, and none for a sub-agent", () => {
    expect([
      made({ prompt_id: "p" }).turnId,
      made({ turn_id: "u" }).turnId,
      made({ turn_id: "u", agent_id: "a" }).turnId,
      made({ turn_id: 7 }).turnId,
    ]).toEqual(["p", "u", undefined, undefined])
  })

  it("leaves out what says nothing, so that the same is the same", () => {
    expect(withoutEmpty({ a: undefined, b: false, c: 0, d: "", e: null })).toEqual({ c: 0, d: "", e: null })
    expect(Object.keys(made({ hook_event_name: "x".repeat(90) }))).toEqual([
      "terminalId",
      "agent",
      "at",
      "event",
      "source",
    ])
    expect(made({ hook_event_name: "x".repeat(90) }).source).toHaveLength(46)
  })
})

describe("words from an agent", () => {
  it.each<[unknown, number, string | undefined]>([
    ["  two\n\nlines\t", 50, "two lines"],
    ["\u001b[31mred\u001b[0m", 50, "[31mred [0m"],
    ["left\u202eright\u061cleft", 50, "left right left"],
    ["a\u2028b\u0085c", 50, "a b c"],
    ["half \ud83d", 50, "half"],
    ["😀😀😀😀", 3, "😀😀…"],
    ["12345", 5, "12345"],
    ["123456", 5, "1234…"],
    [" \u200b ", 50, undefined],
    [7, 50, undefined],
  ])("%j in %i letters are %j", (value, limit, text) => {
    expect(oneLine(value, limit)).toBe(text)
  })

  it("stay short however much comes in", () => {
    expect(oneLine(`${" ".repeat(100_000)}late`)).toBeUndefined()
    expect(oneLine("x".repeat(1_000_000))).toHaveLength(200)
    expect(titleFromPrompt("y".repeat(200))).toHaveLength(80)
    expect([summaryOf("<thinking>only"), summaryOf(undefined)]).toEqual([undefined, undefined])
  })

  it.each<[unknown, boolean]>([
    ["tmux-3", true],
    ["x".repeat(200), true],
    ["x".repeat(201), false],
    ["", false],
    [" a", false],
    ["a  b", false],
    ["a\nb", false],
    [7, false],
  ])("name a terminal: %j %s", (value, is) => {
    expect(isTerminalId(value)).toBe(is)
  })

  it.each<[string, unknown, string | undefined]>([
    ["NotebookEdit", { notebook_path: "/w/a.ipynb" }, "NotebookEdit a.ipynb"],
    ["Read", { file_path: "/elsewhere/a" }, "Read /elsewhere/a"],
    ["Read", { file_path: "/shop/a" }, "Read /shop/a"],
    ["grep", { pattern: "x y" }, "Grep: x y"],
    ["mcp__chorus__get_task", {}, "chorus: get_task"],
    ["Task", { description: "Look" }, "Agent: Look"],
    ["collaborationspawn_agent", { task_name: "t" }, "Agent: t"],
    ["apply_patch", { command: "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n" }, "Edit a.ts, b.ts"],
    ["Skill", { skill: "deploy" }, "Skill: deploy"],
    ["Think", undefined, "Think"],
    ["Bash", { command: 7 }, "Bash:"],
    ["", {}, undefined],
  ])("about the tool %s %j are %j", (tool, input, words) => {
    expect(toolDetail(tool, input, "/w")).toBe(words)
  })

  it("about questions are all of them", () => {
    expect([questionText([{ question: "A?" }, 7, { question: "B?" }]), questionText("A?"), questionText([])]).toEqual([
      "A? / / B?",
      undefined,
      undefined,
    ])
  })
})

describe("what a file has gained", () => {
  let folder: ReturnType<typeof temporaryDirectory>
  let path: string
  beforeEach(() => {
    folder = temporaryDirectory("lines-")
    path = join(folder.path, "f.jsonl")
  })
  afterEach(() => folder[Symbol.asyncDispose]())

  it("is told once, in whole lines", async () => {
    const files = appendedLines()
    writeFileSync(path, "one\ntw")
    expect(await files.read(path)).toEqual(["one"])
    expect(await files.read(path)).toEqual([])
    appendFileSync(path, "o ü\n\nthree\n")
    expect(await files.read(path)).toEqual(["two ü", "three"])
  })

  it("is everything again when the file was begun anew", async () => {
    const files = appendedLines()
    writeFileSync(path, "a long first line\n")
    await files.read(path)
    truncateSync(path)
    writeFileSync(path, "new\n")
    expect(await files.read(path)).toEqual(["new"])
  })

  it("is for each reader its own, and nothing where there is no file", async () => {
    writeFileSync(path, "x\n")
    expect([
      await appendedLines().read(path),
      await appendedLines().read(path),
      await appendedLines().read(join(path, "below")),
    ]).toEqual([["x"], ["x"], []])
  })

  it("of a line longer than it reads is what comes after that line", async () => {
    const files = appendedLines(20)
    writeFileSync(path, `${"x".repeat(50)}`)
    expect(await files.read(path)).toEqual([])
    appendFileSync(path, "tail\nshort\n")
    expect(await files.read(path)).toEqual(["short"])
  })
})
