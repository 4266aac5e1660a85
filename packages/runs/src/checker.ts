import { existsSync, readFileSync } from "node:fs"
import { arch, release, type } from "node:os"
import { join } from "node:path"
import { baseOf, git, hiddenFiles, writeTree } from "@chorus/changes"
import { ChorusError, type checks, type OutputOf, type RunnerPolicy } from "@chorus/contracts"
import { type Scripts, touchedBy } from "@chorus/core"
import { allowedFolder, type Checkout, checkoutByHand } from "./by-hand.ts"
import { openCgroup } from "./cgroup.ts"
import { tidyLanded } from "./cleaning.ts"
import { confined } from "./enclosure.ts"
import { openGuard } from "./guard.ts"
import { admit } from "./policy.ts"
import { isAnswered, type Ports } from "./ports.ts"
import { RUN_MARK, RUNNER_MARK } from "./processes.ts"
import { environmentFor } from "./programs.ts"
import { redaction } from "./redaction.ts"
import { type CheckEnd, type CheckLimits, runChecks } from "./run-checks.ts"
import { filesOf } from "./run-files.ts"
import { reasonOf } from "./run-words.ts"
import { commonFolder } from "./submodules.ts"
import type { Workbench } from "./workbench.ts"
import { restoreWorktree, type Worktree } from "./worktree.ts"

const TELL_MS = 1000
/** A lease lasts a minute; a check that prints nothing is not given up for that. */
const PROLONG_EVERY = 15
const RETRY_MS = 2000
const NOT_ALLOWED = "This machine allows no such commands any more."
/** As many are told of; one proves as much as all. */
export const MOST_TOUCHED = 100
const SECRET = /KEY|TOKEN|SECRET|PASSWORD/

type Leased = NonNullable<OutputOf<typeof checks.leaseCheck>["check"]>

export interface CheckerOptions {
  readonly ports: Ports
  /** Whether the server runs on this machine, so that whoever looks at its page from here reaches a preview. */
  near(): boolean
  onEnd(): void
}

interface Live {
  readonly isPreview: boolean
  readonly stop: AbortController
  readonly over: Promise<void>
}

export interface Checker {
  /**
   * Takes the next check or preview where there is room for one, ends what is to end, and tells whether it took one.
   */
  take(policy: RunnerPolicy): Promise<boolean>
  /** Ends what runs and leaves it to the runner that comes next. */
  close(): Promise<void>
}

/**
 * Runs the checks of what was handed in here, and what was built itself, in the worktree of the run that did it, or in
 * the checkout in which a person had an agent do it: not by the agent, and with nothing of its program's.
 */
