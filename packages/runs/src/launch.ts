import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { git } from "@chorus/changes"
import { ChorusError, type RunnerPolicy, type runs } from "@chorus/contracts"
import { type Claim, claim } from "@chorus/disk"
import type { Cgroup } from "./cgroup.ts"
import { confined, isOfImage } from "./enclosure.ts"
import { admit } from "./policy.ts"
import { endedWithin, killGroup, RUN_MARK, sweep } from "./processes.ts"
import { type Places, type Start, startOf } from "./programs.ts"
import { runScript } from "./set-up.ts"
import { commonFolder, fillSubmodules } from "./submodules.ts"
import { lockWorktree, makeWorktree, notIn, restoreWorktree, unlockWorktree, type Worktree } from "./worktree.ts"

const STDIN_MS = 3000
const TERM_MS = 2000
const TURN_MS = 500
const MOST_NAMED = 10

export interface LaunchOptions {
  readonly run: runs.LeasedRun
  /** The runner's own folder. */
  readonly directory: string
  /** Where Chorus keeps its data. */
  readonly data: string
  /** The run's own folder there. */
  readonly folder: string
  readonly policy: RunnerPolicy | undefined
  readonly places: Places
  readonly env: Readonly<Record<string, string>>
  /** Says something in the transcript; what is said can be changed by the answer. */
  note(title: string, text: string, status: string): (text: string, status: string) => void
  waits(reason: string): void
  over(): boolean
}

/** Where a run works: the machine's word on it, a worktree that is ready, and the turn in a checkout that is shared. */
export interface Workshop {
  readonly worktree: Worktree
  readonly start: Start
  /** Where its repository keeps objects and refs. */
  readonly gitFolder: string
  /** The checkout itself is for one run at a time. */
  readonly turn: Claim | undefined
}

/** Throws what the machine says against it; undefined where the run was over before all was ready. */
export async function openWorkshop(known: Worktree | undefined, options: LaunchOptions): Promise<Workshop | undefined> {
  const { run, directory, policy, places } = options
  const { folder, mode } = admit(policy, run)
  const start = startOf(run, mode, { ...places, ofImage: isOfImage(policy) })
  const turn = run.inPlace ? await turnIn(folder.path, options) : undefined
  if (options.over()) return void turn?.release()
  try {
    const repository = known?.repository ?? folder.path
    const isApart = known === undefined && !run.inPlace && run.from === undefined
    // What only the repository is asked for need not wait for the tree; its person waits for all of it.
    const [worktree, gitFolder] = await Promise.all([
      known ?? makeTree(folder.path, options),
      commonFolder(repository),
      isApart ? tellUncommitted(repository, options) : undefined,
    ])
    if (!existsSync(worktree.path)) await restoreWorktree(worktree, run.uuid)
    await lockWorktree(worktree, run.uuid)
    if (known === undefined) await tellMissing(worktree, options)
    if (known === undefined && !run.inPlace) await makeReady(worktree, folder.setUp, options)
    return { worktree, start, turn, gitFolder }
  } catch (error) {
    turn?.release()
    throw error
  }

  function makeTree(
    repository: string,
    { run: { uuid: runUuid, taskTitle, inPlace, from, builtOn = [] } }: LaunchOptions,
  ): Promise<Worktree> {
    const place = join(directory, "worktrees")
    const wanted = { runUuid, repository, place, taskTitle, inPlace, from, fetch: policy?.network === true }
    return makeWorktree({ ...wanted, builtOn: builtOn.map(({ commit }) => commit) })
  }
}

/** Gives back what others wait for. Nothing of the run is alive any more. */
export async function closeWorkshop(workshop: Workshop | undefined): Promise<void> {
  if (workshop === undefined) return
  await unlockWorktree(workshop.worktree)
  workshop.turn?.release()
}

