import { beforeAll, describe, expect, it } from "vitest"
import { each, linesOf, NOW, sealed } from "../test/bundle-lines.ts"
import { memoryStore, type Memory } from "../test/memory.ts"
import { AT, furnish, row } from "../test/rows.ts"
import { importLines } from "./import.ts"
import { SCHEMA_VERSION } from "./migrations/index.ts"

let bundle: string[]
beforeAll(async () => {
  const { db } = await memoryStore()
  await furnish(db)
  await db
    .insertInto("apiKeys")
    .values({
      uuid: "k1",
      agentUuid: "a1",
      name: "laptop",
      prefix: "cho_",
      hash: "sha:secret",
      createdAt: AT,
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
    })
    .execute()
  await db
    .insertInto("webhooks")
    .values({
      uuid: "h1",
      workspaceUuid: "w1",
      projectUuid: null,
      url: "https://example.org",
      secret: "s3cret",
      kinds: "[]",
      active: 1,
      allowPrivate: 0,
      lastEvent: 0,
      createdByUuid: "u1",
      createdAt: AT,
      updatedAt: AT,
    })
    .execute()
  await db
    .insertInto("tasks")
    .values(row.task({ title: "An oak door" }))
    .execute()
  bundle = await linesOf({ engine: "sqlite", db, close: async () => undefined })
})

/** Reads lines into a store as a caller does who has set its triggers to rest. */
async function read(
  lines: readonly string[],
  into?: Memory,
  onRow?: (count: number) => void,
): Promise<{ rows: number; memory: Memory }> {
  const memory = into ?? (await memoryStore(0))
  const result = await importLines(
    {
      db: memory.db,
      engine: "sqlite",
      now: NOW,
      ...(onRow === undefined ? {} : { onRow }),
      withoutTriggers: (work) => work(),
    },
    each(lines),
  )
  return { ...result, memory }
}

const headerWith = (change: object) => JSON.stringify({ ...(JSON.parse(bundle[0] ?? "") as object), ...change })

describe("reading a bundle", () => {
  it("gives the same bundle again", async () => {
    const { memory, rows } = await read(bundle)
    expect(rows).toBe(bundle.length - 2)
    expect(await linesOf({ engine: "sqlite", db: memory.db, close: async () => undefined })).toEqual(bundle)
  })

  it("notes when its migrations were run", async () => {
    const { memory } = await read(bundle)
    const times = (await memory.db.selectFrom("migrations").select("appliedAt").execute()).map(
      ({ appliedAt }) => appliedAt,
    )
    expect(new Set(times)).toEqual(new Set(["2026-01-02T03:04:05.000Z"]))
  })

  it("says how far it is, row by row", async () => {
    const counts: number[] = []
    const { rows } = await read(bundle, undefined, (count) => counts.push(count))
    expect(counts).toEqual(Array.from({ length: rows }, (_, n) => n + 1))
  })

  it("finds by text what it brought", async () => {
    const { memory } = await read(bundle)
    const entries = await memory.db
      .selectFrom("searchEntries")
      .select(["entityType", "title"])
      .orderBy("entityType")
      .execute()
    expect(entries).toEqual([
      { entityType: "project", title: "House" },
      { entityType: "task", title: "An oak door" },
    ])
  })

  it("takes more rows than one statement holds", async () => {
    const { db } = await memoryStore()
    await furnish(db)
    // More values than the engine takes in one statement: 28 for each row.
    for (let from = 0; from < 1300; from += 100)
      await db
        .insertInto("tasks")
        .values(Array.from({ length: 100 }, (_, n) => row.task({ uuid: `t${from + n}` })))
        .execute()
    const { rows, memory } = await read(await linesOf({ engine: "sqlite", db, close: async () => undefined }))
    expect(rows).toBe(1304)
    expect(await memory.db.selectFrom("tasks").select("uuid").execute()).toHaveLength(1300)
  })

  it("of an empty store makes an empty store", async () => {
    const { db } = await memoryStore()
    const { rows, memory } = await read(await linesOf({ engine: "sqlite", db, close: async () => undefined }))
    expect([rows, await memory.db.selectFrom("workspaces").selectAll().execute()]).toEqual([0, []])
  })
})

describe("what stands in the place of secrets after an import", () => {
  it("is no password, a key that nobody has, and a new secret of a webhook", async () => {
    const { memory } = await read(bundle)
    const [user, key, webhook] = await Promise.all([
      memory.db.selectFrom("users").select("passwordHash").executeTakeFirstOrThrow(),
      memory.db.selectFrom("apiKeys").select("hash").executeTakeFirstOrThrow(),
      memory.db.selectFrom("webhooks").select("secret").executeTakeFirstOrThrow(),
    ])
    expect([user.passwordHash, key.hash]).toEqual([null, "scrubbed:k1"])
    expect(webhook.secret).toMatch(/^[\w-]{43}$/)
  })

  it("is another webhook's secret each time", async () => {
    const secrets = await Promise.all(
      [read(bundle), read(bundle)].map(async (reading) =>
        (await reading).memory.db.selectFrom("webhooks").select("secret").executeTakeFirstOrThrow(),
      ),
    )
    expect(secrets[0]).not.toEqual(secrets[1])
  })
})

