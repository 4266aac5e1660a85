import { rmSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { badBundle } from "./bundle.ts"
import { holdsData, setLoneLogAside, swapDatabase } from "./file-swap.ts"
import { importLines, storeNotEmpty } from "./import.ts"
import { kyselyOver, openDatabase } from "./sqlite-database.ts"

export interface ImportOptions {
  readonly now: Date
  readonly onRow?: ((count: number) => void) | undefined
}

/**
 * Reads a bundle into the embedded store at `path`, which must be missing or empty. It is built beside it and takes its place when it
 * is whole, so a bad bundle or a crash leaves what was there. Hold the data directory.
 */
export async function importIntoSqlite(
  path: string,
  lines: AsyncIterable<string>,
  { now, onRow }: ImportOptions,
): Promise<{ rows: number }> {
  assertEmptyFile(path)
  const building = `${path}.import-${process.pid}`
  removeDatabase(building)
  try {
    const result = await build(building, lines, { now, onRow })
    setLoneLogAside(path, now)
    swapDatabase(building, path)
    return result
  } finally {
    removeDatabase(building)
  }
}

async function build(
  path: string,
  lines: AsyncIterable<string>,
  { now, onRow }: ImportOptions,
): Promise<{ rows: number }> {
  const database = openDatabase(path)
  try {
    database.exec("begin immediate; pragma defer_foreign_keys = on")
    const result = await importLines(
      {
        db: kyselyOver(database),
        engine: "sqlite",
        now,
        ...(onRow === undefined ? {} : { onRow }),
        withoutTriggers: (work) => withoutTriggers(database, work),
      },
      lines,
    )
    assertReferences(database)
    database.exec("commit; pragma wal_checkpoint(truncate)")
    return result
  } catch (error) {
    // What is made from the rows when all are there can find a fault that none of them had alone.
    if (isConstraint(error)) throw badBundle(`its rows do not fit together (${error.message})`, error)
    throw error
  } finally {
    database.close()
  }
}

const CONSTRAINT = 19

function isConstraint(error: unknown): error is Error {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === CONSTRAINT
}

/** Counters that triggers keep are in the bundle already; counted again they would be double. */
async function withoutTriggers<T>(database: DatabaseSync, work: () => Promise<T>): Promise<T> {
  const triggers = database.prepare("select name, sql from sqlite_master where type = 'trigger'").all()
  for (const { name } of triggers) database.exec(`drop trigger "${String(name)}"`)
  const value = await work()
  for (const { sql } of triggers) database.exec(String(sql))
  return value
}

function assertReferences(database: DatabaseSync): void {
  const fault = database.prepare("pragma foreign_key_check").get()
  if (fault !== undefined)
    throw badBundle(
      `a row of ${String(fault["table"])} points to a row of ${String(fault["parent"])} that is not there`,
    )
}

function assertEmptyFile(path: string): void {
  if (!holdsData(path)) return
  const database = openDatabase(path)
  try {
    const known = database.prepare("select 1 from sqlite_master where name = 'workspaces'").get()
    const workspace = known && database.prepare("select name from workspaces limit 1").get()
    if (workspace !== undefined) throw storeNotEmpty(String(workspace["name"]))
  } finally {
    database.close()
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true })
}
