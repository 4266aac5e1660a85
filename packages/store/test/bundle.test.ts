import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { importIntoSqlite, openSqliteSnapshot } from "@chorus/store"
import { openPostgresStore } from "@chorus/store/postgres"
import { importIntoPostgres } from "@chorus/store/postgres-import"
import { openPostgresSnapshot } from "@chorus/store/postgres-snapshot"
import { temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { each, linesOf, NOW, sealed } from "./bundle-lines.ts"
import { fillStore } from "./filled-store.ts"

const STRESS = process.env["CHORUS_STRESS"] === "1"

let directory: TemporaryDirectory
let full: string
let bundle: string[]

beforeAll(async () => {
  directory = temporaryDirectory()
  full = join(directory.path, "full.sqlite")
  await fillStore(full)
  bundle = await linesOf(openSqliteSnapshot(full))
})

afterAll(async () => {
  await directory.remove()
})

let target: string
let number = 0
beforeEach(() => {
  target = join(directory.path, `target-${++number}`, "chorus.sqlite")
  mkdirSync(join(target, ".."))
  writeFileSync(join(target, "..", "before.txt"), "")
})

test("export, import, export gives the same lines, over both engines and back", async () => {
  const database = await sharedDatabase()
  const imported = await importIntoPostgres(database, each(bundle), { now: NOW })
  expect(imported.rows).toBe(bundle.length - 2)
  const fromPostgres = await linesOf(await openPostgresSnapshot(database))
  expect(fromPostgres).toEqual(bundle)
  await importIntoSqlite(target, each(fromPostgres), { now: NOW })
  expect(await linesOf(openSqliteSnapshot(target))).toEqual(bundle)
})

test("a backup bundle keeps the secrets that an export leaves out", async () => {
  const kept = await linesOf(openSqliteSnapshot(full), "kept")
  expect(kept.filter((line) => /"table":"(signIns|signInLinks|receipts)"/.test(line))).toHaveLength(6)
  expect(kept.join()).toContain('"passwordHash":"users.passwordHash 1')
  expect(bundle.join()).not.toMatch(/passwordHash|apiKeys\.hash|signIn|receipts|webhooks\.secret/)
  const database = await sharedDatabase()
  await importIntoPostgres(database, each(kept), { now: NOW })
  expect(await linesOf(await openPostgresSnapshot(database), "kept")).toEqual(kept)
})

test("references hold again after an import, and triggers count again", async () => {
  const database = await sharedDatabase()
  await importIntoPostgres(database, each(bundle), { now: NOW })
  const store = await openPostgresStore(database)
  const insert = store.write(({ db }) =>
    db
      .insertInto("projectGroups")
      .values({ uuid: "g", workspaceUuid: "nowhere", name: "x", description: null, createdAt: "", updatedAt: "" })
      .execute(),
  )
  await expect(insert).rejects.toThrow(/foreign key/)
  const before = await store.db
    .selectFrom("tasks")
    .select("criteriaTotal")
    .where("uuid", "=", "tasks-2")
    .executeTakeFirstOrThrow()
  await store.write(({ db }) =>
    db.updateTable("criteria").set({ retiredAt: "now" }).where("taskUuid", "=", "tasks-2").execute(),
  )
  const after = await store.db
    .selectFrom("tasks")
    .select("criteriaTotal")
    .where("uuid", "=", "tasks-2")
    .executeTakeFirstOrThrow()
  expect(after.criteriaTotal).toBe(before.criteriaTotal - 1)
  await store.close()
})

const BROKEN: [what: string, message: RegExp, make: () => string[]][] = [
  ["nothing", /first line/, () => []],
  ["no header", /first line/, () => bundle.slice(1)],
  ["no end", /ends in the middle/, () => bundle.slice(0, -1)],
  ["a row missing", /says 2 rows of \w+ and holds 1/, () => bundle.filter((_, index) => index !== 3)],
  [
    "a row twice",
    /does not take its rows/,
    () => bundle.flatMap((line, index) => (index === 3 ? [line, line] : [line])),
  ],
  [
    "a value changed",
    /digest differs/,
    () => bundle.map((line) => line.replace('"projects.name 1 ', '"projects.name 7 ')),
  ],
  ["a line that is not JSON", /line 3 is not JSON/, () => bundle.with(2, "{")],
  [
    "a table nobody knows",
    /a table "sqlite_master"/,
    () => bundle.map((line) => line.replace('"table":"projects"', '"table":"sqlite_master"')),
  ],
  [
    "a column nobody knows",
    /a column "evil/,
    () => bundle.map((line, index) => (index === 1 ? line.replace('"row":{', '"row":{"evil\\"; --":1,') : line)),
  ],
  [
    "a wrong type",
    /wrong value for "lastEvent"/,
    () => bundle.map((line) => line.replace('"lastEvent":1,', '"lastEvent":"1",')),
  ],
  ["rows that point nowhere", /not there|foreign key/, () => withoutTable("users")],
  [
    "a notification of a project that is not there",
    /not there/,
    () => sealed(bundle[0], bundle.slice(1, -1).map(ofNoProject)),
  ],
  ["a newer schema", /newer Chorus/, () => bundle.with(0, String(bundle[0]).replace(/"schema":\d+/, '"schema":999'))],
  ["another format", /format 2/, () => bundle.with(0, String(bundle[0]).replace('"format":1', '"format":2'))],
  ["lines after the end", /more after its end/, () => [...bundle, "{}"]],
]

test.each(BROKEN)("a bundle with %s is refused and the embedded store stays as it was", async (_, message, make) => {
  await expect(importIntoSqlite(target, each(make()), { now: NOW })).rejects.toThrow(message)
  expect(readdirSync(join(target, ".."))).toEqual(["before.txt"])
})

test("PostgreSQL refuses each of them and stays empty", async () => {
  const database = await sharedDatabase()
  // It makes and takes back its tables for each. What is refused while reading is the same for both; these ask the engine.
  const asked = BROKEN.filter(([what]) => STRESS || /wrong type|point nowhere|not there/.test(what))
  expect(asked.length).toBeGreaterThan(2)
  for (const [, message, make] of asked)
    await expect(importIntoPostgres(database, each(make()), { now: NOW })).rejects.toThrow(message)
  await importIntoPostgres(database, each(bundle), { now: NOW })
})

test("a store that is in use is not imported into", async () => {
  const before = readFileSync(full)
  await expect(importIntoSqlite(full, each(bundle), { now: NOW })).rejects.toMatchObject({ code: "store_not_empty" })
  expect(readFileSync(full)).toEqual(before)
  const database = await sharedDatabase()
  await importIntoPostgres(database, each(bundle), { now: NOW })
  await expect(importIntoPostgres(database, each(bundle), { now: NOW })).rejects.toMatchObject({
    code: "store_not_empty",
  })
})

/** A bundle that is whole in itself but lacks the rows others point to. */
function withoutTable(table: string): string[] {
  return sealed(
    bundle[0],
    bundle.slice(1, -1).filter((line) => !line.startsWith(`{"table":"${table}"`)),
  )
}

function ofNoProject(line: string): string {
  return line.startsWith('{"table":"notifications"')
    ? line.replace(/"projectUuid":"[^"]*"/, '"projectUuid":"none"')
    : line
}
