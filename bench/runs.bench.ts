import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { script, scriptedAgent, temporaryDirectory, waitFor } from "@chorus/testing"
import { connectAcp } from "../packages/runs/src/acp-connection.ts"
import { openStage, type Stage, startRunnerProcess } from "../packages/cli/test/run-stage.ts"
import { type Bench, percentile } from "./figure.ts"

const STARTS = 9
const TURNS = 10
const TURN_MS = 2000
const REST_MS = 5000
const PATIENCE = 120_000

/** What a run costs beside its program alone, with an agent that does exactly what it is told. */
export const bench: Bench = async () => {
  await using place = temporaryDirectory("runs-bench-")
  const agent = scriptedAgent("--state", place.path)
  await using stage = await openStage({ allow: ["--command", agent], start: ["--no-runner"] })
  const runner = startRunnerProcess(stage.data)
  try {
    const starts = { bare: [] as number[], run: [] as number[] }
    for (let round = 0; round <= STARTS; round++) {
      const bare = await bareRun(agent, place.path, [script({ say: "DONE" })])
      const run = await chorusRun(stage, agent, [script({ say: "DONE" })])
      // The first of each warms the disk's cache.
      if (round === 0) continue
      starts.bare.push(bare.begun)
      starts.run.push(run.begun)
    }
    const turns = Array.from({ length: TURNS }, () => script({ sleep: TURN_MS }, { say: "DONE" }))
    const bare = await bareRun(agent, place.path, turns)
    const run = await chorusRun(stage, agent, turns)
    await new Promise((wake) => setTimeout(wake, REST_MS))
    const status = readFileSync(`/proc/${runner.pid}/status`, "utf8")
    const alone = percentile(starts.bare, 0.5)
    return [
      { name: "program alone: start to first prompt", value: alone, unit: "ms" },
      {
        name: "run: what Chorus adds to that",
        value: percentile(starts.run, 0.5) - alone,
        unit: "ms",
        budget: { atMost: 300 },
      },
      {
        name: `run: what Chorus adds to ${TURNS} turns of ${TURN_MS / 1000} s`,
        value: ((run.took - bare.took) / bare.took) * 100,
        unit: "%",
        budget: { atMost: 5 },
      },
      {
        name: "runner at rest",
        value: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
        unit: "MB",
        budget: { atMost: 70 },
      },
    ]
  } finally {
    await runner.end()
  }
}

interface Times {
  /** Until the first prompt is on its way. */
  readonly begun: number
  /** From there to the end of the last turn. */
  readonly took: number
}

async function bareRun(command: string, cwd: string, prompts: readonly string[]): Promise<Times> {
  const [program = "", ...args] = command.split(" ")
  const since = performance.now()
  const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "ignore"] })
  const agent = connectAcp({
    from: child.stdout,
    to: child.stdin,
    onRequest: () => undefined,
    onNotification: () => undefined,
  })
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] })
  const begun = performance.now() - since
  for (const text of prompts) await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  const took = performance.now() - since - begun
  child.kill("SIGKILL")
  return { begun, took }
}

async function chorusRun(stage: Stage, command: string, prompts: readonly string[]): Promise<Times> {
  const [first = "", ...rest] = prompts
  const taskUuid = await stage.task(first)
  const since = Date.now()
  const { uuid } = await stage.call<{ uuid: string }>("chorus_start_run", { taskUuid, program: "command", command })
  if (rest.length > 0) await waitFor(async () => (await stage.run(uuid)).state === "running", PATIENCE)
  for (const text of rest) await stage.call("chorus_send_to_run", { runUuid: uuid, text })
  await waitFor(async () => (await stage.run(uuid)).state === "finished", PATIENCE)
  const frames = readFileSync(join(stage.data, "runner", "runs", uuid, "frames.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { at: number; in?: string; out?: string })
  const asked = frames.find(({ out }) => out?.includes('"session/prompt"'))?.at ?? Number.NaN
  const answered = frames.findLast((frame) => frame.in?.includes('"stopReason"') === true)?.at ?? Number.NaN
  return { begun: asked - since, took: answered - asked }
}
