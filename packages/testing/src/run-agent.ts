import { spawn, type ChildProcess } from "node:child_process"
import { agentProgram, type Agent, type AgentVersion } from "./agent-program.ts"
import { lastWill } from "./last-will.ts"
import { cutOff, networkCanBeCut } from "./network.ts"
import { isGroupRunning, killTree } from "./process-tree.ts"
import type { ScratchHome } from "./scratch-home.ts"
import { waitFor } from "./wait.ts"

/** What its hooks left in the background may finish, as it may after a person's session; then it is ended. */
const HOOK_GRACE = 10_000
const PIPE_GRACE = 500

export interface AgentRun {
  agent: Agent
  /** The newest pinned version by default. */
  version?: AgentVersion
  args: string[]
  home: ScratchHome
  /** The home's project by default. */
  cwd?: string
  env?: Record<string, string>
  /** What the agent reads on its standard input, which is closed otherwise. */
  input?: string
  /** Cut the agent off from every network but these loopback ports, where the machine allows it (`networkCanBeCut`). Name the model's too. */
  onlyReach?: readonly number[]
  /** Milliseconds until the run is ended by force. Default 60 seconds. */
  timeout?: number
}

export interface AgentResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  timedOut: boolean
}

export interface RunningAgent extends AsyncDisposable {
  readonly pid: number
  /** Both streams up to now. */
  output(): { stdout: string; stderr: string }
  /** Resolves when the standard output matches. */
  waitForOutput(pattern: RegExp, timeout?: number): Promise<void>
  /** Resolves when the agent ended by itself or by force; never rejects. */
  readonly finished: Promise<AgentResult>
  /** Ends the agent and everything it started. */
  stop(): Promise<AgentResult>
}

/** Runs a real agent program to its end in a scratch home: a cleared environment, made-up keys, the home's scripted model. */
export async function runAgent(run: AgentRun): Promise<AgentResult> {
  await using agent = await startAgent(run)
  const result = await agent.finished
  if (!result.timedOut) await waitFor(() => !isGroupRunning(agent.pid), HOOK_GRACE).catch(() => undefined)
  return result
}

/** The same for a test that does something while the agent runs. */
export async function startAgent(run: AgentRun): Promise<RunningAgent> {
  const program = await agentProgram(run.agent, run.version)
  const cut = run.onlyReach && networkCanBeCut() ? await cutOff(program, run.args, run.onlyReach) : undefined
  const child = spawn(cut?.command ?? program, cut?.args ?? run.args, {
    cwd: run.cwd ?? run.home.project,
    env: { ...run.home.environment, ...run.env },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  })
  const output = capture(child)
  const will = lastWill(["sh", "-c", 'kill -KILL -- "-$1"', "sh", String(child.pid)])
  child.stdin?.on("error", () => {})
  child.stdin?.end(run.input ?? "")
  let timedOut = false
  const end = (): Promise<void> => (child.pid === undefined ? Promise.resolve() : killTree(child.pid))
  const timer = setTimeout(() => {
    timedOut = true
    void end()
  }, run.timeout ?? 60_000)
  const finished = ending(child).then(async ({ code, signal }): Promise<AgentResult> => {
    clearTimeout(timer)
    will.revoke()
    await cut?.close()
    return { code, signal, ...output(), timedOut }
  })
  const stop = async (): Promise<AgentResult> => {
    if (child.exitCode === null && child.signalCode === null) await end()
    endGroup(child)
    return finished
  }
  return {
    pid: child.pid ?? 0,
    output,
    waitForOutput: async (pattern, timeout = 30_000) => {
      await waitFor(
        () => pattern.test(output().stdout),
        timeout,
        () => `${pattern} in the output:\n${output().stdout}\n${output().stderr}`,
      )
    },
    finished,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}

function capture(child: ChildProcess): () => { stdout: string; stderr: string } {
  const heard = { stdout: "", stderr: "" }
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (heard.stdout += text))
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (heard.stderr += text))
  return () => ({ ...heard })
}

// "close" waits for the pipes too, which a background process of the agent may hold open for good.
function ending(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }))
    child.once("close", (code, signal) => resolve({ code, signal }))
    child.once("exit", (code, signal) => {
      const grace = setTimeout(() => resolve({ code, signal }), PIPE_GRACE)
      child.once("close", () => clearTimeout(grace))
    })
  })
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  } catch {
    // Nobody is left in the group.
  }
}
