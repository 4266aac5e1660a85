import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "@chorus/client"
import type { AgentId, runs } from "@chorus/contracts"
import { runningServer } from "@chorus/server"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import type { Stage } from "../packages/cli/test/run-stage.ts"
import { type Bench, percentile } from "./figure.ts"

process.env["CHORUS_COMMAND"] ??= join(import.meta.dirname, "..", "dist", "chorus.js")
const { openStage, startRunnerProcess } = await import("../packages/cli/test/run-stage.ts")

const RUNS = 20
const FRAMES = 40
const FRAME_MS = 250
const ENTRIES = 100_000
const AT_ONCE = 500
const LOOKS = 15
const PATIENCE = 240_000

/** How soon the page has what an agent said, while many are at work, and how soon it opens a transcript that is long. */
export const bench: Bench = async () => {
  await using place = temporaryDirectory("transcripts-bench-")
  const agent = scriptedAgent("--state", place.path)
  const allow = ["--command", agent, "--slots", String(RUNS)]
  await using stage = await openStage({ allow, start: ["--no-runner"] })
  const runner = startRunnerProcess(stage.data)
  try {
    const delays = await frameToPage(stage, agent)
    const opened = await openLong(stage)
    return [
      { name: `frame → page, ${RUNS} runs at work, p50`, value: percentile(delays, 0.5), unit: "ms" },
      {
        name: `frame → page, ${RUNS} runs at work, p95`,
        value: percentile(delays, 0.95),
        unit: "ms",
        budget: { atMost: 150 },
      },
      {
        name: `transcript of ${ENTRIES.toLocaleString("en")} entries: what its page asks for first`,
        value: percentile(opened, 0.5),
        unit: "ms",
        budget: { atMost: 300 },
      },
    ]
  } finally {
    await runner.end()
  }
}

/** Reads one run's transcript as its page does: a look whenever the log tells of it, one at a time. */
async function frameToPage(stage: Stage, command: string): Promise<number[]> {
  const word = (at: number) => `frame-${at};`
  // None begins to speak before all of them are there.
  const gate = { ask: { title: "Begin?" } }
  const frames = Array.from({ length: FRAMES }, (_, at) => [{ say: word(at) }, { sleep: FRAME_MS }]).flat()
  const uuids: string[] = []
  for (let at = 0; at < RUNS; at++) {
    const taskUuid = await stage.task(script({ ...gate, yes: frames }))
    const { uuid } = await stage.call<runs.RunRow>("chorus_start_run", { taskUuid, program: "command", command })
    uuids.push(uuid)
  }
  const asked = async () =>
    (await stage.call<{ attentions: { uuid: string }[] }>("chorus_list_attentions", { pageSize: 100 })).attentions
  const questions = await waitFor(async () => {
    const open = await asked()
    return open.length === RUNS ? open : undefined
  }, PATIENCE)
  const [watched = ""] = uuids
  const seen = new Map<number, number>()
  const done = new AbortController()
  const client = clientOf(stage)
  let after = 0
  const look = async () => {
    const told = await client.call("chorus_get_transcript", { runUuid: watched, after, limit: 1000 })
    after = told.revision
    const text = told.entries.map((entry) => (entry.kind === "message" ? entry.text : "")).join("")
    for (let at = 0; at < FRAMES; at++) if (text.includes(word(at)) && !seen.has(at)) seen.set(at, Date.now())
    if (seen.size === FRAMES) done.abort()
  }
  const reading = (async () => {
    for await (const item of client.events({ signal: done.signal }))
      if (item.type === "event" && item.event.entityUuid === watched) await look()
  })().catch(() => undefined)
  await Promise.all(
    questions.map(({ uuid: attentionUuid }) =>
      stage.call("chorus_answer_attention", { attentionUuid, answer: { decision: "approve" } }),
    ),
  )
  await waitFor(() => done.signal.aborted, PATIENCE)
  await reading
  const lines = readFileSync(join(stage.data, "runner", "runs", watched, "frames.jsonl"), "utf8")
    .trim()
    .split("\n")
  const heard = lines.map((line) => JSON.parse(line) as { at: number; in?: string })
  await stage.call("chorus_stop_runs", {})
  return Array.from({ length: FRAMES }, (_, at) => {
    const frame = heard.find((one) => one.in?.includes("agent_message_chunk") === true && one.in.includes(word(at)))
    return (seen.get(at) ?? Number.NaN) - (frame?.at ?? Number.NaN)
  })
}

async function openLong(stage: Stage): Promise<number[]> {
  const presets = ["developer"] as const
  const owner = clientOf(stage)
  const { uuid: agentUuid } = await owner.call("chorus_create_agent", { name: "Talker", presets: [...presets] })
  const { key } = await owner.call("chorus_create_key", { agentUuid: agentUuid as AgentId, name: "bench" })
  const { call } = clientOf(stage, key)
  const machine = "talker"
  const taskUuid = await stage.task("Talk.")
  const { uuid: runUuid } = await stage.call<runs.RunRow>("chorus_start_run", { taskUuid, program: "codex", machine })
  const programs = [{ program: "codex" as const, version: "1", missing: null }]
  const { run } = await call("chorus_lease_run", { machine, programs, folders: ["/talk"], slots: 1, busy: 0 })
  const held = { runUuid, lease: run?.lease ?? "", state: "running" as const }
  for (let from = 0; from < ENTRIES; from += AT_ONCE) {
    const entries = Array.from({ length: AT_ONCE }, (_, at) => entryAt(from + at))
    await call("chorus_report_run", { ...held, entries })
  }
  const took: number[] = []
  for (let at = 0; at < LOOKS; at++) {
    const since = performance.now()
    await owner.call("chorus_get_run", { runUuid })
    await owner.call("chorus_get_transcript", { runUuid, before: Number.MAX_SAFE_INTEGER, limit: 200 })
    took.push(performance.now() - since)
  }
  return took
}

function entryAt(place: number): runs.RunEntry {
  const text = `Line ${place} of what the agent said, about as long as a line is.`
  const blank = { child: null, title: null, status: null, data: {} }
  return { ...blank, id: `e${place}`, place, turn: 1, kind: "message", text, at: new Date().toISOString() }
}

function clientOf(stage: Stage, key?: string) {
  const server = runningServer(stage.data)
  if (server === undefined) throw new Error("no server runs")
  return createClient({ url: server.url, key: key ?? server.token })
}