export function openChecker(workbench: Workbench, { ports, near, onEnd }: CheckerOptions): Checker {
  const { call, machine, directory, places } = workbench
  const live = new Map<string, Live>()
  const trees = openCheckedTrees()
  const closing = new AbortController()

  async function take(policy: RunnerPolicy): Promise<boolean> {
    if (closing.signal.aborted) return false
    if (!policy.checks) return endPreviews([...live.keys()], NOT_ALLOWED)
    const previews = [...live].flatMap(([uuid, { isPreview }]) => (isPreview ? [uuid] : []))
    const kinds = [
      ...(live.size - previews.length < policy.slots ? (["check"] as const) : []),
      ...(previews.length < policy.slots ? (["preview"] as const) : []),
    ]
    if (kinds.length + previews.length === 0) return false
    const { check, over } = await call("chorus_lease_check", { machine, kinds, previews })
    endPreviews(over, "It is over.")
    if (check === null) return false
    const stop = new AbortController()
    const work = run(check, policy, stop).finally(() => {
      live.delete(check.uuid)
      onEnd()
    })
    live.set(check.uuid, { isPreview: check.preview, stop, over: work })
    return true
  }

  function endPreviews(uuids: readonly string[], reason: string): false {
    for (const uuid of uuids) if (live.get(uuid)?.isPreview === true) live.get(uuid)?.stop.abort(reason)
    return false
  }

  async function run(check: Leased, policy: RunnerPolicy, stop: AbortController): Promise<void> {
    const held = { checkUuid: check.uuid, lease: check.lease }
    const said = await carryOut(check, policy, held, stop).then(
      (end) => ({ end }),
      (error: unknown) => ({ refused: reasonOf(error).slice(0, 500) }),
    )
    while (!closing.signal.aborted) {
      try {
        return void (await call("chorus_report_check", { ...held, ...said }))
      } catch (error) {
        if (error instanceof ChorusError && error.status >= 400 && error.status < 500) return
        await new Promise((go) => setTimeout(go, RETRY_MS))
      }
    }
  }

  /** Throws what speaks against running it here. */
  async function carryOut(
    check: Leased,
    policy: RunnerPolicy,
    held: { checkUuid: string; lease: string },
    stop: AbortController,
  ) {
    const mark = check.runUuid ?? check.uuid
    const worktree = await placeOf(check, policy)
    const isGone = "branch" in worktree && !existsSync(worktree.path)
    if (isGone) await restoreWorktree(worktree, mark)
    const tree = await trees.of(worktree.path)
    if (check.byHand !== null && tree !== check.byHand.tree) throw otherWork(worktree.path)
    const touched = touchedBy(check.command, await treeOf(worktree)).slice(0, MOST_TOUCHED)
    const gitFolder = await commonFolder(worktree.repository)
    const place = check.preview ? await ports.takeQuiet() : undefined
    const env = {
      ...environmentFor("command", workbench.environment, policy.environment),
      ...(place === undefined ? {} : { PORT: String(place.port) }),
      [RUN_MARK]: mark,
      [RUNNER_MARK]: workbench.runner,
    }
    const redact = redaction(Object.entries(env).flatMap(([name, value]) => (SECRET.test(name) ? [value] : [])))
    const cgroup = openCgroup(workbench.cgroup, check.uuid)
    const inside = {
      program: "command",
      env,
      places,
      worktree: worktree.path,
      gitFolder,
      data: workbench.data,
    } as const
    const guard = openGuard(policy, mark, (reason) => stop.abort(reason))
    let [output, told, ticks] = ["", "", 0]
    let listens: { port: number; near: boolean } | undefined
    const tell = async () => {
      const answers = place !== undefined && listens === undefined && (await isAnswered(place.port))
      if (answers) listens = { port: place.port, near: near() }
      else if (output === told && ++ticks % PROLONG_EVERY !== 0) return
      told = output
      const where = listens === undefined ? {} : { listens }
      await call("chorus_report_check", { ...held, tail: redact(told.slice(-2000)), ...where })
    }
    const telling = setInterval(() => {
      tell().catch((error: unknown) => {
        if (error instanceof ChorusError && error.code === "check_not_held") stop.abort("Somebody else has it.")
      })
    }, TELL_MS)
    try {
      const [end] = await runChecks([check.command], {
        folder: worktree.path,
        env,
        limits: check.preview ? limitsOfRun(policy) : { minutes: policy.scriptMinutes },
        wrap: (command, args) => confined({ command, args }, policy, cgroup, inside),
        heard: (text) => (output = text),
        signal: AbortSignal.any([stop.signal, closing.signal]),
      })
      const environment = [environmentName(), ...(policy.enclosure === "none" ? [] : [policy.enclosure])].join(", ")
      return { ...redact(end as CheckEnd), touched, tree, environment }
    } finally {
      clearInterval(telling)
      guard.end()
      await cgroup?.end()
      place?.leave()
      await trees.leave(worktree.path, tree)
      // Made for this alone: of work that has landed nothing stays here.
      if (isGone) await tidyLanded(mark, { directory, policy })
    }
  }

  /** Where the work lies, unless this machine's word stands against running anything there. */
  async function placeOf(
    { runUuid, byHand }: Leased,
    policy: RunnerPolicy,
  ): Promise<Worktree | (Checkout & Pick<Worktree, "baseCommit">)> {
    if (byHand !== null) {
      const checkout = await checkoutByHand(byHand.repository)
      if (checkout === undefined || !existsSync(checkout.path)) throw noCheckout()
      allowedFolder(policy, checkout, { projectName: byHand.projectName, wanted: "--checks" })
      return { ...checkout, baseCommit: byHand.baseCommit ?? (await emptyTree(checkout.path)) }
    }
    const kept = filesOf(directory, runUuid ?? "").read()
    if (kept?.worktree === undefined) throw new Error("This machine no longer has the worktree of that run.")
    admit(policy, kept.run)
    return kept.worktree
  }

  return {
    take,
    async close() {
      closing.abort()
      await Promise.all([...live.values()].map(({ over }) => over))
    },
  }
}

