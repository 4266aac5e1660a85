import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StatusLine } from "@chorus/contracts"
import { expect, it, onTestFinished } from "vitest"
import { appendedLines } from "../line/appended-lines.ts"
import type { HookCall } from "../line/read-line.ts"
import { sessionFileLines, sessionFiles } from "./session-file.ts"
import { claudeTranscriptLines } from "./transcript.ts"

const file = { pid: 7, statusUpdatedAt: 5000, status: "idle", name: "proj-1", nameSource: "derived" }

it("a session file speaks only where hooks are silent", () => {
  const base = { terminalId: "t", agent: "claude", at: 5000, source: "claude:session-file" }
  expect(sessionFileLines("t", 7, { ...file, status: "busy" })).toEqual([
    { ...base, event: "running", only: ["needsInput", "unknown"] },
  ])
  expect(sessionFileLines("t", 7, { ...file, status: "waiting" })).toEqual([
    { ...base, event: "needsInput", only: ["running", "needsInput", "unknown"] },
  ])
  // Where there are no hooks at all, it speaks for them too.
  expect(sessionFileLines("t", 7, { ...file, status: "waiting" }, true)).toEqual([
    { ...base, event: "needsInput", only: ["running", "needsInput", "unknown", "idle", "finished"] },
  ])
  expect(sessionFileLines("t", 7, file)[0]).toMatchObject({ event: "idle", only: ["running", "needsInput", "unknown"] })
  expect(sessionFileLines("t", 7, { ...file, nameSource: "user", name: "Mine" })[0]).toMatchObject({
    event: "note",
    sessionTitle: "Mine",
    titleOrigin: "person",
  })
})

it.each([undefined, [], {}, { ...file, pid: 8 }, { ...file, statusUpdatedAt: "x" }, { ...file, status: "dreaming" }])(
  "a session file that says nothing: %j",
  (odd) => {
    expect(sessionFileLines("t", 7, odd)).toEqual([])
  },
)

it("says each thing once, and nothing for a process no terminal names any more", () => {
  const folder = scratch()
  const lines: StatusLine[] = []
  const files = sessionFiles((line) => lines.push(line))
  onTestFinished(files.close)
  mkdirSync(join(folder, "sessions"))
  const path = join(folder, "sessions", "7.json")
  writeFileSync(path, JSON.stringify({ ...file, status: "busy" }))
  files.follow(call(folder, "UserPromptSubmit"))
  files.refresh()
  files.refresh()
  expect(lines.map((line) => line.event)).toEqual(["running"])
  files.keep(new Set())
  writeFileSync(path, JSON.stringify({ ...file, statusUpdatedAt: 9000 }))
  files.refresh()
  expect(lines).toHaveLength(1)
})

it("a transcript tells names and failures as they are added, whole lines only", async () => {
  const folder = scratch()
  const stop = call(folder, "Stop")
  const path = String(stop.payload["transcript_path"])
  mkdirSync(join(path, ".."), { recursive: true })
  const files = appendedLines()
  writeFileSync(path, '{"type":"ai-title","aiTitle":"Generated"}\n{"type":"custom-title","customTi')
  expect((await claudeTranscriptLines(stop, files)).map((line) => [line.sessionTitle, line.titleOrigin])).toEqual([
    ["Generated", "generated"],
  ])
  appendFileSync(path, 'tle":"Mine"}\nnot json -title"\n')
  expect((await claudeTranscriptLines(stop, files)).map((line) => [line.sessionTitle, line.titleOrigin])).toEqual([
    ["Mine", "person"],
  ])
  appendFileSync(
    path,
    '{"type":"assistant","isApiErrorMessage":true,"timestamp":"2026-11-15T11:31:29.741Z","message":{"content":[{"type":"text","text":"API Error: 400 no"}]}}\n',
  )
  expect(await claudeTranscriptLines(stop, files)).toMatchObject([
    {
      event: "finished",
      exitCode: 1,
      at: Date.parse("2026-11-15T11:31:29.741Z"),
      only: ["running", "needsInput"],
      reason: "the model request failed: API Error: 400 no",
    },
  ])
  expect(await claudeTranscriptLines(stop, files)).toEqual([])
})

it("of a long file only the end is read, from its first whole line", async () => {
  const path = join(scratch(), "long.jsonl")
  writeFileSync(path, Array.from({ length: 1000 }, (_, index) => `line ${index}\n`).join(""))
  const lines = await appendedLines(95).read(path)
  expect(lines.at(-1)).toBe("line 999")
  expect(lines.length).toBeLessThan(11)
  expect(lines.every((line) => /^line \d+$/.test(line))).toBe(true)
  expect(await appendedLines().read("/nowhere/at-all")).toEqual([])
})

function call(folder: string, event: string): HookCall {
  return {
    terminalId: "t",
    agent: "claude",
    at: 6000,
    pid: 7,
    payload: { hook_event_name: event, session_id: "s", transcript_path: join(folder, "projects", "p", "s.jsonl") },
  }
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "chorus-session-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
