import { join } from "node:path"
import {
  assertShown,
  forgetBeginning,
  git,
  gitEnd,
  landWork,
  type Outcome,
  previewLanding,
  proposeWork,
} from "@chorus/changes"
import { ChorusError, type InputOf, type landings, type RunnerPolicy } from "@chorus/contracts"
import { allowedFolder, checkoutByHand } from "./by-hand.ts"
import { openCgroup } from "./cgroup.ts"
import { discardWork, notHere, tidyLanded } from "./cleaning.ts"
import { confined } from "./enclosure.ts"
import { RUN_MARK, RUNNER_MARK } from "./processes.ts"
import { environmentFor } from "./programs.ts"
import { readPolicy } from "./policy.ts"
import { runChecks } from "./run-checks.ts"
import { filesOf, noteLanded } from "./run-files.ts"
import { clean, reasonOf } from "./run-words.ts"
import { runScript } from "./set-up.ts"
import { commonFolder, fillSubmodules } from "./submodules.ts"
import type { Workbench } from "./workbench.ts"
import { copyIncluded } from "./worktree.ts"

const BEAT_MS = 15_000
const RETRY_MS = 2000
const PUSH_MS = 60_000
/** As much of a check's output goes back with the work. */
const TOLD = 1500
const MOST_FILES = 500

export type LandingReport = Omit<InputOf<typeof landings.reportLanding>, "landingUuid" | "lease">

export interface Lander {
  /** Begins the next landing where none is under way and the machine allows it. */
  take(): Promise<void>
  /** Ends what runs and leaves it to the runner that comes next. */
  close(): Promise<void>
}

/**
 * Brings verified work of this machine into its branches, or before its forge, one after the other, as people asked for
 * it.
 */
