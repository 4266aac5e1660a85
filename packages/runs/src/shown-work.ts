import { type Captured, captureChange, sendChange } from "@chorus/changes"
import { changes, type InputOf, type runs, type TaskId } from "@chorus/contracts"
import type { Call, RunReport } from "./reporter.ts"
import { reasonOf } from "./run-words.ts"
import type { Transcript } from "./transcript.ts"
import { type Checkpoint, checkpoint, factsOf, type WorkFacts, type Worktree } from "./worktree.ts"

/** How soon after something was done a turn is looked at, and how often at most. */
const FIRST_LOOK_MS = 1000
const LOOK_MS = 15_000
/** Of the time that looking takes, so much passes between. */
const SHARE = 10

export interface TreesOptions {
  readonly call: Call
  readonly run: Pick<runs.LeasedRun, "uuid" | "lease" | "work" | "taskUuid">
  worktree(): Worktree | undefined
  readonly transcript: Pick<Transcript, "say">
  tell(report: RunReport): void
  /** Whether this runner still tells of the run. */
  isOurs(): boolean
}

/** The trees of one run: kept at every turn, told of and shown beside the turns, which need not wait for that. */
export interface Trees {
  /** Resolves when it is kept. */
  keep(name: string): Promise<void>
  /** Something was done: what has changed by now is looked at soon, so that whoever works on the same lines hears of it. */
  nudge(): void
  /** What git shows of the last one, once all of them are shown. */
  facts(): Promise<WorkFacts | undefined>
}

export function openTrees({ call, run, worktree, transcript, tell, isOurs }: TreesOptions): Trees {
  let facts: WorkFacts | undefined
  /** What was told and shown last. */
  let told: string | undefined
  /** One after the other, so that the newest is told last. */
  let shown = Promise.resolve()
  /** Only who builds has something to show: a plan has no task, and a review changes nothing. */
  const taskUuid = run.work === undefined || run.work === "build" ? (run.taskUuid as TaskId | null) : null
  const looking = { seen: "", wait: FIRST_LOOK_MS, next: undefined as NodeJS.Timeout | undefined, over: false }

  async function show(tree: Worktree, kept: Checkpoint, isTurn: boolean): Promise<void> {
    const state = `${kept.head} ${kept.tree}`
    // Most runs end as their last turn left them.
    if (!isTurn && state === told && facts !== undefined) {
      facts = { ...facts, checkpoint: kept.commit }
      return
    }
    facts = await factsOf(tree, kept).catch(() => facts)
    if (facts !== undefined) tell({ branch: facts.branch, ...(isTurn ? { tree: facts.tree } : {}) })
    const isShown = isOurs() && (taskUuid === null || (await showWork(tree, taskUuid)))
    told = isShown ? state : undefined
  }

  /** That it failed nobody need hear: the turn shows at its end what it did. */
  async function look(): Promise<void> {
    const begun = Date.now()
    looking.next = undefined
    const tree = worktree()
    if (tree === undefined || taskUuid === null || looking.over || !isOurs()) return
    const { change, parts } = await captureChange(tree.path, { base: tree.baseCommit }).finally(() => {
      looking.wait = Math.max(LOOK_MS, SHARE * (Date.now() - begun))
    })
    if (change.tree === looking.seen || change.files.length === 0) return
    const { repository, baseCommit } = change
    const held = { runUuid: run.uuid, lease: run.lease }
    await call("chorus_look_at_run", { taskUuid, run: held, repository, baseCommit, files: linesOf(change, parts) })
    looking.seen = change.tree
  }

  /** What a run changed so far goes to its task; a run whose work cannot be shown is a run all the same. */
  async function showWork(tree: Worktree, taskUuid: TaskId): Promise<boolean> {
    const held = { runUuid: run.uuid, lease: run.lease }
    try {
      const change = await captureChange(tree.path, { base: tree.baseCommit })
      const about = { taskUuid, origin: "run" as const, run: held }
      await sendChange((input) => call("chorus_send_change", input), about, change)
      return true
    } catch (error) {
      transcript.say("note", `What it changed could not be shown: ${reasonOf(error)}`)
      return false
    }
  }

  return {
    async keep(name) {
      const tree = worktree()
      // What it shows now need not be looked at.
      clearTimeout(looking.next)
      looking.next = undefined
      looking.over = name === "end"
      if (tree === undefined) return
      const kept = await checkpoint(tree, run.uuid, name).catch((error: unknown) => {
        transcript.say("note", `What it changed could not be kept: ${reasonOf(error)}`)
      })
      // What a turn begins with is known from the one before.
      if (kept === undefined || name.endsWith("-before")) return
      shown = shown.then(() => show(tree, kept, name !== "end"))
    },
    nudge() {
      if (taskUuid === null || looking.over) return
      looking.next ??= setTimeout(() => {
        shown = shown.then(() => look().catch(() => undefined))
      }, looking.wait).unref()
    },
    async facts() {
      await shown
      return facts
    },
  }
}

/** The patches as they are compared with those of others; what is too large to be read by people is not. */
function linesOf({ files }: Captured["change"], parts: Captured["parts"]): InputOf<typeof changes.lookAtRun>["files"] {
  let room = changes.MOST_LOOKED_AT
  return files.flatMap(({ path, oldPath, status, binary, patchSha, folded }) => {
    const bytes = parts.get(patchSha ?? "")
    if (folded || bytes === undefined || bytes.length > room) return []
    room -= bytes.length
    return [{ path, oldPath, status, binary, patch: bytes.toString("utf8") }]
  })
}
