import { beforeAll, describe, expect, it } from "vitest"
import { linesOf } from "../test/bundle-lines.ts"
import { memoryStore, type Memory } from "../test/memory.ts"
import { AT, furnish, row } from "../test/rows.ts"
import { countRows, exportedTables, exportLines, schemaOf } from "./export.ts"
import { SCHEMA_VERSION } from "./migrations/index.ts"
import type { Snapshot } from "./snapshot.ts"
import { readTables } from "./table-map.ts"

interface Line {
  readonly table: string
  readonly row: Record<string, unknown>
}

const snapshotOf = ({ db }: Memory): Snapshot => ({ engine: "sqlite", db, close: async () => undefined })
const rowsIn = (lines: readonly string[], table: string) =>
  lines
    .slice(1, -1)
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.table === table)
    .map((line) => line.row)

let memory: Memory
beforeAll(async () => {
  memory = await memoryStore()
  await furnish(memory.db)
  await memory.db.updateTable("users").set({ passwordHash: "scrypt:secret" }).execute()
  await memory.db
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
  await memory.db.insertInto("sharedSecrets").values({ name: "cookie", value: "secret" }).execute()
  await memory.db
    .insertInto("attachmentFiles")
    .values({
      uuid: "f1",
      projectUuid: "p1",
      targetType: "task",
      targetUuid: "t1",
      name: "ü.bin",
      mediaType: "a/b",
      size: 3,
      sha256: "ab",
      content: Buffer.from([0, 255, 10]),
      createdByType: "user",
      createdByUuid: "u1",
      createdAt: AT,
    })
    .execute()
})

describe("the lines of an export", () => {
  it("begin with a header that says what they are and fit", async () => {
    const [header = ""] = await linesOf(snapshotOf(memory))
    expect(JSON.parse(header)).toMatchObject({
      chorus: "export",
      format: 1,
      schema: SCHEMA_VERSION,
      version: "0",
      exportedAt: "2026-01-02T03:04:05.000Z",
      secrets: false,
      tables: { workspaces: ["uuid", "name", "lastEvent", "settings", "createdAt"] },
    })
  })

  it("are one row each, parents before children", async () => {
    const tables = (await linesOf(snapshotOf(memory))).slice(1, -1).map((line) => (JSON.parse(line) as Line).table)
    expect(tables).toEqual(["workspaces", "projects", "attachmentFiles", "users", "agents", "apiKeys"])
  })

  it("hold no line break, whatever was written", async () => {
    const own = await memoryStore()
    await own.db
      .insertInto("workspaces")
      .values(row.workspace({ name: "two\nlines\r\n\u2028" }))
      .execute()
    for (const line of await linesOf(snapshotOf(own))) expect(line).not.toMatch(/[\r\n]/)
  })

  it("end with the count of rows of each table, and their digest", async () => {
    const lines = await linesOf(snapshotOf(memory))
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({
      end: true,
      rows: { workspaces: 1, projects: 1, attachmentFiles: 1, users: 1, agents: 1, apiKeys: 1 },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it("write bytes as base64, numbers as numbers, and nothing as null", async () => {
    const [file] = rowsIn(await linesOf(snapshotOf(memory)), "attachmentFiles")
    expect(file).toMatchObject({ name: "ü.bin", size: 3, content: { base64: "AP8K" } })
    expect(rowsIn(await linesOf(snapshotOf(memory)), "projects")[0]).toMatchObject({ description: null })
  })

  it("of an empty store are a header and an end", async () => {
    expect(await linesOf(snapshotOf(await memoryStore()))).toHaveLength(2)
  })

  it("come in the order of the key, also beyond what is read at once", async () => {
    const own = await memoryStore()
    const names = Array.from({ length: 1201 }, (_, n) => `w${String((n * 7) % 1201).padStart(4, "0")}`)
    for (const uuid of names)
      own.database.prepare(`insert into workspaces ("uuid", "name", "createdAt") values (?, 'W', '')`).run(uuid)
    expect(rowsIn(await linesOf(snapshotOf(own)), "workspaces").map((found) => found["uuid"])).toEqual(
      [...names].sort(),
    )
  })

  it("come in the order of every part of a key", async () => {
    const own = await memoryStore()
    await furnish(own.db)
    for (const [workspaceUuid, id] of [
      ["w1", 10],
      ["w1", 9],
      ["w1", 100],
    ] as const) {
      await own.db
        .insertInto("events")
        .values({
          workspaceUuid,
          id,
          at: AT,
          kind: "task.created",
          entityType: "task",
          entityUuid: "t1",
          projectUuid: null,
          action: "created",
          patch: "{}",
          actorType: "system",
          actorUuid: "s",
          actorName: "S",
          requestId: null,
        })
        .execute()
    }
    expect(rowsIn(await linesOf(snapshotOf(own)), "events").map((found) => found["id"])).toEqual([9, 10, 100])
  })

  it("are made as they are asked for, so that a large store needs no large memory", async () => {
    const lines = exportLines(snapshotOf(memory), { version: "0", now: new Date(0), secrets: "scrubbed" })
    expect(JSON.parse((await lines.next()).value ?? "")).toMatchObject({ chorus: "export" })
    expect(await lines.return(undefined)).toEqual({ done: true, value: undefined })
  })
})

describe("secrets", () => {
  it("are not in an export, neither their values nor their columns", async () => {
    const lines = (await linesOf(snapshotOf(memory))).join("\n")
    expect(lines).not.toContain('secret"')
    expect(lines).not.toMatch(/passwordHash|"hash"|sharedSecrets/)
  })

  it("are in a backup", async () => {
    const lines = await linesOf(snapshotOf(memory), "kept")
    expect(rowsIn(lines, "users")[0]).toMatchObject({ passwordHash: "scrypt:secret" })
    expect(rowsIn(lines, "sharedSecrets")).toEqual([{ name: "cookie", value: "secret" }])
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ secrets: true })
  })

  it("make no other difference than by tables and columns that are named", async () => {
    const tables = await readTables(memory.db, "sqlite")
    const [open, all] = [exportedTables(tables, "scrubbed"), exportedTables(tables, "kept")]
    const names = (some: typeof open) => some.map(({ name }) => name)
    expect(
      names(all)
        .filter((name) => !names(open).includes(name))
        .sort(),
    ).toEqual([
      "bridges",
      "channels",
      "personPresence",
      "pushSubscriptions",
      "receipts",
      "sharedSecrets",
      "signInAttempts",
      "signInLinks",
      "signIns",
    ])
    const columns = (some: typeof open) =>
      some.flatMap((table) => table.columns.map((column) => `${table.name}.${column.name}`))
    const left = columns(all).filter(
      (column) => !columns(open).includes(column) && names(open).includes(column.split(".")[0] ?? ""),
    )
    expect(left.sort()).toEqual(["apiKeys.hash", "users.passwordHash", "webhooks.secret"])
  })
})

describe("how much an export will hold", () => {
  it("is counted before, with and without secrets", async () => {
    expect([await countRows(snapshotOf(memory), "scrubbed"), await countRows(snapshotOf(memory), "kept")]).toEqual([
      6, 7,
    ])
  })

  it("is told by the schema, which is zero where there never was a store", async () => {
    expect(await schemaOf(memory)).toBe(SCHEMA_VERSION)
    expect(await schemaOf(await memoryStore(0))).toBe(0)
  })
})
