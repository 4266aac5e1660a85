import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { landings, runs } from "@chorus/contracts"
import { readJson, replaceFile } from "@chorus/disk"
import type { Worktree } from "./worktree.ts"
import type { RunReport } from "./reporter.ts"

/** What a runner must know of a run that outlives it. */
export interface KeptRun {
  readonly run: runs.LeasedRun
  readonly worktree?: Worktree
  readonly sessionId?: string
  readonly place: number
  readonly turn: number
  readonly usage: runs.RunUsage
  /** What it had cost when its program last began to count anew, and what that has counted since. */
  readonly earlierUsd?: number
  readonly countedUsd?: number
  /** Whether the agent has heard the first words of this lease. */
  readonly prompted?: boolean
  /** What people said for the next turn, and the agent has not been told yet. */
  readonly words?: readonly string[]
  /** The mark of what a person said last to it: who is killed before that is noted is told of it again. */
  readonly heard?: string
  /** How it ended, as long as the server has not heard of it. */
  readonly end?: RunReport
  /** A person wanted nothing of its work; what is left of it goes by the rule. */
  readonly discarded?: boolean
  /** The tree of it that has landed; what came after has not. */
  readonly landed?: string
  /** Whether there is nothing left to do but to keep the worktree. */
  readonly over: boolean
}

export interface RunFiles {
  readonly folder: string
  read(): KeptRun | undefined
  write(kept: KeptRun): void
}

/** The files of one run, under the runner's folder: what is known of it, and every frame as it came. */
export function filesOf(directory: string, runUuid: string): RunFiles {
  const folder = join(directory, "runs", runUuid)
  const file = join(folder, "run.json")
  return {
    folder,
    read: () => readJson(file) as KeptRun | undefined,
    write(kept) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      // The agent's key is of use to nobody once its run is over.
      const told = kept.over ? { ...kept, run: { ...kept.run, key: "", prompt: "" } } : kept
      replaceFile(file, JSON.stringify(told), { mode: 0o600, fleeting: true })
    },
  }
}

/** Keeps in mind that this much of a run's work has landed, where the run was on this machine. */
export function noteLanded(directory: string, { runUuid, tree }: Pick<landings.LeasedLanding, "runUuid" | "tree">) {
  const files = runUuid === null ? undefined : filesOf(directory, runUuid)
  const kept = files?.read()
  if (files !== undefined && kept !== undefined && tree !== null) files.write({ ...kept, landed: tree })
}

/** Keeps what was said to a run that has just ended here for when it is taken up again; whether there is such a run. */
export function keepWords(
  directory: string,
  { runUuid, text }: runs.RunOrder & { order: "send" },
  mark: string,
): boolean {
  const files = filesOf(directory, runUuid)
  const kept = files.read()
  if (kept !== undefined && kept.heard !== mark)
    files.write({ ...kept, words: [...(kept.words ?? []), text], heard: mark })
  return kept !== undefined
}

export function keptRuns(directory: string): KeptRun[] {
  const folder = join(directory, "runs")
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((uuid) => filesOf(directory, uuid).read() ?? [])
}

/** What was used so far and in one more turn; the cost is told as a whole by those who know it. */
export function usageWith(before: runs.RunUsage, used: Partial<runs.RunUsage>): runs.RunUsage {
  const sum = (field: "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheCreationTokens") =>
    before[field] + (used[field] ?? 0)
  return {
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cacheReadTokens: sum("cacheReadTokens"),
    cacheCreationTokens: sum("cacheCreationTokens"),
    costUsd: used.costUsd ?? before.costUsd,
  }
}

/** What was spent, and how its program counts. */
type Spent = Pick<KeptRun, "usage" | "earlierUsd" | "countedUsd">

/** A program that begins a conversation has counted nothing of it. */
export function countedAnew({ usage }: Spent): Omit<Spent, "usage"> {
  return { earlierUsd: usage.costUsd ?? 0, countedUsd: 0 }
}

/**
 * What a program tells is all that it has counted so far. Claude Code goes on from what the conversation had cost where
 * it ended in peace, and else counts from nothing again: then it tells of less than before.
 */
export function spentBy(kept: Spent, counted: unknown): Spent | undefined {
  if (typeof counted !== "number" || counted === kept.countedUsd) return undefined
  const { earlierUsd = 0 } = counted < (kept.countedUsd ?? 0) ? countedAnew(kept) : kept
  return { earlierUsd, countedUsd: counted, usage: { ...kept.usage, costUsd: earlierUsd + counted } }
}
