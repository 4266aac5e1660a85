import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname } from "node:path"
import { agentProgram, type ModelRequest, runAgent } from "@chorus/testing"
import { expect, it } from "vitest"
import { claudeArguments } from "../src/claude/settings-flag.ts"
import { codexArguments } from "../src/codex/hook-flags.ts"
import { statusPrograms } from "../src/launch/programs.ts"
import { REAL_AGENT, workbench } from "./workbench.ts"

const ROUNDS = 25
const BUDGET_MS = 10
/** Starting /bin/true from Node takes this long (p95) on a machine with nothing else to do. */
const QUIET_START_MS = 2.5

/** Tool rounds of a real agent with and without our hooks, in turns; each round runs a PreToolUse and a PostToolUse hook. */
it("a hook adds at most 10 ms (p95) to Claude Code", REAL_AGENT, async () => {
  const turn = (request: ModelRequest) => (request.sincePrompt < ROUNDS ? { tools: [{ name: "Glob", input: { pattern: "nothing-*" } }] } : { text: "Done." })
  const bench = await workbench("claude", { scenario: turn })
  const base = ["-p", "go", "--permission-mode", "bypassPermissions"]
  const hooked = claudeArguments(base, statusPrograms().emitter) ?? []
  const measure = async (args: readonly string[], env: Record<string, string>) => {
    const from = bench.model.requests.length
    await runAgent({ agent: "claude-code", home: bench.home, args: [...args], env: { ...bench.env, ...env } })
    return gaps(bench.model.requests.slice(from))
  }
  const added = await addedPerHook("Claude Code", 2, () => measure(base, {}), () => measure(hooked, { CHORUS_AGENT: "claude" }))
  expect(bench.seen().length).toBeGreaterThan(2)
  expect(added).toBeLessThanOrEqual(await budget())
})

/** Codex runs each hook in a login shell of the person's; that shell's own start is Codex's cost and is measured with it. */
it("a hook adds at most 10 ms (p95) to Codex", REAL_AGENT, async () => {
  const turn = (request: ModelRequest) => (request.sincePrompt < ROUNDS ? { tools: [{ name: "exec_command", input: { cmd: "true" } }] } : { text: "Done." })
  const bench = await workbench("codex", { scenario: turn })
  const base = ["exec", "-s", "workspace-write", "go"]
  const hooked = codexArguments(base, statusPrograms().emitter) ?? []
  const path = `${dirname(await agentProgram("codex"))}:${bench.env["PATH"]}`
  const measure = async (args: readonly string[], env: Record<string, string>) => {
    const from = bench.model.requests.length
    await runAgent({ agent: "codex", home: bench.home, args: [...args], env: { ...bench.env, PATH: path, ...env } })
    return gaps(bench.model.requests.slice(from))
  }
  // A round of Codex also runs PreModelRequest and PostModelRequest.
  const added = await addedPerHook("Codex", 4, () => measure(base, {}), () => measure(hooked, { CHORUS_AGENT: "codex" }))
  expect(bench.seen().length).toBeGreaterThan(2)
  expect(added).toBeLessThanOrEqual(await budget())
})

/** Milliseconds between the model's requests: one tool round each. The first is start-up. */
function gaps(requests: readonly ModelRequest[]): number[] {
  const turns = requests.filter((request) => request.purpose === "turn" && request.api !== "other")
  return turns.slice(2).map((request, index) => request.at - (turns[index + 1]?.at ?? 0))
}

/**
 * What a hook adds to a round, from runs without and with it in turns. Of each kind the quietest run counts: the figure is
 * about the hook, not about what else the machine is doing. A busy machine gets more runs to find a quiet moment.
 */
async function addedPerHook(name: string, hooks: number, without: () => Promise<number[]>, withHooks: () => Promise<number[]>): Promise<number> {
  const [plain, ours]: [number[][], number[][]] = [[], []]
  const quietest = (runs: number[][], share: number) => Math.min(...runs.map((run) => quantile(run, share)))
  const added = (share: number) => (quietest(ours, share) - quietest(plain, share)) / hooks
  while (plain.length < 2 || (plain.length < 5 && added(0.95) > BUDGET_MS)) {
    plain.push(await without())
    ours.push(await withHooks())
  }
  const figures = [0.5, 0.95].map((share) => `p${share * 100}: round ${quietest(plain, share)} → ${quietest(ours, share)} ms, +${added(share).toFixed(1)} ms per hook`)
  console.log(`${name}, ${plain.length} pairs of runs, ${figures.join("; ")}`)
  return added(0.95)
}

/** Where starting any process takes longer than it should, a hook may take longer in the same measure. */
async function budget(): Promise<number> {
  const starts: number[] = []
  for (let round = 0; round < 40; round++) {
    const began = performance.now()
    await once(spawn("/bin/true"), "exit")
    starts.push(performance.now() - began)
  }
  const load = Math.max(1, quantile(starts, 0.95) / QUIET_START_MS)
  console.log(`budget ${(BUDGET_MS * load).toFixed(1)} ms; this machine starts a process ${load.toFixed(1)} times as slowly as a quiet one`)
  return BUDGET_MS * load
}

function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
}