export function openLander(workbench: Workbench, onEnd: () => void): Lander {
  const { call, machine, data, directory, places } = workbench
  const closing = new AbortController()
  let live: Promise<void> | undefined

  async function take(): Promise<void> {
    const policy = readPolicy(data)
    const acts: landings.LandingAct[] = [
      ...(policy?.land === true ? (["land", "preview", "discard"] as const) : []),
      ...(policy?.push === true ? (["propose"] as const) : []),
    ]
    if (policy === undefined || acts.length === 0 || live !== undefined || closing.signal.aborted) return
    const { landing } = await call("chorus_lease_landing", { machine, acts })
    if (landing === null) return
    live = run(landing, policy).finally(() => {
      live = undefined
      onEnd()
    })
  }

  async function run(landing: landings.LeasedLanding, policy: RunnerPolicy): Promise<void> {
    const held = { landingUuid: landing.uuid, lease: landing.lease }
    const beat = setInterval(() => void call("chorus_report_landing", held).catch(() => undefined), BEAT_MS)
    const report = await carryOut(landing, policy).catch(refusal)
    clearInterval(beat)
    while (!closing.signal.aborted) {
      try {
        return void (await call("chorus_report_landing", { ...held, ...report }))
      } catch (error) {
        if (error instanceof ChorusError && error.status >= 400 && error.status < 500) return
        await new Promise((go) => setTimeout(go, RETRY_MS))
      }
    }
  }

  /** Throws what speaks against it here. */
  async function carryOut(landing: landings.LeasedLanding, policy: RunnerPolicy): Promise<LandingReport> {
    const { act, runUuid, projectName, byHand } = landing
    const worktree =
      runUuid === null ? await checkoutByHand(byHand?.repository) : filesOf(directory, runUuid).read()?.worktree
    if (worktree === undefined) throw notHere()
    const { repository } = worktree
    const wanted = act === "propose" ? "--push" : "--land"
    const folder = allowedFolder(policy, worktree, { projectName, wanted })
    if (act === "discard") {
      if (runUuid === null) await forgetBeginning(repository, landing.taskUuid)
      else await discardWork(runUuid, { directory, policy })
      return { state: "discarded" }
    }
    const at = { repository, folder: worktree.path, work: landing }
    if (byHand !== null) await assertShown(at, byHand.files)
    if (act === "preview") return toldOf(await previewLanding(at))
    if (act === "propose") {
      const pullRequest = await proposeWork({ ...at, environment: workbench.environment })
      return { state: "proposed", pushed: true, pullRequest }
    }
    const scratch = join(directory, "landings", landing.uuid)
    const hasChecks = landing.checks.length > 0
    const check = hasChecks && policy.checks ? checkIn(landing, policy, repository, folder.setUp) : undefined
    const report = toldOf(await landWork({ ...at, scratch, check }))
    if (report.state !== "landed") return report
    noteLanded(directory, landing)
    const stays = runUuid === null ? undefined : await tidyLanded(runUuid, { directory, policy })
    if (runUuid === null) await forgetBeginning(repository, landing.taskUuid)
    const unchecked = hasChecks && !policy.checks ? "Its checks were not run again: this machine runs none." : ""
    const unapproved = landing.unapproved.map((command) => `No person has approved \`${command}\`, so it was not run.`)
    const pushed = policy.push ? await push(repository, report.branch ?? "") : undefined
    const reason = [report.reason ?? "", unchecked, ...unapproved, pushed?.fault ?? "", stays ?? ""]
      .filter(Boolean)
      .join(" ")
    return {
      ...report,
      pushed: pushed !== undefined && pushed.fault === undefined,
      ...(reason === "" ? {} : { reason }),
    }
  }

  /** Makes the merged tree ready as a worktree of a run is, runs the commands there, and says which does not hold. */
  function checkIn(
    { uuid, checks }: landings.LeasedLanding,
    policy: RunnerPolicy,
    repository: string,
    setUp: string | undefined,
  ) {
    return async (folder: string): Promise<string | undefined> => {
      const env = {
        ...environmentFor("command", workbench.environment, policy.environment),
        [RUN_MARK]: uuid,
        [RUNNER_MARK]: workbench.runner,
      }
      await copyIncluded(repository, folder)
      await fillSubmodules(repository, folder, policy.network)
      const log = join(directory, "landings", `${uuid}.log`)
      const minutes = policy.scriptMinutes
      const ready = setUp === undefined ? undefined : await runScript({ words: setUp, cwd: folder, env, minutes, log })
      if (ready?.failure !== undefined) throw new Error(`The set-up of the merged tree failed: ${ready.failure}`)
      const gitFolder = await commonFolder(repository)
      const inside = { program: "command", env, places, worktree: folder, gitFolder, data } as const
      const cgroup = openCgroup(workbench.cgroup, uuid)
      try {
        for (const { command, criterion } of checks) {
          const [end] = await runChecks([command], {
            folder,
            env,
            limits: { minutes },
            wrap: (program, args) => confined({ command: program, args }, policy, cgroup, inside),
            signal: closing.signal,
          })
          // Whoever comes next begins it anew; it is no fault of the work.
          closing.signal.throwIfAborted()
          if (end === undefined || end.exitCode === 0) continue
          const how = end.reason ?? `It ended with ${end.exitCode}.`
          const what = `Merged with the branch as it is now, "${criterion}" does not hold: \`${command}\`. ${how}`
          return `${what}\n\n${end.output.slice(-TOLD)}`.trim()
        }
        return undefined
      } finally {
        await cgroup?.end()
      }
    }
  }

  return {
    take,
    async close() {
      closing.abort()
      await live
    },
  }
}

/** An outcome as the server takes it. */
export function toldOf({ files = [], reason, ...outcome }: Outcome): LandingReport {
  const named = files.slice(0, MOST_FILES).map((file) => clean(file))
  return { ...outcome, files: named, ...(reason === undefined ? {} : { reason: clean(reason).slice(0, 4000) }) }
}

export function refusal(error: unknown): LandingReport {
  return { state: "refused", reason: reasonOf(error) }
}

/** To where the branch's remote is; never by force. */
async function push(repository: string, branch: string): Promise<{ fault?: string }> {
  const remote = await git(repository, ["config", `branch.${branch}.remote`]).catch(() => "")
  if (remote === "") return { fault: `It was not pushed: ${branch} has no remote.` }
  const words = ["push", "--quiet", remote, `refs/heads/${branch}`]
  const { code, stderr } = await gitEnd(repository, words, { asOwner: true, timeoutMs: PUSH_MS })
  return code === 0 ? {} : { fault: `It was not pushed: ${stderr.trim().slice(-500)}` }
}
