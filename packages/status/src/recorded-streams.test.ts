import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { StatusLine } from "@chorus/contracts"
import { StatusLine as StatusLineSchema } from "@chorus/contracts"
import { addToHistory, beginHistory, compareLines, type TerminalStatus } from "@chorus/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { claudeHookLines } from "./claude/hook-lines.ts"
import { codexHookLines } from "./codex/hook-lines.ts"
import { isRecord, readHookCall } from "./line/read-line.ts"
import { openCodeTracker } from "./opencode/event-lines.ts"

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url))
const TERMINAL = "terminal-1"

const streams = [
  ...recordings("claude").map(([name, records]) => [name, hookLines("claude", records)] as const),
  ...recordings("codex").map(([name, records]) => [name, hookLines("codex", records)] as const),
  ...recordings("opencode").map(([name, records]) => [name, openCodeLines(records)] as const),
]

describe("what recorded sessions come to", () => {
  it.each([
    ["claude/failing-tool", "idle running needsInput running finished:1"],
    ["claude/model-error", "idle running finished:1"],
    ["claude/team", "idle running finished:0 running needsInput running finished:0"],
    ["codex/simple", "idle running finished:0"],
    ["codex/tools", "idle running needsInput running finished:0"],
    ["codex/error400", "idle running finished:1"],
    ["codex/error500", "idle running finished:1 running finished:1"],
    ["codex/subagent", "idle running finished:0"],
    ["codex/old-0.155.0", "idle running finished:0"],
    [
      "codex/tui",
      "idle running needsInput running finished:0 running needsInput idle running needsInput running finished:0 running finished:1 running idle",
    ],
    ["opencode/run", "running finished:0"],
    ["opencode/tui", "running needsInput running finished:0"],
  ])("%s: %s", (name, expected) => {
    expect(sequence(named(name))).toBe(expected)
  })

  it("claude/interactive: a grant, an interrupt without any hook, a background agent, an end", () => {
    expect(sequence(named("claude/interactive"))).toBe(
      "idle running needsInput running finished:0 running finished:0 running finished:0",
    )
  })

  it("opencode/serve: each step of the recorded session", () => {
    const steps = openCodeSteps()
    expect(steps).toEqual({
      "permission-once": "running needsInput running finished:0",
      "permission-reject": "running needsInput running idle",
      "permission-reject-message": "running needsInput running finished:0",
      "tool-fails": "running finished:1",
      "edit-and-mcp": expect.stringMatching(/^running.* finished:\d$/),
      "model-error-400": "running finished:1",
      "model-error-500-retry": "running finished:0",
      abort: expect.stringMatching(/^running.* idle$/),
      question: "running needsInput running finished:0",
      subagent: expect.stringMatching(/^running.* finished:0$/),
      todo: expect.stringMatching(/^running.* finished:\d$/),
      compact: expect.stringMatching(/finished:0$/),
      rename: "",
    })
  })
})

describe("recorded lines", () => {
  it.each(streams)("%s keep to the contract", (_name, lines) => {
    for (const line of lines) expect(StatusLineSchema.parse(line)).toEqual(line)
  })

  it.each(streams)("%s end the same when shuffled, repeated and cut", (_name, lines) => {
    const sorted = [...lines].sort(compareLines)
    fc.assert(
      fc.property(
        fc.nat({ max: lines.length - 1 }),
        fc.nat({ max: lines.length - 1 }),
        fc.array(fc.nat(), { minLength: 300, maxLength: 300 }),
        (from, to, dice) => {
          const kept = sorted.slice(Math.min(from, to), Math.max(from, to) + 1)
          const mixed = shuffle([...kept, ...kept.filter((_, index) => (dice[index] ?? 0) % 4 === 0)], dice)
          expect(statusOf(mixed)).toEqual(statusOf(kept))
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each(streams)("%s end in the same state when the beginning was missed", (_name, lines) => {
    const sorted = [...lines].sort(compareLines)
    const full = statusOf(sorted)
    const lastTurn = sorted.findLastIndex((line) => line.turnStart === true)
    for (let from = 0; from <= lastTurn; from++) expect(statusOf(sorted.slice(from)).state).toBe(full.state)
  })
})

function recordings(agent: string): [string, Record<string, unknown>[]][] {
  return readdirSync(`${FIXTURES}${agent}`)
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => [`${agent}/${file.replace(".jsonl", "")}`, records(`${FIXTURES}${agent}/${file}`)])
}

function records(path: string): Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text) as Record<string, unknown>)
}

function hookLines(agent: "claude" | "codex", all: Record<string, unknown>[]): StatusLine[] {
  return all.flatMap((record) => {
    const call = readHookCall({ hook: agent, terminalId: TERMINAL, ...record }, Date.now())
    if (call === undefined) throw new Error(`not a hook call: ${JSON.stringify(record)}`)
    return agent === "claude" ? claudeHookLines(call) : codexHookLines(call)
  })
}

function openCodeLines(all: Record<string, unknown>[], tracker = openCodeTracker("/home/user/ocproj")): StatusLine[] {
  return all.flatMap((record) => {
    const { chat, tool, event } = record
    const at = Number(record["at"])
    const found = isRecord(chat)
      ? tracker.chatMessage(chat["sessionID"], chat["parts"])
      : isRecord(tool)
        ? tracker.toolBefore(tool["sessionID"], tool["tool"], tool["args"])
        : isRecord(event)
          ? tracker.event(event["type"], event["properties"])
          : []
    return found.map((line) => ({ terminalId: TERMINAL, agent: "opencode" as const, at, ...line }))
  })
}

/** The states of each marked step of the long OpenCode recording. */
function openCodeSteps(): Record<string, string> {
  const tracker = openCodeTracker("/home/user/ocproj")
  const steps: Record<string, StatusLine[]> = {}
  let current: StatusLine[] = []
  for (const record of records(`${FIXTURES}opencode/serve.jsonl`)) {
    if (typeof record["mark"] === "string") current = steps[record["mark"]] = []
    current.push(...openCodeLines([record], tracker))
  }
  return Object.fromEntries(
    Object.entries(steps).map(([step, lines]) => [step, lines.length === 0 ? "" : sequence(lines)]),
  )
}

function named(name: string): StatusLine[] {
  const found = streams.find(([other]) => other === name)
  if (found === undefined) throw new Error(`no stream ${name}`)
  return found[1]
}

function statusOf(lines: readonly StatusLine[]): TerminalStatus {
  const [first, ...rest] = lines
  if (first === undefined) throw new Error("no lines")
  return rest.reduce(addToHistory, beginHistory(first)).status
}

/** The states a stream goes through, each named once in a row; lines of one instant count as one step. */
function sequence(lines: readonly StatusLine[]): string {
  const names: string[] = []
  const sorted = [...lines].sort(compareLines)
  sorted.forEach((line, index) => {
    if (sorted[index + 1]?.at === line.at) return
    const { state, exitCode } = statusOf(sorted.slice(0, index + 1))
    const name = state === "finished" ? `finished:${exitCode}` : state
    if (state !== "unknown" && names.at(-1) !== name) names.push(name)
  })
  return names.join(" ")
}

function shuffle<T>(list: T[], dice: readonly number[]): T[] {
  return list
    .map((item, index) => [dice[index] ?? 0, item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
