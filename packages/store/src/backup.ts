import { existsSync, rmSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { ChorusError } from "@chorus/contracts"
import { takePlace } from "@chorus/disk"
import { migrations, SCHEMA_VERSION } from "./migrations/index.ts"
import { noData } from "./snapshot.ts"

const LOOK_MS = 200

/** Runs beside the caller, so that a large copy does not keep it from saying how far it is. */
const COPY = `
const { workerData, parentPort } = require("node:worker_threads")
const { DatabaseSync } = require("node:sqlite")
const database = new DatabaseSync(workerData.source, { readOnly: true, timeout: 30000 })
database.prepare("vacuum into ?").run(workerData.target)
database.close()
parentPort.postMessage("done")
`

/** What a backup file says about itself once it was looked at. */
export interface BackupFacts {
  readonly schema: number
  readonly bytes: number
}

/**
 * Copies the embedded store as it stands at this moment into one file, also while a server writes to it. The file appears under its
 * name when it is whole, checked and on disk.
 */
export async function backUpSqlite(
  source: string,
  target: string,
  onProgress: (part: number) => void = () => undefined,
): Promise<BackupFacts> {
  if (!existsSync(source)) throw noData(source)
  const part = `${target}.part-${process.pid}`
  // Made by us first, because it holds secrets and SQLite would make it readable for others.
  writeFileSync(part, "", { mode: 0o600 })
  try {
    await copy(source, part, onProgress)
    const facts = checkBackup(part)
    takePlace(part, target)
    return facts
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** Refuses a file that is not a whole, sound Chorus store of a schema this program knows. */
export function checkBackup(path: string): BackupFacts {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    const { integrity_check: verdict } = database.prepare("pragma integrity_check(1)").get() ?? {}
    if (verdict !== "ok") throw badBackup(`it is damaged (${String(verdict)})`)
    if (database.prepare("pragma foreign_key_check").get() !== undefined)
      throw badBackup("rows in it point to rows that are not there")
    const { schema } = database.prepare("select max(id) as schema from migrations").get() ?? {}
    if (typeof schema !== "number" || schema < 1) throw badBackup("it holds no Chorus data")
    if (schema > SCHEMA_VERSION)
      throw badBackup(`a newer Chorus wrote it (schema ${schema}; this one knows ${SCHEMA_VERSION})`)
    return { schema, bytes: statSync(path).size }
  } catch (error) {
    if (error instanceof ChorusError) throw error
    throw badBackup(error instanceof Error ? error.message : String(error), error)
  } finally {
    database?.close()
  }
}

/**
 * Refuses a sound file whose tables, indexes or triggers are not those that Chorus itself would have made: a trigger that somebody
 * planted would run with every change.
 */
export function assertOwnSchema(path: string, schema: number): void {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  const model = new DatabaseSync(":memory:")
  try {
    model.exec(`create table migrations ("id" integer primary key, "name" text not null, "appliedAt" text not null)`)
    for (const { id, statements } of migrations)
      if (id <= schema) for (const text of statements("sqlite")) model.exec(text)
    const [expected, found] = [objectsIn(model), objectsIn(database)]
    for (const [name, text] of found)
      if (expected.get(name) !== text)
        throw badBackup(expected.has(name) ? `its ${name} is not as Chorus makes it` : `Chorus made no ${name}`)
    for (const name of expected.keys()) if (!found.has(name)) throw badBackup(`its ${name} is missing`)
  } finally {
    database.close()
    model.close()
  }
}

/** What a database is made of, by name; what the engine keeps for itself is its own affair. */
function objectsIn(database: DatabaseSync): Map<string, string> {
  const rows = database
    .prepare("select type, name, sql from sqlite_master where name not like 'sqlite\\_%' escape '\\'")
    .all()
  return new Map(
    rows.map(({ type, name, sql }) => [`${String(type)} ${String(name)}`, String(sql).replace(/\s+/g, " ")]),
  )
}

function copy(source: string, target: string, onProgress: (part: number) => void): Promise<void> {
  const size = statSync(source).size
  return new Promise<void>((resolve, reject) => {
    const worker = new Worker(COPY, { eval: true, workerData: { source, target } })
    const timer = setInterval(() => onProgress(Math.min(1, statSync(target).size / size)), LOOK_MS)
    worker.once("error", reject)
    worker.once("exit", (code) => {
      clearInterval(timer)
      if (code === 0) resolve()
      else reject(new Error(`the copy ended with code ${code}`))
    })
  })
}

function badBackup(message: string, cause?: unknown): ChorusError {
  return new ChorusError("bad_backup", `This file cannot be used as the data of Chorus: ${message}.`, {
    next: "Use another backup. Nothing was changed.",
    cause,
  })
}
