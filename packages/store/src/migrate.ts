import { ChorusError } from "@chorus/contracts"
import { sql } from "kysely"
import { migrations as allMigrations, SCHEMA_VERSION } from "./migrations/index.ts"
import type { Engine, Migration } from "./migrations/migration.ts"
import type { Db } from "./schema/index.ts"

export interface MigrationPlan {
  /** Zero for a store that has never been used. */
  readonly from: number
  readonly pending: readonly Migration[]
}

/** What would have to run; refuses a store that a newer Chorus has written. */
export async function planMigrations(db: Db, migrations: readonly Migration[] = allMigrations): Promise<MigrationPlan> {
  await sql`create table if not exists migrations ("id" integer primary key, "name" text not null, "appliedAt" text not null)`.execute(
    db,
  )
  const row = await db
    .selectFrom("migrations")
    .select(({ fn }) => fn.max("id").as("last"))
    .executeTakeFirst()
  const from = row?.last ?? 0
  if (from > (migrations.at(-1)?.id ?? 0)) throw newerSchema(from)
  return { from, pending: migrations.filter((migration) => migration.id > from) }
}

/** Runs the pending steps inside the caller's transaction, so an interrupted upgrade leaves the old schema. */
export async function runMigrations(db: Db, engine: Engine, plan: MigrationPlan, now: string): Promise<void> {
  for (const migration of plan.pending) {
    for (const statement of migration.statements(engine)) await sql.raw(statement).execute(db)
    await db.insertInto("migrations").values({ id: migration.id, name: migration.name, appliedAt: now }).execute()
  }
}

function newerSchema(found: number): ChorusError {
  return new ChorusError(
    "schema_newer",
    `This data was written by a newer Chorus (schema ${found}; this one knows ${SCHEMA_VERSION}).`,
    {
      status: 500,
      next: "Start the newer Chorus again, or restore a backup made before the upgrade.",
    },
  )
}
