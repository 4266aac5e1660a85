import { sql } from "kysely"
import { askedOften } from "./asked-often.ts"
import type { Unit } from "./store.ts"

/** Takes a named lock until the change ends, unless another process has it. */
export async function tryLock(unit: Pick<Unit, "db" | "engine">, name: string): Promise<boolean> {
  if (unit.engine === "sqlite") return true
  const { rows } = await sql<{
    taken: boolean
  }>`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`.execute(unit.db)
  return rows[0]?.taken === true
}

/** Holds a named lock until the change ends. The embedded engine runs one change at a time, so there it holds already. */
export async function lock(unit: Pick<Unit, "db" | "engine">, name: string): Promise<void> {
  if (unit.engine === "sqlite") return
  await held(unit.db, name)
}

const held = askedOften((db, name) => ({
  compile: () => sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.compile(db),
}))
