import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { openSqliteStore } from "../src/index.ts"
import { openPostgresStore } from "../src/postgres-store.ts"
import type { Store } from "../src/store.ts"

/** A fresh, empty store of either engine. */
export async function freshStore(engine: "sqlite" | "postgres"): Promise<{ store: Store; reopen(): Promise<Store> }> {
  if (engine === "sqlite") {
    const path = join((await temporaryDirectory()).path, "chorus.sqlite")
    return { store: await openSqliteStore(path), reopen: () => openSqliteStore(path) }
  }
  const url = await sharedDatabase()
  return { store: await openPostgresStore(url), reopen: () => openPostgresStore(url) }
}
