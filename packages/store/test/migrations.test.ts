import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { sql } from "kysely"
import { describe, expect, it } from "vitest"
import { planMigrations, runMigrations } from "../src/migrate.ts"
import { migrations } from "../src/migrations/index.ts"
import type { Db } from "../src/schema/index.ts"
import { kyselyOver, openDatabase } from "../src/sqlite-database.ts"
import { openSqliteStore } from "../src/sqlite-store.ts"
import { freshStore } from "./engines.ts"

describe("migrations", () => {
  it("count up, each with a number of its own", () => {
    const ids = migrations.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
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
    // Only there changes commit side by side, and events wait for their positions; words are kept for the search.
    const only = /^(eventsComing\.|events\.ticket$|searchEntries\.bodyWords$)/
    const shared = full.rows.map(({ name }) => name).filter((name) => !only.test(name))
    expect(lite.rows.map(({ name }) => name).sort()).toEqual(shared.sort())
    await sqlite.close()
    await postgres.close()
  })

  it("limit the same columns to the same values on both engines", async () => {
    const { store: sqlite } = await freshStore("sqlite")
    const { store: postgres } = await freshStore("postgres")
    const lite = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_master where type = 'table' and sql is not null`.execute(sqlite.db)
    const there = lite.rows.flatMap((table) =>
      [...table.sql.matchAll(/check \("(\w+)" in \(('[^)]*)\)\)/g)].map(
        ([, column, values = ""]) => `${table.name}.${column}: ${wordsOf(values)}`,
      ),
    )
    // A limit is a check of the table, or of the type that a column has.
    const full = await sql<{ name: string; said: string }>`
      select c.relname || '.' || a.attname as "name", pg_get_constraintdef(k.oid) as "said"
      from pg_constraint k join pg_class c on true join pg_attribute a on a.attrelid = c.oid
      where k.contype = 'c' and c.relkind = 'r' and not a.attisdropped and c.relnamespace = 'public'::regnamespace
        and (a.atttypid = k.contypid or (c.oid = k.conrelid and array[a.attnum] = k.conkey))`.execute(postgres.db)
    const here = full.rows.flatMap(({ name, said }) => (said.includes("'") ? [`${name}: ${wordsOf(said)}`] : []))
    expect(there.length).toBeGreaterThan(40)
    expect(here.sort()).toEqual(there.sort())
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
      id: 1 + (migrations.at(-1)?.id ?? 0),
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

  it.each(["sqlite", "postgres"] as const)("carry over what was on its way out, on %s", async (engine) => {
    const rows = await withoutTables(engine, async (db) => {
      const { from, pending } = await planMigrations(db)
      await runMigrations(db, engine, { from, pending: pending.filter(({ id }) => id < 9) }, AT)
      for (const statement of ON_ITS_WAY) await sql.raw(statement).execute(db)
      await runMigrations(db, engine, await planMigrations(db), AT)
      return db.selectFrom("deliveries").selectAll().orderBy("uuid").execute()
    })
    expect(rows.map(({ uuid, lane, kind, state, attempts }) => [uuid, lane, kind, state, attempts])).toEqual([
      ["c1", "push:s1", "call", "pending", 1],
      ["d1", "webhook:h1", "event", "delivered", 1],
      ["d2", "webhook:h1", "event", "dead", 8],
      ["d3", "webhook:h1", "event", "pending", 2],
      ["d4", "webhook:h2", "event", "pending", 0],
      ["o1", "machine:m1", "order", "delivered", 1],
      ["o2", "machine:m1", "order", "dead", 1],
      ["o3", "machine:m1", "order", "pending", 0],
      ["q1", "machine:m1", "answer", "pending", 0],
    ])
    const of = (uuid: string) => rows.find((row) => row.uuid === uuid)
    expect(of("d2")).toMatchObject({
      place: 2,
      title: "task.created",
      responseStatus: 500,
      lastError: "It answered 500.",
    })
    expect(of("d3")).toMatchObject({ nextAttemptAt: AT, settledAt: null, payload: '{"eventId":3}' })
    expect(of("d4")?.nextAttemptAt).toBeNull()
    expect(of("o3")).toMatchObject({ byUuid: "u1", tag: "team:t1", nextAttemptAt: AT })
    expect(JSON.parse(of("o3")?.payload ?? "")).toEqual({
      decision: { decision: "message", team: "crew", by: "Ada", to: "bob", text: "hi" },
    })
    expect(JSON.parse(of("q1")?.payload ?? "")).toEqual({
      decision: {
        decision: "plan",
        team: "crew",
        member: "bob",
        requestId: "r1",
        by: "Ada",
        approved: false,
        feedback: "Smaller.",
      },
    })
    expect(of("q1")?.place).toBeGreaterThan(of("o3")?.place ?? 0)
  })
})

const AT = "2026-01-01T00:00:00.000Z"

/** Takes the tables away again; the embedded store has no way to, so there a file of its own begins empty. */
async function withoutTables<T>(engine: "sqlite" | "postgres", work: (db: Db) => Promise<T>): Promise<T> {
  if (engine === "sqlite")
    return work(kyselyOver(openDatabase(join((await temporaryDirectory()).path, "chorus.sqlite"))))
  const { store } = await freshStore(engine)
  try {
    return await store.write(async ({ db }) => {
      await sql`drop schema public cascade`.execute(db)
      await sql`create schema public`.execute(db)
      return work(db)
    })
  } finally {
    await store.close()
  }
}

const SAID = (decision: string) => `'{"decision":"message","team":"crew","by":"Ada","to":"bob","text":"${decision}"}'`
const QUESTION = `insert into attentions ("uuid", "workspaceUuid", "agentUuid", "kind", "title", "detail", "answerable", "createdAt",
  "answer", "answeredByType", "answeredByUuid", "answeredAt", "deliveredAt") values`
const DETAIL = `'{"machine":"laptop","team":"crew","member":"bob","requestId":"r1"}'`

/** As a server of the schema before left it. */
const ON_ITS_WAY = [
  `insert into workspaces ("uuid", "name", "lastEvent", "settings", "createdAt") values ('w1', 'W', 3, '{}', '${AT}')`,
  `insert into users ("uuid", "workspaceUuid", "name", "role", "createdAt") values ('u1', 'w1', 'Ada', 'owner', '${AT}')`,
  `insert into agents ("uuid", "workspaceUuid", "ownerUuid", "name", "presets", "permissions", "createdAt")
    values ('a1', 'w1', 'u1', 'Bob', '[]', '[]', '${AT}')`,
  ...[1, 2, 3].map(
    (
      id,
    ) => `insert into events ("workspaceUuid", "id", "at", "kind", "entityType", "entityUuid", "action", "patch", "actorType",
      "actorUuid", "actorName") values ('w1', ${id}, '${AT}', 'task.created', 'task', 't', 'created', '{}', 'user', 'u1', 'Ada')`,
  ),
  ...[1, 0].map(
    (
      active,
      n,
    ) => `insert into webhooks ("uuid", "workspaceUuid", "url", "secret", "kinds", "active", "allowPrivate", "lastEvent",
      "createdByUuid", "createdAt", "updatedAt") values ('h${n + 1}', 'w1', 'https://example.org', 's', '["*"]', ${active}, 0, 3, 'u1', '${AT}', '${AT}')`,
  ),
  `insert into "webhookDeliveries" values ('d1', 'h1', 1, 'delivered', 1, null, 204, null, '${AT}', '${AT}'),
    ('d2', 'h1', 2, 'failed', 8, null, 500, 'It answered 500.', '${AT}', null),
    ('d3', 'h1', 3, 'pending', 2, '${AT}', 500, 'It answered 500.', '${AT}', null),
    ('d4', 'h2', 3, 'pending', 0, '${AT}', null, null, '${AT}', null)`,
  `insert into "pushSubscriptions" values ('s1', 'u1', 'https://push.example.org', 'k', 'a', 'Firefox', '${AT}', null)`,
  `insert into "pushMessages" values ('c1', 's1', 'terminal:t', '{}', 'pending', 1, '${AT}', null, null, '${AT}', null)`,
  `insert into machines values ('m1', 'a1', 'laptop', null, null, '${AT}', '${AT}')`,
  `insert into teams values ('t1', 'm1', 'crew', 'named', null, 1, '${AT}', '${AT}', null)`,
  `insert into "teamOrders" values ('o1', 't1', 'm1', ${SAID("yo")}, 'u1', '${AT}', '${AT}', null),
    ('o2', 't1', 'm1', ${SAID("ho")}, 'u1', '${AT}', null, 'bob is gone'), ('o3', 't1', 'm1', ${SAID("hi")}, 'u1', '${AT}', null, null)`,
  `${QUESTION} ('q1', 'w1', 'a1', 'plan', 'A plan', ${DETAIL}, 1, '${AT}', '{"decision":"deny","text":"Smaller."}', 'user', 'u1', '${AT}', null),
    ('q2', 'w1', 'a1', 'plan', 'Delivered', ${DETAIL}, 1, '${AT}', '{"decision":"deny"}', 'user', 'u1', '${AT}', '${AT}'),
    ('q3', 'w1', 'a1', 'plan', 'Its own', '{}', 1, '${AT}', '{"decision":"deny"}', 'user', 'u1', '${AT}', null),
    ('q4', 'w1', 'a1', 'plan', 'Open', ${DETAIL}, 1, '${AT}', null, null, null, null, null)`,
]

function wordsOf(list: string): string {
  return [...list.matchAll(/'(\w+)'/g)].map(([, word]) => word).join(" ")
}
