import { createWriteStream, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { ChorusError } from "@chorus/contracts"
import { takePlace } from "@chorus/disk"
import { runningServer } from "@chorus/server/data-directory"
import { VERSION } from "@chorus/server/version"
import {
  countRows,
  type ExportOptions,
  exportLines,
  importIntoSqlite,
  openSqliteSnapshot,
  type Snapshot,
} from "@chorus/store"
import type { Progress } from "../progress.ts"
import type { Target } from "../output.ts"
import { linesOf } from "./bundle-lines.ts"

/** Writes the store as a bundle; the file appears under its name when it is whole. Returns its size. */
export async function writeBundle(
  target: Target,
  file: string,
  secrets: ExportOptions["secrets"],
  shown: Progress,
): Promise<number> {
  const part = `${file}.part-${process.pid}`
  const snapshot = await openSnapshot(target)
  try {
    await pipeline(lines(snapshot, secrets, shown), createWriteStream(part, { mode: 0o600 }))
    takePlace(part, file)
    return statSync(file).size
  } finally {
    rmSync(part, { force: true })
    await snapshot.close()
  }
}

/** Writes the store as a bundle to the next program in the pipe. */
export async function printBundle(target: Target): Promise<void> {
  const snapshot = await openSnapshot(target)
  try {
    await pipeline(lines(snapshot, "scrubbed"), process.stdout, { end: false })
  } finally {
    await snapshot.close()
  }
}

/** Reads a bundle into the empty store that the target names. Hold the data directory. */
export async function readBundle(target: Target, file: string): Promise<{ rows: number }> {
  const options = { now: new Date() }
  if (target.database === undefined) return importIntoSqlite(join(target.data, "chorus.sqlite"), linesOf(file), options)
  const { importIntoPostgres } = await import("@chorus/store/postgres-import")
  return importIntoPostgres(target.database, linesOf(file), options)
}

/** A server on PostgreSQL does not write its address into the data directory, which would hold a password. */
export function assertDatabaseNamed({ data, database }: Target): void {
  if (database !== undefined || runningServer(data)?.engine !== "postgres") return
  throw new ChorusError(
    "database_unnamed",
    "The server that runs on this data directory keeps its data in PostgreSQL.",
    {
      next: "Say where with --database URL or CHORUS_DATABASE.",
    },
  )
}

async function openSnapshot(target: Target): Promise<Snapshot> {
  assertDatabaseNamed(target)
  if (target.database === undefined) return openSqliteSnapshot(join(target.data, "chorus.sqlite"))
  const { openPostgresSnapshot } = await import("@chorus/store/postgres-snapshot")
  return openPostgresSnapshot(target.database)
}

async function* lines(
  snapshot: Snapshot,
  secrets: ExportOptions["secrets"],
  shown?: Progress,
): AsyncGenerator<string, void, undefined> {
  const total = shown === undefined ? 0 : await countRows(snapshot, secrets)
  let written = 0
  for await (const line of exportLines(snapshot, { version: VERSION, now: new Date(), secrets })) {
    yield `${line}\n`
    shown?.at(Math.min(1, ++written / (total + 2)))
  }
}
