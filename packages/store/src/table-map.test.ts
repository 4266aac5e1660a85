import { DatabaseSync } from "node:sqlite"
import { assert, asyncProperty, integer, uniqueArray } from "fast-check"
import { describe, expect, it } from "vitest"
import { memoryStore } from "../test/memory.ts"
import { kyselyOver } from "./sqlite-database.ts"
import { readTables, type Table } from "./table-map.ts"

async function tablesOf(...statements: string[]): Promise<Table[]> {
  const database = new DatabaseSync(":memory:")
  for (const statement of statements) database.exec(statement)
  return readTables(kyselyOver(database), "sqlite")
}

describe("the map of tables", () => {
  it("is empty for an empty database", async () => expect(await tablesOf()).toEqual([]))

  it("names columns in their order, and what kind of value they hold", async () => {
    const [table] = await tablesOf(
      `create table files ("uuid" text primary key, "size" bigint, "share" double precision, "content" blob, "flag" smallint, "note" text)`,
    )
    expect(table?.columns).toEqual([
      { name: "uuid", kind: "text" },
      { name: "size", kind: "number" },
      { name: "share", kind: "number" },
      { name: "content", kind: "bytes" },
      { name: "flag", kind: "number" },
      { name: "note", kind: "text" },
    ])
  })

  it("knows a key of several columns in the order of the key, not of the table", async () => {
    const [table] = await tablesOf(`create table visits ("at" text, "b" text, "a" text, primary key ("a", "b"))`)
    expect(table?.primaryKey).toEqual(["a", "b"])
  })

  it("knows a table without a key", async () => {
    const [table] = await tablesOf(`create table notes ("text" text)`)
    expect(table).toMatchObject({ primaryKey: [], parents: [] })
  })

  it("puts a table after those it points to, whatever their names", async () => {
    const tables = await tablesOf(
      `create table zebra ("id" text primary key)`,
      `create table ant ("id" text primary key, "zebra" text references zebra("id"))`,
    )
    expect(tables.map(({ name, parents }) => [name, parents])).toEqual([
      ["zebra", []],
      ["ant", ["zebra"]],
    ])
  })

  it("goes by name where nothing points anywhere", async () => {
    const tables = await tablesOf("create table c (x)", "create table a (x)", "create table b (x)")
    expect(tables.map(({ name }) => name)).toEqual(["a", "b", "c"])
  })

  it("is not held up by a table that points to itself", async () => {
    const [table] = await tablesOf(`create table tree ("id" text primary key, "parent" text references tree("id"))`)
    expect(table).toMatchObject({ name: "tree", parents: ["tree"] })
  })

  it("ends also where two tables point at each other", async () => {
    const tables = await tablesOf(
      `create table b ("id" text primary key, "a" text references a("id"))`,
      `create table a ("id" text primary key, "b" text references b("id"))`,
      `create table c ("a" text references a("id"))`,
    )
    expect(tables.map(({ name }) => name)).toEqual(["a", "b", "c"])
  })

  it("leaves out the engine's own tables and the index for search", async () => {
    const { db } = await memoryStore()
    const names = (await readTables(db, "sqlite")).map(({ name }) => name)
    expect(names.filter((name) => /^sqlite_|^searchText/.test(name))).toEqual([])
    expect(names).toContain("searchEntries")
  })

  it("has parents before children for any chain of tables", async () => {
    await assert(
      asyncProperty(uniqueArray(integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 6 }), async (numbers) => {
        const chain = numbers.map((number) => `t${number}`)
        const statements = chain.map(
          (name, index) =>
            `create table ${name} ("id" text primary key${index === 0 ? "" : `, "up" text references ${String(chain[index - 1])}("id")`})`,
        )
        expect((await tablesOf(...statements)).map(({ name }) => name)).toEqual(chain)
      }),
      { numRuns: 30 },
    )
  })
})
