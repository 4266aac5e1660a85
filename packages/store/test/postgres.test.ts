import { sharedDatabase } from "@chorus/testing/shared-database"
import { waitFor } from "@chorus/testing"
import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPostgresStore } from "../src/postgres-store.ts"
import { importIntoPostgres } from "../src/postgres-import.ts"
import { notices, PostgresNotices } from "../src/postgres-notices.ts"
import { openPostgresSnapshot } from "../src/postgres-snapshot.ts"
import { countRows } from "../src/export.ts"
import type { Store } from "../src/store.ts"
import { each, linesOf, NOW } from "./bundle-lines.ts"
import { furnish, row } from "./rows.ts"

let url: string
let store: Store
beforeAll(async () => {
  url = await sharedDatabase()
  store = await openPostgresStore(url)
  await store.write(({ db }) => furnish(db))
})
afterAll(async () => {
  await store.close()
})

describe("a snapshot of a PostgreSQL store", () => {
  it("stays what it was, whatever is written meanwhile", async () => {
    const snapshot = await openPostgresSnapshot(url)
    const names = async () =>
      (await snapshot.db.selectFrom("projects").select("uuid").orderBy("uuid").execute()).map(({ uuid }) => uuid)
    const before = await names()
    await store.write(({ db }) =>
      db
        .insertInto("projects")
        .values(row.project({ uuid: "p-later" }))
        .execute(),
    )
    expect(await names()).toEqual(before)
    await snapshot.close()
  })

  it("does not let anything be written", async () => {
    const snapshot = await openPostgresSnapshot(url)
    await expect(snapshot.db.deleteFrom("projects").execute()).rejects.toThrow(/read-only transaction/)
    await snapshot.close()
  })

  it("counts what an export of it holds", async () => {
    const counting = await openPostgresSnapshot(url)
    const count = await countRows(counting, "scrubbed")
    await counting.close()
    expect((await linesOf(await openPostgresSnapshot(url))).length - 2).toBe(count)
  })
})

describe("an import into PostgreSQL", () => {
  it("tells how far it is, and leaves references and triggers as they were", async () => {
    const target = await sharedDatabase()
    const bundle = await linesOf(await openPostgresSnapshot(url))
    const counts: number[] = []
    await importIntoPostgres(target, each(bundle), { now: NOW, onRow: (count) => counts.push(count) })
    expect(counts.at(-1)).toBe(bundle.length - 2)
    const imported = await openPostgresStore(target)
    const { rows } = await sql<{ deferrable: boolean; triggers: string }>`
      select bool_or(condeferrable) as deferrable, (select string_agg(distinct tgenabled::text, '') from pg_trigger where not tgisinternal) as triggers
      from pg_constraint where contype = 'f'`.execute(imported.db)
    expect(rows).toEqual([{ deferrable: false, triggers: "O" }])
    await imported.close()
  })

  it("that breaks off leaves an empty database", async () => {
    const target = await sharedDatabase()
    const bundle = await linesOf(await openPostgresSnapshot(url))
    await expect(importIntoPostgres(target, each(bundle.slice(0, 3)), { now: NOW })).rejects.toMatchObject({
      code: "bad_bundle",
    })
    const after = await openPostgresStore(target)
    expect(await after.db.selectFrom("workspaces").selectAll().execute()).toEqual([])
    await after.close()
  })
})

describe("what is heard on a connection of its own", () => {
  it("is growth and broadcasts, whole also where they hold the signs that part them", async () => {
    const heard: unknown[] = []
    const ears = new PostgresNotices(url)
    ears.onGrowth((workspace, position) => heard.push([workspace, position]))
    ears.onBroadcast("topic", (message) => heard.push(message))
    await ears.start()
    await store.broadcast("topic", "a: b c")
    await sql`select pg_notify('chorus_growth', 'w1:17')`.execute(store.db)
    await waitFor(
      () => heard.length === 2,
      60_000,
      () => `both to be heard: ${JSON.stringify(heard)}`,
    )
    expect(heard).toEqual(["a: b c", ["w1", 17]])
    await ears.stop()
  })

  it("is nothing that does not look like a notice", async () => {
    const heard: string[] = []
    const ears = new PostgresNotices(url)
    ears.onGrowth((workspace) => heard.push(workspace))
    await ears.start()
    for (const payload of ["", "nonsense", "w1:1"])
      await sql`select pg_notify('chorus_growth', ${payload})`.execute(store.db)
    await waitFor(() => heard.length > 0, 60_000, "the one that does")
    expect(heard).toEqual(["w1"])
    await ears.stop()
  })

  it("is told in this form", () => {
    expect(notices.broadcast("topic", "a b")).toEqual({ channel: "chorus_broadcast", payload: "topic a b" })
  })

  it("cannot begin where no database is, and says so", async () => {
    await expect(new PostgresNotices("postgres://chorus@127.0.0.1:1/none").start()).rejects.toMatchObject({
      code: "ECONNREFUSED",
    })
  })

  it("may be stopped before it began, and twice", async () => {
    const ears = new PostgresNotices(url)
    await ears.stop()
    await ears.start()
    await ears.stop()
  })
})
