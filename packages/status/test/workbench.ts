import { execFileSync, spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { StatusAgent, StatusRow } from "@chorus/contracts"
import { startStatusService, type StatusService } from "@chorus/status"
import {
  type Agent,
  agentProgram,
  type AgentVersion,
  drive,
  openTerminal,
  type Scenario,
  scratchHome,
  type ScratchHome,
  type ScratchHomeOptions,
  startModel,
  type ScriptedModel,
  type Terminal,
  waitFor,
} from "@chorus/testing"
import { onTestFinished } from "vitest"
import { resumeStore } from "../src/resume/resume-store.ts"

const RUN = fileURLToPath(new URL("./run-reported.ts", import.meta.url))
export const PACKAGE: Record<StatusAgent, Agent> = { claude: "claude-code", codex: "codex", opencode: "opencode" }

/** A key of which nothing came for this long, in ms, was ignored rather than not read yet. */
const IGNORED = 10_000

/** Fetching an agent program may take minutes the first time. */
export const REAL_AGENT = { timeout: 600_000 }

export interface Workbench {
  readonly service: StatusService
  readonly model: ScriptedModel
  readonly home: ScratchHome
  readonly env: Record<string, string>
  /** The states the terminal went through, such as "idle running finished:0". */
  states(): string
  row(): StatusRow | undefined
  /** Every row the terminal had, oldest first. */
  seen(): readonly StatusRow[]
  waitForStates(pattern: RegExp, timeout?: number): Promise<void>
  /** The process in which the agent works: some are started through a script that stays as its parent. */
  agentPid(terminalId?: string): Promise<number>
  /** Starts the next part of a sequence: only what comes from now on is in `states()`. */
  mark(): void
  /** Runs the agent to its end without a terminal; the exit code. */
  run(...args: string[]): Promise<number>
  start(...args: string[]): { pid: number; ended: Promise<number> }
  /** Runs the agent in a terminal. */
  open(...args: string[]): Promise<Terminal>
  /** Runs it in one as somebody does who has nothing of ours. */
  openBare(...args: string[]): Promise<Terminal>
}

/** One terminal of a listener, a scratch home with a scripted model, and a real agent to run in it. */
export async function workbench(
  agent: StatusAgent,
  options: { scenario?: Scenario; home?: Omit<ScratchHomeOptions, "model">; version?: AgentVersion } = {},
): Promise<Workbench> {
  const model = await startModel(options.scenario ?? drive, { title: "A scripted title" })
  const home = scratchHome({ model, ...options.home })
  const socketPath = join(home.path, "status.sock")
  const rows: StatusRow[] = []
  const service = await startStatusService({
    socketPath,
    home: home.path,
    resume: resumeStore(join(home.path, "state", "chorus")),
    forwarders: [{ changed: (row) => rows.push(row) }],
  })
  onTestFinished(async () => {
    await service.close()
    await model.stop()
    await home.remove()
  })
  const program = await agentProgram(PACKAGE[agent], options.version)
  const env = {
    ...home.environment,
    PATH: `${dirname(program)}:${home.environment["PATH"]}`,
    CHORUS_SOCK: socketPath,
    CHORUS_TERMINAL_ID: "terminal-1",
  }
  let from = 0
  const states = () => namesOf(rows.slice(from))
  return {
    service,
    model,
    home,
    env,
    states,
    row: () => rows.at(-1),
    seen: () => rows,
    mark: () => (from = Math.max(0, rows.length - 1)),
    waitForStates: async (pattern, timeout = 60_000) =>
      void (await waitFor(
        () => pattern.test(states()),
        timeout,
        () => `${pattern} in "${states()}", last ${JSON.stringify(rows.at(-1))}`,
      )),
    agentPid: async (terminalId = "terminal-1") =>
      nativeOf(
        await waitFor(
          () => service.listener.book.get(terminalId)?.status.pid ?? undefined,
          60_000,
          "the agent's process",
        ),
      ),
    run: (...args) => startProcess(env, home.project, agent, args).ended,
    start: (...args) => startProcess(env, home.project, agent, args),
    async open(...args) {
      const terminal = await openTerminal({ ...named(env, process.execPath, RUN, agent, ...args), cwd: home.project })
      onTestFinished(terminal.stop)
      return terminal
    },
    async openBare(...args) {
      const { CHORUS_SOCK: _socket, CHORUS_TERMINAL_ID: _id, ...bare } = env
      const own = { ...bare, PATH: `${dirname(process.execPath)}:${bare["PATH"]}` }
      const terminal = await openTerminal({ command: program, args, env: own, cwd: home.project })
      onTestFinished(terminal.stop)
      return terminal
    },
  }
}

/** A command in a terminal that has a name of its own: one that its tmux server has too would be inherited. */
export function named({ CHORUS_TERMINAL_ID: name, ...env }: Record<string, string>, ...command: string[]) {
  return { command: "env", args: [`CHORUS_TERMINAL_ID=${name}`, ...command], env }
}

/**
 * Presses a key until what asked for it is gone. Agents ignore keys for a moment after a dialog opens, so it is pressed
 * again when nothing came of it for long, and not before: of two keys on their way, the second one reaches whatever is
 * there by then.
 */
export async function answer(terminal: Terminal, key: string, dialog: RegExp): Promise<void> {
  await terminal.waitForText(dialog)
  let pressed: { at: number; on: string } | undefined
  const isGone = async () => {
    const on = dialog.exec(await terminal.screen())?.[0]
    if (on === undefined) return true
    if (pressed?.on === on && Date.now() - pressed.at < IGNORED) return false
    await terminal.key(key)
    pressed = { at: Date.now(), on }
    return false
  }
  await waitFor(isGone, 60_000, () => `${dialog} to go away`, 60)
}

/** A command that the agent runs has the agent's name among its words too; the agent is called by it. */
function nativeOf(pid: number): number {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).split("\n")
  const child = rows
    .map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row))
    .find((row) => Number(row?.[2]) === pid && /^\.?(codex|opencode)$/.test(row?.[3] ?? ""))
  return child === undefined || child === null ? pid : nativeOf(Number(child[1]))
}

function startProcess(env: Record<string, string>, cwd: string, agent: StatusAgent, args: readonly string[]) {
  const child = spawn(process.execPath, [RUN, agent, ...args], { env, cwd, stdio: ["ignore", "ignore", "ignore"] })
  const ended = new Promise<number>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? (signal === null ? -1 : 128))),
  )
  onTestFinished(() => void child.kill("SIGKILL"))
  return { pid: child.pid ?? 0, ended }
}

/** Each state once in a row; a finished one with its exit code. */
function namesOf(rows: readonly StatusRow[]): string {
  const names: string[] = []
  for (const { state, exitCode } of rows) {
    const name = state === "finished" ? `finished:${exitCode}` : state
    if (names.at(-1) !== name) names.push(name)
  }
  return names.join(" ")
}
