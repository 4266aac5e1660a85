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
  readBackup,
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
    await pipeline(printed(linesIn(snapshot, secrets, shown)), createWriteStream(part, { mode: 0o600 }))
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
    await pipeline(printed(linesIn(snapshot, "scrubbed")), process.stdout, { end: false })
  } finally {
    await snapshot.close()
  }
}

/** Reads a bundle into the empty store that the target names. Hold the data directory. */
export async function readBundle(target: Target, file: string): Promise<{ rows: number }> {
  if (target.database !== undefined) return intoPostgres(target.database, linesOf(file))
  return importIntoSqlite(join(target.data, "chorus.sqlite"), linesOf(file), { now: new Date() })
}

/** Reads a backup of the embedded store into an empty PostgreSQL database, secrets included. Hold the data directory. */
export function moveToPostgres(
  { data }: Target,
  database: string,
  backup: string,
  shown: Progress,
): Promise<{ rows: number }> {
  return readBackup(backup, data, (snapshot) => intoPostgres(database, linesIn(snapshot, "kept", shown)))
}

async function intoPostgres(database: string, bundle: AsyncIterable<string>): Promise<{ rows: number }> {
  const { importIntoPostgres } = await import("@chorus/store/postgres-import")
  return importIntoPostgres(database, bundle, { now: new Date() })
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

async function* printed(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${line}\n`
}

async function* linesIn(
  snapshot: Snapshot,
  secrets: ExportOptions["secrets"],
  shown?: Progress,
): AsyncGenerator<string, void, undefined> {
  const total = shown === undefined ? 0 : await countRows(snapshot, secrets)
  let written = 0
  for await (const line of exportLines(snapshot, { version: VERSION, now: new Date(), secrets })) {
    yield line
    shown?.at(Math.min(1, ++written / (total + 2)))
  }
}
