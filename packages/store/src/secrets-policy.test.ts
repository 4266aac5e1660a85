import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { exportedTables } from "./export.ts"
import { migrations } from "./migrations/index.ts"
import { OWN_TABLES, SECRET_COLUMNS, SECRET_TABLES } from "./secrets-policy.ts"
import { kyselyOver } from "./sqlite-database.ts"
import { readTables } from "./table-map.ts"

/** Columns whose name sounds like a secret and that hold none. */
const HARMLESS = [
  "attachmentFiles.sha256",
  "changeParts.sha256",
  "findings.key",
  "importedItems.key",
  "projects.key",
  "teamMembers.tokens",
  "usages.dedupeKey",
  "usages.inputTokens",
  "usages.outputTokens",
  "usages.cacheReadTokens",
  "usages.cacheCreationTokens",
]

const database = new DatabaseSync(":memory:")
database.exec(`create table migrations ("id" integer primary key, "name" text not null, "appliedAt" text not null)`)
const statements = migrations.flatMap((migration) => migration.statements("sqlite"))
for (const statement of statements) database.exec(statement)
const tables = await readTables(kyselyOver(database), "sqlite")

const named = (pattern: RegExp) => statements.flatMap((statement) => pattern.exec(statement)?.[1] ?? [])
const dropped = named(/^drop table "?(\w+)"?/)

test("an export holds every table that the migrations make, but for those named as left out", () => {
  const made = [...new Set(named(/^create table "?(\w+)"?/).filter((name) => !dropped.includes(name)))]
  const exported = exportedTables(tables, "scrubbed").map(({ name }) => name)
  const leftOut = [...SECRET_TABLES, ...OWN_TABLES].filter((name) => !dropped.includes(name))
  expect([...exported, ...leftOut].sort()).toEqual([...made, "migrations"].sort())
  expect(tables.map(({ name }) => name).sort()).toEqual([...made, "migrations"].sort())
})

test("a table comes after those its rows point to", () => {
  const order = tables.map(({ name }) => name)
  for (const { name, parents } of tables) {
    for (const parent of parents.filter((other) => other !== name))
      expect(order.indexOf(parent)).toBeLessThan(order.indexOf(name))
  }
})

test("every column that sounds like a secret is left out or known to be harmless", () => {
  const open = exportedTables(tables, "scrubbed").flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column.name}`),
  )
  const suspicious = open.filter((column) =>
    /hash|secret|token|password|sha256|key$|credential|cookie/i.test(column.split(".")[1] ?? ""),
  )
  expect(suspicious.sort()).toEqual(HARMLESS.toSorted())
})

test("the policy names only what there is, or was before a bundle was written", () => {
  const known = new Map(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]))
  for (const name of [...SECRET_TABLES, ...OWN_TABLES]) expect(known.has(name) || dropped.includes(name)).toBe(true)
  for (const [table, columns] of Object.entries(SECRET_COLUMNS))
    expect(known.get(table)).toEqual(expect.arrayContaining(Object.keys(columns)))
})

test("the only virtual table, whose content an export does not see, is the index for search, which an import makes anew", () => {
  expect(statements.flatMap((statement) => /^create virtual table "?(\w+)"?/i.exec(statement)?.[1] ?? [])).toEqual([
    "searchText",
  ])
})

test("what stands in the place of a secret is nothing that anybody could present", () => {
  expect(SECRET_COLUMNS["users"]?.["passwordHash"]?.({})).toBeNull()
  expect(SECRET_COLUMNS["apiKeys"]?.["hash"]?.({ uuid: "k1" })).toBe("scrubbed:k1")
  const secret = () => SECRET_COLUMNS["webhooks"]?.["secret"]?.({})
  expect(new Set(Array.from({ length: 50 }, secret)).size).toBe(50)
  expect(Buffer.from(secret() ?? "", "base64url")).toHaveLength(32)
})

test("keys keep hashes apart from each other after an import, as the store asks for", () => {
  const standIn = (uuid: string) => SECRET_COLUMNS["apiKeys"]?.["hash"]?.({ uuid })
  expect(standIn("k1")).not.toBe(standIn("k2"))
})
