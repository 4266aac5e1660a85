import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach } from "vitest"
import { planMigrations, runMigrations } from "../src/migrate.ts"
import { SCHEMA_VERSION } from "../src/migrations/index.ts"
import type { Db } from "../src/schema/index.ts"
import { kyselyOver } from "../src/sqlite-database.ts"
import { AT } from "./rows.ts"

export interface Memory {
  readonly database: DatabaseSync
  readonly db: Db
}

/** What all migrations come to, made once in each process: to run them takes twenty times as long as to copy it. */
let made: Promise<Buffer> | undefined

/** An empty store that lies on no disk, at the present schema or an older one. */
export async function memoryStore(schema = SCHEMA_VERSION): Promise<Memory> {
  if (schema !== SCHEMA_VERSION) return migrated(schema)
  const directory = temporaryDirectory()
  const path = join(directory.path, "store.sqlite")
  writeFileSync(path, await (made ??= bytesOf(path)))
  const database = new DatabaseSync(path)
  database.exec("pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = on")
  await directory.remove()
  return { database, db: kyselyOver(database) }
}

async function bytesOf(path: string): Promise<Buffer> {
  const { database } = await migrated(SCHEMA_VERSION)
  database.prepare("vacuum into ?").run(path)
  database.close()
  const bytes = readFileSync(path)
  rmSync(path)
  return bytes
}

async function migrated(schema: number): Promise<Memory> {
  const database = new DatabaseSync(":memory:")
  database.exec("pragma foreign_keys = on")
  const db = kyselyOver(database)
  const { from, pending } = await planMigrations(db)
  await runMigrations(db, "sqlite", { from, pending: pending.filter(({ id }) => id <= schema) }, AT)
  return { database, db }
}

/** Lets all tests of a file use one store: what each does to it is undone after it. */
export function undoEach({ database }: Memory): void {
  beforeEach(() => database.exec("begin"))
  afterEach(() => database.exec("rollback"))
}
