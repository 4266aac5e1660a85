import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { appendedLines } from "../line/appended-lines.ts"
import type { HookCall } from "../line/read-line.ts"
import { claudeArguments, claudeHookSettings } from "./settings-flag.ts"
import { claudeTranscriptLines } from "./transcript.ts"

type Settings = { hooks: Record<string, { hooks: { command: string }[] }[]>; [key: string]: unknown }
const settingsIn = (args: readonly string[] | undefined) =>
  JSON.parse(args?.[args.lastIndexOf("--settings") + 1] ?? "null") as Settings
const theirs = { model: "opus", hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }], Custom: [] } }

describe("the settings of one launch", () => {
  it("start our program directly at every event, with a limit", () => {
    const { hooks } = claudeHookSettings("/emit")
    expect(Object.keys(hooks)).toContain("StopFailure")
    const { PermissionRequest: asking, ...others } = hooks
    for (const groups of Object.values(others))
      expect(groups).toEqual([{ hooks: [{ type: "command", command: "/emit", args: [], timeout: 3 }] }])
    expect(asking).toEqual([{ hooks: [{ type: "command", command: "/emit", args: ["await"], timeout: 86_400 }] }])
    expect(claudeHookSettings("/emit", { version: "2.1.197" }).hooks["PermissionRequest"]).toEqual(others["Stop"])
  })

  it.each([
    ["2.1.41", false],
    ["2.1.256", false],
    ["2.1.257", true],
    ["2.1.1000", true],
    ["2.2.0", true],
    ["3.0.0", true],
    ["1.9.999", false],
    [undefined, true],
  ])("name newer events for version %s: %s", (version, newer) => {
    expect("StopFailure" in claudeHookSettings("/emit", { version }).hooks).toBe(newer)
  })

  it.each<[string, string[]]>([
    ["as text", ["-p", "hi", "--settings", JSON.stringify(theirs), "--model", "x"]],
    ["as text in one word", ["-p", "hi", `--settings=${JSON.stringify(theirs)}`, "--model", "x"]],
    ["as a file", ["-p", "hi", "--settings", "/mine.json", "--model", "x"]],
    [
      "twice, where the last counts",
      ["--settings", '{"model":"old"}', "-p", "hi", "--settings", "/mine.json", "--model", "x"],
    ],
  ])("are added to the person's, given %s", (_, args) => {
    const merged = claudeArguments(args, "/emit", { readFile: () => JSON.stringify(theirs) })
    expect(settingsIn(merged).model).toBe("opus")
    expect(settingsIn(merged).hooks["Stop"]?.map((group) => group.hooks[0]?.command)).toEqual(["mine", "/emit"])
    expect(settingsIn(merged).hooks["Custom"]).toEqual([])
    expect(merged?.slice(-2)).toEqual(["--model", "x"])
    expect(merged).toContain("-p")
  })

  it.each<[string, string[]]>([
    ["settings that are no JSON", ["--settings", "{broken"]],
    ["settings that are a list", ["--settings=[]"]],
    ["a file that is not there", ["--settings", "/nowhere.json"]],
    ["no value", ["--settings"]],
    ["a question for help", ["-p", "--help"]],
    ["a sub-command", ["mcp", "list"]],
    ["a remote session", ["--remote-control"]],
    ["a wish to read what every hook does", ["-p", "hi", "--include-hook-events"]],
  ])("are left out with %s", (_, args) => {
    expect(claudeArguments(args, "/emit")).toBeUndefined()
  })

  it("are added where a sub-command's name is only a word of the prompt", () => {
    expect(claudeArguments(["-p", "mcp"], "/emit")?.slice(2)).toEqual(["-p", "mcp"])
  })

  it.each([
    [["-p", "hi"], false],
    [["hi", "--print"], false],
    [["-cp", "hi"], false],
    [["--output-format=json", "hi"], false],
    [["hi"], true],
    [["-c"], true],
  ])("hear of the start of a session with %j: %s, as what it prints would tell of that hook", (args, isHeard) => {
    expect("SessionStart" in settingsIn(claudeArguments(args, "/emit")).hooks).toBe(isHeard)
  })

  it("replace what is no list of the person's", () => {
    const merged = claudeArguments(["--settings", '{"hooks":{"Stop":"mine"}}'], "/emit")
    expect(settingsIn(merged).hooks["Stop"]).toHaveLength(1)
  })
})

describe("a transcript", () => {
  const call = (path: string, hook_event_name = "Stop"): HookCall => ({
    terminalId: "t",
    agent: "claude",
    at: 5,
    pid: undefined,
    payload: { hook_event_name, transcript_path: path },
  })
  const told = async (record: unknown, name?: string) => {
    await using folder = temporaryDirectory("transcript-")
    const path = join(folder.path, "s.jsonl")
    writeFileSync(path, `${typeof record === "string" ? record : JSON.stringify(record)}\n`)
    return await claudeTranscriptLines(call(path, name), appendedLines())
  }
  const failure = {
    timestamp: "1970-01-01T00:00:01.000Z",
    isApiErrorMessage: true,
    message: { content: [{ type: "thinking" }, { type: "text", text: "529 overloaded" }] },
  }

  it("tells a name, and whose it is", async () => {
    expect(await told({ type: "custom-title", customTitle: "Mine" })).toMatchObject([
      { event: "note", sessionTitle: "Mine", titleOrigin: "person", source: "claude:transcript", at: 5 },
    ])
    expect(await told({ type: "ai-title", aiTitle: "Made\nup" })).toMatchObject([
      { sessionTitle: "Made up", titleOrigin: "generated" },
    ])
  })

  it("tells a request that failed, at its own time and only of a turn that goes on", async () => {
    expect(await told(failure)).toMatchObject([
      {
        event: "finished",
        at: 1000,
        exitCode: 1,
        only: ["running", "needsInput"],
        reason: "the model request failed: 529 overloaded",
      },
    ])
    expect(await told({ ...failure, message: "?" })).toMatchObject([
      { reason: "the model request failed: no reason given" },
    ])
  })

  it.each<[string, unknown]>([
    ["a sub-agent's failure", { ...failure, isSidechain: true }],
    ["a failure without a time", { ...failure, timestamp: undefined }],
    ["words about a title", { type: "user", text: 'the "ai-title" of it' }],
    ["a broken line", '{"type":"ai-title","aiTitle":'],
    ["a line that is a list", '["ai-title"]'],
  ])("tells nothing of %s", async (_, record) => {
    expect(await told(record)).toEqual([])
  })

  it("is read only where it is one", async () => {
    expect(await claudeTranscriptLines(call("/etc/passwd"), appendedLines())).toEqual([])
    expect(await claudeTranscriptLines(call("/nowhere/s.jsonl"), appendedLines())).toEqual([])
  })
})
