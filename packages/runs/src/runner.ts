import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { ChorusError, type RunnerPolicy, type runs } from "@chorus/contracts"
import { Bell, isLoopbackUrl } from "@chorus/core"
import { endCgroup, runnerCgroup } from "./cgroup.ts"
import { openChecker } from "./checker.ts"
import { cleanUp } from "./cleaning.ts"
import { isOfImage } from "./enclosure.ts"
import { openForgeWatch } from "./forge-watch.ts"
import { foundChecks } from "./found-checks.ts"
import { openLander } from "./lander.ts"
import { leaveLastWill, markedProcesses, RUN_MARK, RUNNER_MARK, sweep } from "./processes.ts"
import { lacksOf, missingOf, type Places, PROGRAMS, versionedOf } from "./programs.ts"
import { readPolicy } from "./policy.ts"
import { openPorts } from "./ports.ts"
import type { Call, RunReport } from "./reporter.ts"
import { openRoom } from "./room.ts"
import { type SupervisedRun, superviseRun } from "./run.ts"
import { assertEnd, justEnded } from "./run-words.ts"
import { filesOf, keepWords, keptRuns, type KeptRun } from "./run-files.ts"
import type { Workbench } from "./workbench.ts"
import { unlockWorktree } from "./worktree.ts"

const ASK_MS = 5000
const RETRY_MS = 2000
const VERSION_MS = 10_000
const DAY_MS = 86_400_000
/** What a run may have told after its runner last noted how far it was. */
const UNTOLD = 100_000
/** What the server may have noted in the transcript while no runner had the run. */
const NOTED = 100
const NOTHING_USED = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: null }
const LOST = "Its runner was killed before the conversation was known. Start a new run; what it changed is kept."
const RESTARTED = "The runner on this machine was started again, and you with it. Go on where you were."

export interface RunnerOptions {
  readonly call: Call
  /** What this machine is called on the board. */
  readonly machine: string
  /** Where Chorus keeps its data; the policy and the worktrees lie in there. */
  readonly data: string
  /** Where programs that Chorus fetched lie. */
  readonly fetched: string
  /** Where an agent finds the tools for its work. */
  readonly mcpUrl: (work: runs.RunWork) => string
  readonly environment: NodeJS.ProcessEnv
  /** Called when the last run that was under way is over. */
  readonly atRest?: (() => void) | undefined
}

export interface Runner {
  /** Asks for work at once. */
  nudge(): void
  /** Carries out what a person said to a run of this machine, words once for each mark. */
  order(order: runs.RunOrder, mark: string): Promise<void>
  busy(): number
  /** Ends every agent and leaves its run to the runner that comes next. */
  close(): Promise<void>
}

