import { captureChange, sendChange } from "@chorus/changes"
import type { runs, TaskId } from "@chorus/contracts"
import type { Call, RunReport } from "./reporter.ts"
import { reasonOf } from "./run-words.ts"
import type { Transcript } from "./transcript.ts"
import { checkpoint, factsOf, type WorkFacts, type Worktree } from "./worktree.ts"

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
  /** One after the other, so that the newest is told last. */
  let shown = Promise.resolve()

  async function show(tree: Worktree, commit: string, isTurn: boolean): Promise<void> {
    facts = await factsOf(tree, commit).catch(() => facts)
    if (facts !== undefined) tell({ branch: facts.branch, ...(isTurn ? { tree: facts.tree } : {}) })
    // Only who builds has something to show: a plan has no task, and a review changes nothing.
    const isBuilt = run.work === undefined || run.work === "build"
    if (isOurs() && isBuilt && run.taskUuid !== null) await showWork(tree, run.taskUuid as TaskId)
  }

  /** What a run changed so far goes to its task; a run whose work cannot be shown is a run all the same. */
  async function showWork(tree: Worktree, taskUuid: TaskId): Promise<void> {
    const held = { runUuid: run.uuid, lease: run.lease }
    try {
      const change = await captureChange(tree.path, { base: tree.baseCommit })
      const about = { taskUuid, origin: "run" as const, run: held }
      await sendChange((input) => call("chorus_send_change", input), about, change)
    } catch (error) {
      transcript.say("note", `What it changed could not be shown: ${reasonOf(error)}`)
    }
  }

  return {
    async keep(name) {
      const tree = worktree()
      if (tree === undefined) return
      const commit = await checkpoint(tree, run.uuid, name).catch((error: unknown) => {
        transcript.say("note", `What it changed could not be kept: ${reasonOf(error)}`)
      })
      // What a turn begins with is known from the one before.
      if (commit === undefined || name.endsWith("-before")) return
      shown = shown.then(() => show(tree, commit, name !== "end"))
    },
    async facts() {
      await shown
      return facts
    },
  }
}
