import { captureChange, sendChange } from "@chorus/changes"
import type { runs, TaskId } from "@chorus/contracts"
import type { Call, RunReport } from "./reporter.ts"
import { reasonOf } from "./run-words.ts"
import type { Transcript } from "./transcript.ts"
import { type Checkpoint, checkpoint, factsOf, type WorkFacts, type Worktree } from "./worktree.ts"

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
  /** What git shows of the last one, once all of them are shown. */
  facts(): Promise<WorkFacts | undefined>
}

export function openTrees({ call, run, worktree, transcript, tell, isOurs }: TreesOptions): Trees {
  let facts: WorkFacts | undefined
  /** What was told and shown last. */
  let told: string | undefined
  /** One after the other, so that the newest is told last. */
  let shown = Promise.resolve()

  async function show(tree: Worktree, kept: Checkpoint, isTurn: boolean): Promise<void> {
    const state = `${kept.head} ${kept.tree}`
    // Most runs end as their last turn left them.
    if (!isTurn && state === told && facts !== undefined) {
      facts = { ...facts, checkpoint: kept.commit }
      return
    }
    facts = await factsOf(tree, kept).catch(() => facts)
    if (facts !== undefined) tell({ branch: facts.branch, ...(isTurn ? { tree: facts.tree } : {}) })
    // Only who builds has something to show: a plan has no task, and a review changes nothing.
    const isBuilt = run.work === undefined || run.work === "build"
    const isShown = isOurs() && (!isBuilt || run.taskUuid === null || (await showWork(tree, run.taskUuid as TaskId)))
    told = isShown ? state : undefined
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
      if (tree === undefined) return
      const kept = await checkpoint(tree, run.uuid, name).catch((error: unknown) => {
        transcript.say("note", `What it changed could not be kept: ${reasonOf(error)}`)
      })
      // What a turn begins with is known from the one before.
      if (kept === undefined || name.endsWith("-before")) return
      shown = shown.then(() => show(tree, kept, name !== "end"))
    },
    async facts() {
      await shown
      return facts
    },
  }
}
