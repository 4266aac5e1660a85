import { spawn } from "node:child_process"
import { connect } from "node:net"
import { constants } from "node:os"
import type { StatusAgent } from "@chorus/contracts"
import { ensureListener } from "../listener/on-demand.ts"
import { socketPath } from "../listener/socket-path.ts"
import { notifySettings } from "../notify/notify-settings.ts"
import { resumeStore, stateFolder } from "../resume/resume-store.ts"
import { planLaunch } from "./launch-plan.ts"
import { nodeEmitter, type StatusPrograms, statusPrograms } from "./programs.ts"
import { findRealProgram, installedVersion } from "./real-program.ts"
import { isInFront, placeOf } from "./terminal-identity.ts"

export interface ReportedRun {
  agent: StatusAgent
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  /** What is run beside the agent; found when left out. */
  programs?: StatusPrograms
  /** Told when the launch goes on without reporting, and why. */
  onUnreported?: (reason: string) => void
}

/**
 * Runs an agent in this terminal so that its status is known. This process becomes the agent's launcher, so it costs
 * nothing while the agent runs. The agent starts in any case; a listener that cannot is the smaller loss.
 */
export async function runReported(run: ReportedRun): Promise<number> {
  const env = run.env ?? process.env
  const program = findRealProgram(run.agent, env["PATH"])
  const programs = run.programs ?? statusPrograms()
  const path = socketPath(env)
  const { terminalId, ...place } = await placeOf(env)
  const plan = planLaunch({
    agent: run.agent,
    args: run.args,
    env,
    programs,
    socketPath: path,
    terminalId,
    place,
    version: installedVersion(program),
  })
  // Switched off by the person, who needs not be told.
  const isOff = !notifySettings(stateFolder(env)).isReported(run.agent)
  // Where the disk is full, the agent starts all the same; its next prompt tells where the session is.
  if (!isOff && !place.once)
    await resumeStore(stateFolder(env))
      .take([run.agent, ...run.args].join(" "), terminalId, place.tab)
      .catch(() => {})
  // Without its agent's name the launcher has nothing to report.
  const { CHORUS_AGENT: _outer, ...bare } = env
  const full = isOff ? bare : { ...bare, ...plan.env }
  const args = isOff ? run.args : plan.args
  if (plan.unreported === undefined && !isOff)
    await ensureListener(path).catch((error: Error) => run.onUnreported?.(error.message))
  if (programs.launcher === undefined) return stayBeside(program, args, full)
  return become(programs.launcher, [programs.launcher, program, ...args], full)
}

/** Replaces this process; where that cannot be done, stays as its parent. */
function become(file: string, argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  if (process.execve === undefined) return stayBeside(file, argv.slice(1), env)
  const given = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  process.execve(file, [...argv], given)
  throw new Error(`${file} could not be run`)
}

/**
 * Where there is no Perl for the launcher: passes signals on and tells how it ended, but gives no terminal back that an
 * agent left in disorder. Node gives what it starts descriptors that wait, also where they were given otherwise.
 */
async function stayBeside(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // Before the agent is there: whatever it says comes after.
  const at = Date.now()
  const child = spawn(file, [...args], { stdio: "inherit", env: { ...env, CHORUS_AGENT_PID: String(process.pid) } })
  tell(env, {
    event: "idle",
    at,
    pid: process.pid,
    tab: env["CHORUS_TAB"],
    folder: process.cwd(),
    version: env["CHORUS_AGENT_VERSION"],
    once: env["CHORUS_ONCE"] === "1",
  })
  const terminal = { isGone: false }
  process.on("SIGHUP", () => (terminal.isGone = true))
  for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const)
    process.on(signal, () => child.kill(signal))
  // The terminal sends these to the agent itself; a program that sends them here means the agent.
  for (const signal of ["SIGINT", "SIGQUIT"] as const)
    process.on(signal, () => void (isInFront() || child.kill(signal)))
  const killedBy = await new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("error", () => resolve(127))
    child.once("exit", (exit, signal) => resolve(exit ?? signal ?? 128))
  })
  const code = typeof killedBy === "number" ? killedBy : 128 + constants.signals[killedBy]
  // An agent that takes the signal itself ends with a code of its own; nothing of it failed.
  const isKilled = terminal.isGone && code !== 0
  await tell(env, {
    event: "exited",
    exitCode: isKilled ? 128 + constants.signals.SIGHUP : code,
    ...(code === 0 ? {} : { reason: isKilled ? "killed by SIGHUP" : `ended with exit code ${code}` }),
  })
  if (typeof killedBy === "number" || process.execve === undefined) return code
  // By a signal as the agent did, which some who wait for it tell from a code; a shell leaves no memory of ours on the disk.
  // Node ignores this one, and what is run in its place would; a handler that is taken off leaves the default.
  if (killedBy === "SIGPIPE") process.once(killedBy, () => {}).removeAllListeners(killedBy)
  return become("/bin/sh", ["sh", "-c", BY_SIGNAL, "sh", String(code - 128)], env)
}

const BY_SIGNAL = 'ulimit -c 0; kill -"$1" $$'

/** What nobody hears is brought to the next listener by a process of its own. */
function tell(env: NodeJS.ProcessEnv, facts: object): Promise<void> {
  const { CHORUS_SOCK: path, CHORUS_TERMINAL_ID: terminalId, CHORUS_AGENT: agent } = env
  if (path === undefined || agent === undefined) return Promise.resolve()
  const line = `${JSON.stringify({ terminalId, agent, at: Date.now(), source: "launch", ...facts })}\n`
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.end(line))
    socket.once("error", () => {
      const later = spawn(nodeEmitter(), ["later"], { env, detached: true, stdio: ["pipe", "ignore", "ignore"] })
      later.unref()
      later.stdin.end(line, resolve)
    })
    socket.once("close", () => resolve())
  })
}
