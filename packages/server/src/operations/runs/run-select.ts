import type { runs } from "@chorus/contracts"
import { askedOften, type Db, type Schema } from "@chorus/store"
import { sql } from "kysely"
import { notFound, type OperationContext } from "../../operation.ts"

export type RunRecord = Schema["runs"]

/** A run with what its row shows of what it is at work on. */
export type ShownRun = RunRecord & {
  readonly projectUuid: string
  readonly projectName: string
  readonly taskTitle: string
  readonly taskShortId: string | null
}

export const NOTHING_USED: runs.RunUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  costUsd: null,
}

/** Where `r` is a run, `t` its task and `i` its idea: the project that the work lies in now. */
export const OF_PROJECT = sql<string>`coalesce(t."projectUuid", i."projectUuid")`

/** Runs with what their rows show; narrow it with `where`. */
export function selectRuns(db: Db) {
  return db
    .selectFrom("runs as r")
    .leftJoin("tasks as t", "t.uuid", "r.taskUuid")
    .leftJoin("ideas as i", "i.uuid", "r.ideaUuid")
    .innerJoin("projects as p", (join) => join.on("p.uuid", "=", OF_PROJECT))
    .selectAll("r")
    .select([
      "p.uuid as projectUuid",
      "p.name as projectName",
      sql<string>`coalesce(t."title", i."title")`.as("taskTitle"),
      "t.shortId as taskShortId",
    ])
}

export async function findRun({ db }: Pick<OperationContext, "db">, runUuid: string): Promise<ShownRun> {
  const run = await found(db, runUuid)
  if (run === undefined) throw notFound("run", runUuid)
  return run
}

const found = askedOften((db, runUuid) => selectRuns(db).where("r.uuid", "=", runUuid))

/** What people have to say at its next start, each by itself. */
export function wordsOf({ words }: Pick<RunRecord, "words">): string[] {
  return words === null ? [] : (JSON.parse(words) as string[])
}
