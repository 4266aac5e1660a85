import { join } from "node:path"
import { type Postgres, startPostgres, temporaryDirectory } from "@chorus/testing"
import { openSqliteStore } from "../src/index.ts"
import { openPostgresStore } from "../src/postgres-store.ts"
import type { Store } from "../src/store.ts"

let postgres: Promise<Postgres> | undefined

/** A fresh, empty store of either engine. */
export async function freshStore(engine: "sqlite" | "postgres"): Promise<{ store: Store; reopen(): Promise<Store> }> {
  if (engine === "sqlite") {
    const path = join((await temporaryDirectory()).path, "chorus.sqlite")
    return { store: await openSqliteStore(path), reopen: () => openSqliteStore(path) }
  }
  const url = await emptyDatabase()
  return { store: await openPostgresStore(url), reopen: () => openPostgresStore(url) }
}

/** The address of a PostgreSQL database in which nothing is. */
export async function emptyDatabase(): Promise<string> {
  postgres ??= startPostgres({ fsync: false })
  return (await postgres).database()
}

export async function stopPostgres(): Promise<void> {
  await (await postgres)?.stop()
  postgres = undefined
}
