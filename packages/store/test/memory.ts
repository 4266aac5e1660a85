import { DatabaseSync } from "node:sqlite"
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

/** An empty store in memory, at the present schema or an older one. */
export async function memoryStore(schema = SCHEMA_VERSION): Promise<Memory> {
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
