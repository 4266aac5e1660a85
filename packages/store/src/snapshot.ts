import { existsSync } from "node:fs"
import { ChorusError } from "@chorus/contracts"
import type { Engine } from "./migrations/migration.ts"
import type { Db } from "./schema/index.ts"
import { kyselyOver, openDatabase } from "./sqlite-database.ts"

/** The store as it stood at one moment, whatever is written meanwhile. */
export interface Snapshot {
  readonly engine: Engine
  readonly db: Db
  close(): Promise<void>
}

/** A snapshot of the embedded file, also while a server writes to it. */
export function openSqliteSnapshot(path: string): Snapshot {
  if (!existsSync(path)) throw noData(path)
  const database = openDatabase(path, { readOnly: true })
  database.exec("begin")
  return {
    engine: "sqlite",
    db: kyselyOver(database),
    close: async () => {
      database.exec("rollback")
      database.close()
    },
  }
}

export function noData(path: string): ChorusError {
  return new ChorusError("no_data", `There is no Chorus data at ${path}.`, {
    status: 404,
    next: "Name the right place with --data DIR or --database URL, or begin with `chorus start`.",
  })
}