/** What starts agents on this machine: asks the server for work, runs it, and takes up what an earlier one left. */
export function startRunner(options: RunnerOptions): Runner {
  const { call, machine, data } = options
  const directory = join(data, "runner")
  const id = randomUUID()
  const live = new Map<string, SupervisedRun>()
  const ports = openPorts()
  const places: Places = { path: options.environment["PATH"] ?? "", fetched: options.fetched }
  const versions = new Map<string, string | null>()
  const cgroup = runnerCgroup(id)
  const will = leaveLastWill(id, cgroup)
  const bell = new Bell()
  let closed = false
  let cleaned = 0
  const { environment, mcpUrl } = options
  const workbench: Workbench = { call, machine, data, directory, cgroup, runner: id, places, environment }
  const lander = openLander(workbench, bell.ring)
  const near = () => isLoopbackUrl(mcpUrl("build"))
  const checker = openChecker(workbench, { ports, near, onEnd: bell.ring })
  const forge = openForgeWatch(workbench)
  const room = openRoom(join(directory, "worktrees"))
  const loop = run()

  async function run(): Promise<void> {
    for (const kept of keptRuns(directory)) await takeUpAgain(kept)
    while (!closed) {
      await cleanByRule().catch(() => undefined)
      const more = await askForWork().catch(() => undefined)
      await lander.take().catch(() => undefined)
      forge.look()
      if (await askForCheck().catch(() => false)) continue
      if (more === true) continue
      await bell.heard(more === undefined ? RETRY_MS : ASK_MS)
    }
  }

  /** What ended long enough ago goes, once a day. */
  async function cleanByRule(): Promise<void> {
    const policy = readPolicy(data)
    if (policy === undefined || Date.now() - cleaned < DAY_MS) return
    cleaned = Date.now()
    await cleanUp({ directory, policy, days: policy.keepDays })
  }

  /** Whether there was work; undefined without a policy is never asked. */
  async function askForWork(): Promise<boolean> {
    const policy = readPolicy(data)
    if (policy === undefined) return false
    const { slots } = policy
    const { run: leased } = await call("chorus_lease_run", {
      machine,
      programs: await programsOf(policy),
      folders: policy.folders.map(({ path, project }) => ({
        path,
        ...(project === undefined ? {} : { project }),
        found: foundChecks(path),
      })),
      slots,
      busy: Math.min(live.size, slots),
      checks: policy.checks,
      room: room(),
    })
    if (leased === null) return false
    const before = filesOf(directory, leased.uuid).read()
    const fresh: KeptRun = { run: leased, place: 0, turn: 0, usage: NOTHING_USED, over: false }
    const again = { run: leased, prompted: false, over: false }
    supervise(before === undefined ? fresh : { ...withoutEnd(before), ...again, place: before.place + NOTED })
    return live.size < slots
  }

  async function askForCheck(): Promise<boolean> {
    const policy = readPolicy(data)
    return policy !== undefined && checker.take(policy)
  }

  function supervise(kept: KeptRun, again?: string): void {
    const { uuid } = kept.run
    if (live.has(uuid)) return
    const { port, leave } = ports.take()
    const supervised = superviseRun({ ...workbench, policy: readPolicy(data), mcpUrl, kept, again, port })
    live.set(uuid, supervised)
    void supervised.over.then(() => {
      live.delete(uuid)
      leave()
      if (live.size === 0) options.atRest?.()
      bell.ring()
    })
  }

  /** What an earlier runner left: its processes end; where the program knows the conversation, it goes on. */
  async function takeUpAgain(kept: KeptRun): Promise<void> {
    const { run } = kept
    if (kept.over) return
    await sweep(RUN_MARK, run.uuid)
    if (kept.worktree !== undefined) await unlockWorktree(kept.worktree)
    if (kept.end !== undefined) return tellEnd(run, kept.end)
    const before = kept.prompted === true
    if (before && kept.sessionId === undefined) return tellEnd(run, { state: "lost", reason: LOST })
    // Somebody may have said something to it meanwhile.
    const now = filesOf(directory, run.uuid).read() ?? kept
    // One that was only being started has heard nothing yet, and starts as it would have.
    const { sessionId: _unheard, ...anew } = now
    supervise({ ...(before ? now : anew), place: now.place + UNTOLD }, before ? RESTARTED : undefined)
  }

  async function tellEnd(run: KeptRun["run"], end: RunReport): Promise<void> {
    for (;;) {
      try {
        await call("chorus_report_run", { runUuid: run.uuid, lease: run.lease, ...end })
        break
      } catch (error) {
        if (closed || (error instanceof ChorusError && error.status < 500 && error.status >= 400)) break
        await new Promise((go) => setTimeout(go, RETRY_MS))
      }
    }
    const files = filesOf(directory, run.uuid)
    const kept = files.read()
    if (kept !== undefined) files.write({ ...kept, over: true })
  }

  /** With what this machine allows of each, so that whoever starts a run hears at once what it will refuse. */
  async function programsOf(policy: RunnerPolicy): Promise<runs.RunnerProgram[]> {
    const { mode, inPlace, commands } = policy
    const known = PROGRAMS.filter((program) => policy.programs.includes(program)).map(async (program) => {
      // What an image holds is known when it is started.
      const missing = isOfImage(policy) ? null : (missingOf(program, places) ?? null)
      const version = missing === null && !isOfImage(policy) ? await versionOf(program) : null
      return { program, version, missing, mode, inPlace, lacks: [...lacksOf(program)] }
    })
    const others = {
      program: "command" as const,
      version: null,
      missing: null,
      mode,
      inPlace,
      commands,
      lacks: [...lacksOf("command")],
    }
    return [...(await Promise.all(known)), ...(commands.length === 0 ? [] : [others])]
  }

  async function versionOf(program: (typeof PROGRAMS)[number]): Promise<string | null> {
    const path = versionedOf(program, places)
    if (path === undefined) return null
    const known = versions.get(path)
    if (known !== undefined) return known
    const env = { PATH: places.path, HOME: options.environment["HOME"] ?? "" }
    const said = await new Promise<string>((resolve) =>
      execFile(path, ["--version"], { env, timeout: VERSION_MS }, (_error, stdout) => resolve(String(stdout))),
    )
    const version = /\d+\.\d+[\w.-]*/.exec(said)?.[0] ?? null
    versions.set(path, version)
    return version
  }

  return {
    nudge: bell.ring,
    async order(order, mark) {
      const run = live.get(order.runUuid)
      if (run !== undefined) return run.order(order, mark)
      if (order.order === "send") {
        if (filesOf(directory, order.runUuid).read()?.end?.state === "finished") throw justEnded()
        if (keepWords(directory, order, mark)) return
      }
      assertEnd(order)
    },
    busy: () => live.size,
    async close() {
      closed = true
      bell.ring()
      await Promise.all([
        lander.close(),
        checker.close(),
        forge.close(),
        ...[...live.values()].map((run) => run.leave()),
      ])
      const over = new Bell()
      void loop.then(over.ring, over.ring)
      await over.heard(RETRY_MS)
      await sweep(RUNNER_MARK, id)
      if (cgroup !== undefined) await endCgroup(cgroup)
      if (markedProcesses(RUNNER_MARK, id).length === 0) will.revoke()
    },
  }
}

function withoutEnd({ end: _end, ...kept }: KeptRun): KeptRun {
  return kept
}