/** Starts the program inside whatever this machine keeps it in; at once, so that nobody stops the run in between. */
export function launch(
  { start, worktree, gitFolder }: Workshop,
  cgroup: Cgroup | undefined,
  { run, data, policy, places, env }: LaunchOptions,
): ChildProcess {
  const all = { ...env, ...start.env }
  const bare = { command: start.command, args: [...start.args] }
  const inside = { program: run.program, env: all, places, worktree: worktree.path, gitFolder, data }
  const { command, args } = confined(bare, policy, cgroup, inside)
  return spawn(command, args, { cwd: worktree.path, env: all, detached: true, stdio: "pipe" })
}

/** Ends a program in the order that lets each end as it can, and then without asking, with all that it started. */
export async function endProgram(
  child: ChildProcess | undefined,
  cgroup: Cgroup | undefined,
  runUuid: string,
): Promise<void> {
  if (child !== undefined) {
    child.stdin?.end()
    if (!(await endedWithin(child, STDIN_MS))) {
      killGroup(child.pid, "SIGTERM")
      await endedWithin(child, TERM_MS)
    }
    killGroup(child.pid, "SIGKILL")
  }
  await cgroup?.end()
  await sweep(RUN_MARK, runUuid)
}

/** Somebody who still has changes of their own in the checkout would look for them in vain. */
async function tellUncommitted(repository: string, { note }: LaunchOptions): Promise<void> {
  const changed = (await git(repository, ["status", "--porcelain"])).split("\n").filter(Boolean)
  if (changed.length === 0) return
  const names = changed.slice(0, MOST_NAMED).map((line) => line.slice(3))
  const more = changed.length > names.length ? [`and ${changed.length - names.length} more`] : []
  const files = [...names, ...more].join(", ")
  note(
    "Not committed",
    `Changes in ${repository} that are not committed are not in its worktree: ${files}.`,
    "completed",
  )
}

/** What it builds on has landed, and its checkout begins elsewhere. */
async function tellMissing({ repository, baseCommit }: Worktree, { run, note }: LaunchOptions): Promise<void> {
  const missing = await notIn(repository, baseCommit, run.builtOn ?? [])
  if (missing.length === 0) return
  const names = missing.map(({ commit, branch }) => `${commit.slice(0, 12)}${branch === null ? "" : ` (${branch})`}`)
  const text = `It begins at ${baseCommit.slice(0, 12)}, without what it builds on and has landed as ${names.join(", ")}.`
  note("Not in its worktree", text, "failed")
}

/** Submodules, and what the machine's own policy runs in every new worktree; both are told before and after. */
async function makeReady(worktree: Worktree, words: string | undefined, options: LaunchOptions): Promise<void> {
  const { policy, folder, env, note } = options
  const empty = await fillSubmodules(worktree.repository, worktree.path, policy?.network === true)
  if (empty.length > 0) note("Submodules", `These submodules stay empty: ${empty.join(", ")}.`, "completed")
  if (words === undefined || policy === undefined || options.over()) return
  const tell = note("Set-up", `$ ${words}`, "in_progress")
  const log = join(folder, "set-up.log")
  const { output, failure } = await runScript({ words, cwd: worktree.path, env, minutes: policy.scriptMinutes, log })
  tell(`$ ${words}\n${output}`, failure === undefined ? "completed" : "failed")
  if (failure === undefined) return
  throw new ChorusError("set_up_failed", `The set-up of its worktree failed: ${failure}`, {
    status: 409,
    next: `Its output is in the transcript; \`${words}\` comes from this machine's policy.`,
  })
}

async function turnIn(repository: string, { directory, waits, over }: LaunchOptions): Promise<Claim | undefined> {
  const file = join(directory, `in-place-${Buffer.from(repository).toString("base64url").slice(-60)}`)
  for (let told = false; !over(); told = true) {
    const held = claim(file)
    if (held !== undefined) return held
    if (!told) waits(`Another run works in ${repository} itself; this one waits for it.`)
    await new Promise((wake) => setTimeout(wake, TURN_MS))
  }
  return undefined
}