/**
 * The trees that checks run on. What one leaves behind, a report that git does not ignore, is none of the work: the next
 * one runs on the same work as it did.
 */
function openCheckedTrees() {
  const left = new Map<string, { readonly found: string; readonly of: string }>()
  const present = async (path: string) => (await writeTree(path, { withoutEmbedded: true })).tree
  return {
    async of(path: string): Promise<string> {
      const found = await present(path)
      const before = left.get(path)
      return before?.found === found ? before.of : found
    },
    async leave(path: string, tree: string): Promise<void> {
      const found = await present(path).catch(() => tree)
      if (found === tree) left.delete(path)
      else left.set(path, { found, of: tree })
    },
  }
}

function noCheckout(): Error {
  return new Error("This machine no longer has the checkout in which this was done.")
}

/** Where a repository had no commit, everything in it is the work's. */
function emptyTree(folder: string): Promise<string> {
  return git(folder, ["hash-object", "-t", "tree", "/dev/null"])
}

function otherWork(folder: string): Error {
  return new Error(
    `What lies in ${folder} is not what was shown of this work. Show it anew by \`chorus change push\`, or check it there by \`chorus check\`.`,
  )
}

/** A preview is looked at for as long as a run may take, and may say as much. */
function limitsOfRun({ minutes, outputMegabytes }: RunnerPolicy): CheckLimits {
  return { minutes, bytes: outputMegabytes * 1024 * 1024 }
}

/** What this machine is, for whoever reads a result from it. */
export function environmentName(): string {
  return `${type()} ${release()} ${arch()}`
}

/**
 * What the work changed in its tree, and what the scripts of its package say: also what it told git not to look at, or
 * to ignore. As where it is shown, what it took in from its branch since it began is not its own.
 */
export async function treeOf({ path, baseCommit }: Pick<Worktree, "path" | "baseCommit">) {
  const { tree: base } = await baseOf(path, baseCommit)
  const { tree } = await writeTree(path, { withoutEmbedded: true, readsAll: true })
  const listed = await git(path, ["diff", "--numstat", "--no-renames", "-z", base, tree])
  const counted = listed
    .split("\0")
    .filter(Boolean)
    .map((line) => line.split("\t"))
  const changed = counted.map(([, , name = ""]) => name)
  const rewritten = counted.flatMap(([, gone, name = ""]) => (gone === "0" ? [] : [name]))
  const hidden = await hiddenFiles(path, base)
  const before = await git(path, ["show", `${base}:package.json`]).catch(() => "")
  const now = existsSync(join(path, "package.json")) ? readFileSync(join(path, "package.json"), "utf8") : ""
  return { changed: [...changed, ...hidden], rewritten, before: scriptsIn(before), now: scriptsIn(now) }
}

function scriptsIn(text: string): Scripts {
  try {
    const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, unknown> }
    return Object.fromEntries(
      Object.entries(scripts).flatMap(([name, body]) => (typeof body === "string" ? [[name, body]] : [])),
    )
  } catch {
    return {}
  }
}
