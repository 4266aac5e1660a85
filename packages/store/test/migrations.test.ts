import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { sql } from "kysely"
import { describe, expect, it } from "vitest"
import { planMigrations, runMigrations } from "../src/migrate.ts"
import { migrations } from "../src/migrations/index.ts"
import { kyselyOver, openDatabase } from "../src/sqlite-database.ts"
import { openSqliteStore } from "../src/sqlite-store.ts"
import { freshStore } from "./engines.ts"

describe("migrations", () => {
  it("count up from one without gaps", () => {
    expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, index) => index + 1))
  })

  it("make the same tables and columns on both engines", async () => {
    const { store: sqlite } = await freshStore("sqlite")
    const { store: postgres } = await freshStore("postgres")
    const lite = await sql<{ name: string }>`
      select m.name || '.' || c.name as name from sqlite_master m join pragma_table_info(m.name) c
      where m.type = 'table' and m.name not like 'searchText%' and m.name not like 'sqlite_%'`.execute(sqlite.db)
    const full = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and table_name not like 'searchText%'`.execute(postgres.db)
    expect(lite.rows.map(({ name }) => name).sort()).toEqual(full.rows.map(({ name }) => name).sort())
    await sqlite.close()
    await postgres.close()
  })

  it("keep a copy of the embedded file before an upgrade", async () => {
    const path = join((await temporaryDirectory()).path, "chorus.sqlite")
    const old = openDatabase(path)
    const db = kyselyOver(old)
    const plan = await planMigrations(db)
    await runMigrations(db, "sqlite", { ...plan, pending: plan.pending.slice(0, 1) }, "2026-01-01T00:00:00.000Z")
    old.close()
    const store = await openSqliteStore(path)
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith("before-schema-"))).toHaveLength(1)
    await store.close()
  })

  it("leave the old schema when one step fails", async () => {
    const path = join((await temporaryDirectory()).path, "chorus.sqlite")
    const store = await openSqliteStore(path)
    const broken = {
      id: migrations.length + 1,
      name: "broken",
      statements: () => ["create table half (id integer)", "this is not sql"],
    }
    await expect(
      store.write(async (unit) =>
        runMigrations(
          unit.db,
          "sqlite",
          await planMigrations(unit.db, [...migrations, broken]),
          "2026-01-01T00:00:00.000Z",
        ),
      ),
    ).rejects.toThrow(/syntax/)
    const { rows } = await sql<{ name: string }>`select name from sqlite_master where name = 'half'`.execute(store.db)
    expect(rows).toEqual([])
    await store.close()
  })
})
