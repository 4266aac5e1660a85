import { readFileSync } from "node:fs"
import type { StatusAgent, StatusLine } from "@chorus/contracts"
import { addToHistory, beginHistory, compareLines } from "@chorus/core"
import { describe, expect, it } from "vitest"
import { outcomeOf, tableOf, VINTAGES } from "../test/outcome-table.ts"
import { sessionFileLines } from "./claude/session-file.ts"
import { claudeHookLines } from "./claude/hook-lines.ts"
import { claudeTranscriptLines } from "./claude/transcript.ts"
import { codexHookLines } from "./codex/hook-lines.ts"
import { codexRolloutLines } from "./codex/rollout.ts"
import { type HookCall, isRecord, readHookCall, readStatusLine } from "./line/index.ts"
import { openCodeTracker } from "./opencode/event-lines.ts"

const WORDS = { finished: "已结束", failed: "失败", idle: "空闲", ended: "已退出", "–": "–" } as const

describe.each(VINTAGES)("%s %s", (agent, version) => {
  it("comes out of everything that was recorded as the table says", async () => {
    const expected = [...tableOf("outcomes.md", agent, version)].filter(([, outcome]) => outcome !== "–")
    expect(Object.fromEntries(await outcomes(agent, version))).toEqual(Object.fromEntries(expected))
  })

  it("has the same cells in Chinese", () => {
    const english = [...tableOf("outcomes.md", agent, version).values()]
    expect([...tableOf("zh/outcomes.md", agent, version).values()]).toEqual(
      english.map((outcome) => WORDS[outcome as keyof typeof WORDS]),
    )
  })
})

/** What the terminal is at the end of each marked part of a recording. */
async function outcomes(agent: StatusAgent, version: string): Promise<[string, string][]> {
  const read = reader(agent)
  const lines: StatusLine[] = []
  const found = new Map<string, string>()
  let happening: string | undefined
  for (const text of readFileSync(new URL(`../fixtures/outcomes/${agent}-${version}.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n")) {
    const entry = JSON.parse(text) as Record<string, unknown>
    if (typeof entry["mark"] === "string") happening = entry["mark"]
    lines.push(...(await read(entry)))
    const [first, ...rest] = lines.toSorted(compareLines)
    if (happening === undefined || first === undefined) continue
    found.set(happening, outcomeOf(rest.reduce(addToHistory, beginHistory(first)).status))
  }
  return [...found]
}

/**
 * What each entry of a recording says: a hook, a session file, a line of a transcript or rollout, an event of
 * OpenCode's.
 */
function reader(agent: StatusAgent): (entry: Record<string, unknown>) => Promise<StatusLine[]> {
  const tracker = openCodeTracker("/home/person/project")
  const from = { terminalId: "terminal-1", agent } as const
  return async ({ heard, session, kept, chat, tool, event, at }) => {
    if (isRecord(heard)) {
      const call = readHookCall(heard, Date.now())
      if (call !== undefined) return agent === "claude" ? claudeHookLines(call) : codexHookLines(call)
      const line = heard["source"] === "launch" ? readStatusLine(heard, Date.now()) : undefined
      return line === undefined ? [] : [line]
    }
    if (isRecord(session)) return sessionFileLines(from.terminalId, Number(session["pid"]), session)
    if (typeof kept === "string") {
      const call: HookCall = { ...from, at: 0, pid: undefined, payload: { transcript_path: "s.jsonl" } }
      const lines = agent === "claude" ? claudeTranscriptLines : codexRolloutLines
      return lines(call, { read: async () => [kept] })
    }
    const told = isRecord(chat)
      ? tracker.chatMessage(chat["sessionID"], chat["parts"])
      : isRecord(tool)
        ? tracker.toolBefore(tool["sessionID"], tool["tool"], tool["args"])
        : isRecord(event)
          ? tracker.event(event["type"], event["properties"])
          : []
    return told.map((line) => ({ ...from, at: Number(at), ...line }))
  }
}