describe("a bundle of an older schema", () => {
  it.each([1, 3, 5, 7])("of %i goes into that schema, which is then brought forward", async (schema) => {
    const old = await memoryStore(schema)
    await furnish(old.db)
    const { memory } = await read(await linesOf({ engine: "sqlite", db: old.db, close: async () => undefined }))
    const { last } = await memory.db
      .selectFrom("migrations")
      .select(({ fn }) => fn.max("id").as("last"))
      .executeTakeFirstOrThrow()
    expect(last).toBe(SCHEMA_VERSION)
    expect(await memory.db.selectFrom("projects").selectAll().execute()).toEqual([
      { ...row.project(), key: "HOUS", lastNumber: 0 },
    ])
    expect(await memory.db.selectFrom("searchEntries").select("title").execute()).toEqual([{ title: "House" }])
  })

  it("is not read into a store that is further already", async () => {
    const old = await memoryStore(3)
    const lines = await linesOf({ engine: "sqlite", db: old.db, close: async () => undefined })
    await expect(read(lines, await memoryStore(5))).rejects.toMatchObject({
      code: "schema_older",
      next: "Import it into a new data directory or a new database.",
    })
  })
})

describe("what is not read", () => {
  it("is a bundle into a store with a workspace in it, which is named", async () => {
    const full = await memoryStore()
    await furnish(full.db)
    await expect(read(bundle, full)).rejects.toMatchObject({
      code: "store_not_empty",
      status: 409,
      message: 'This store already holds the workspace "W".',
    })
  })

  it("is a bundle of a newer Chorus, which is named", async () => {
    await expect(
      read([headerWith({ schema: SCHEMA_VERSION + 1, version: "9.9.9" }), ...bundle.slice(1)]),
    ).rejects.toMatchObject({
      code: "schema_newer",
      message: `This bundle was written by a newer Chorus (9.9.9, schema ${SCHEMA_VERSION + 1}).`,
      next: "Import it with that version or a later one.",
    })
  })

  const withTable = (name: string, columns: string[]) =>
    headerWith({ tables: { ...(JSON.parse(bundle[0] ?? "") as { tables: object }).tables, [name]: columns } })
  const someRow = '{"table":"workspaces","row":{"uuid":"w1","name":"W","lastEvent":0,"settings":"{}","createdAt":""}}'

  it.each<[what: string, says: string, lines: () => string[]]>([
    [
      "a header that names a strange table",
      'its header names a table "evil" that is not known',
      () => [withTable("evil", ["a"]), ...bundle.slice(1)],
    ],
    [
      "a header that names a secret table",
      'its header names a table "signIns" that is not known',
      () => [withTable("signIns", ["uuid"]), ...bundle.slice(1)],
    ],
    [
      "a header without a table",
      'its header does not name the table "tasks"',
      () => [
        headerWith({
          tables: Object.fromEntries(
            Object.entries((JSON.parse(bundle[0] ?? "") as { tables: object }).tables).filter(
              ([name]) => name !== "tasks",
            ),
          ),
        }),
        ...bundle.slice(1),
      ],
    ],
    ["a line that is a text", "line 2 is not a row", () => [bundle[0] ?? "", '"text"']],
    ["a row without a table", "line 2 is not a row", () => [bundle[0] ?? "", '{"row":{}}']],
    [
      "a row of a secret table",
      'line 2 is of a table "receipts" that is not known',
      () => sealed(bundle[0], ['{"table":"receipts","row":{}}']),
    ],
    [
      "a row that brings a secret column",
      'line 2 has a column "passwordHash" that users does not have',
      () => sealed(bundle[0], ['{"table":"users","row":{"passwordHash":"x"}}']),
    ],
    [
      "a row without a column",
      'line 2 has no column "createdAt"',
      () => sealed(bundle[0], [someRow.replace(',"createdAt":""', "")]),
    ],
    [
      "a number for a text",
      'line 2 has a wrong value for "name"',
      () => sealed(bundle[0], [someRow.replace('"name":"W"', '"name":7')]),
    ],
    [
      "bytes for a number",
      'line 2 has a wrong value for "lastEvent"',
      () => sealed(bundle[0], [someRow.replace('"lastEvent":0', '"lastEvent":{"base64":""}')]),
    ],
    [
      "rows that are not those that were exported",
      "its rows are not those that were exported; the digest differs",
      () => bundle.map((line) => line.replace('"name":"House"', '"name":"Horse"')),
    ],
    ["an end that says no digest", "its last line is not an end", () => [bundle[0] ?? "", '{"end":true}']],
    [
      "an end that counts tables it does not hold",
      "it says 3 rows of users and holds 0",
      () => [bundle[0] ?? "", '{"end":true,"rows":{"users":3},"sha256":""}'],
    ],
    [
      "an end that does not count what it holds",
      "it says 0 rows of workspaces and holds 1",
      () => [bundle[0] ?? "", someRow, '{"end":true,"rows":{},"sha256":""}'],
    ],
  ])("is %s", async (_, says, lines) => {
    await expect(read(lines())).rejects.toMatchObject({
      code: "bad_bundle",
      message: `This bundle cannot be read: ${says}.`,
    })
  })
})
