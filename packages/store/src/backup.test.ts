import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeAll, describe, expect, it } from "vitest"
import { row } from "../test/rows.ts"
import { storeFiles } from "../test/store-file.ts"
import { backUpSqlite, checkBackup } from "./backup.ts"
import { SCHEMA_VERSION } from "./migrations/index.ts"
import { openDatabase } from "./sqlite-database.ts"
import { openSqliteStore } from "./sqlite-store.ts"

const { newFolder, newStore } = storeFiles()

/** What is in a file besides the rules: the names of its workspaces. */
function workspacesIn(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true })
  const found = database
    .prepare("select uuid from workspaces order by uuid")
    .all()
    .map(({ uuid }) => uuid)
  database.close()
  return found
}

let source: string
beforeAll(async () => {
  source = await newStore("w1", "w2")
})

/** A copy of the store in which something was broken by hand. */
async function brokenStore(...statements: string[]): Promise<string> {
  const path = await newStore("w1")
  const database = new DatabaseSync(path)
  for (const statement of statements) database.exec(statement)
  database.close()
  return path
}

describe("backing up the embedded store", () => {
  it("copies everything into one file, and says what it is", async () => {
    const target = join(newFolder(), "copy.sqlite")
    expect(await backUpSqlite(source, target)).toEqual({ schema: SCHEMA_VERSION, bytes: statSync(target).size })
    expect(workspacesIn(target)).toEqual(["w1", "w2"])
  })

  it("makes a file that nobody else can read, and leaves nothing beside it", async () => {
    const target = join(newFolder(), "copy.sqlite")
    await backUpSqlite(source, target)
    expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(target))).toEqual(["copy.sqlite"])
  })

  it("copies the moment it began, while a server goes on writing", async () => {
    const path = await newStore("w1")
    const store = await openSqliteStore(path)
    const target = join(newFolder(), "copy.sqlite")
    const copying = backUpSqlite(path, target)
    await store.write(({ db }) =>
      db
        .insertInto("workspaces")
        .values(row.workspace({ uuid: "w2" }))
        .execute(),
    )
    await copying
    expect(workspacesIn(target)).toContain("w1")
    expect(await store.db.selectFrom("workspaces").select("uuid").execute()).toHaveLength(2)
    await store.close()
  })

  it("takes in what is still in the log beside the file", async () => {
    const path = await newStore("w1")
    const writer = openDatabase(path)
    writer.exec(`insert into workspaces ("uuid", "name", "createdAt") values ('in-the-log', '', '')`)
    const target = join(newFolder(), "copy.sqlite")
    await backUpSqlite(path, target)
    writer.close()
    expect(workspacesIn(target)).toEqual(["in-the-log", "w1"])
  })

  it("says where no data is, and makes no file", async () => {
    const target = join(newFolder(), "copy.sqlite")
    await expect(backUpSqlite(join(newFolder(), "nothing.sqlite"), target)).rejects.toMatchObject({
      code: "no_data",
      status: 404,
    })
    expect(existsSync(target)).toBe(false)
  })

  it("of a damaged file fails, and leaves the backup that was there", async () => {
    const target = join(newFolder(), "copy.sqlite")
    writeFileSync(target, "the backup of yesterday")
    const damaged = join(newFolder(), "chorus.sqlite")
    writeFileSync(damaged, Buffer.concat([readFileSync(source).subarray(0, 4096), Buffer.alloc(8192, 7)]))
    await expect(backUpSqlite(damaged, target)).rejects.toThrow()
    expect(readFileSync(target, "utf8")).toBe("the backup of yesterday")
    expect(readdirSync(dirname(target))).toEqual(["copy.sqlite"])
  })

  it("of a store that holds no Chorus data fails", async () => {
    const path = join(newFolder(), "other.sqlite")
    const other = new DatabaseSync(path)
    other.exec("create table songs (name text)")
    other.close()
    await expect(backUpSqlite(path, join(newFolder(), "copy.sqlite"))).rejects.toMatchObject({ code: "bad_backup" })
  })
})

describe("checking a backup", () => {
  it("says its schema and its size", () =>
    expect(checkBackup(source)).toEqual({ schema: SCHEMA_VERSION, bytes: statSync(source).size }))

  it("takes one of an older schema", async () => {
    const path = await brokenStore("delete from migrations where id > 3")
    expect(checkBackup(path).schema).toBe(3)
  })

  it.each<[what: string, says: RegExp, make: () => string | Promise<string>]>([
    ["that is not there", /unable to open/, () => join(newFolder(), "none.sqlite")],
    ["that is no database", /not a database/, () => written("a letter to Ada ".repeat(200))],
    ["that is empty", /no such table: migrations/, () => written("")],
    ["without migrations", /holds no Chorus data/, () => brokenStore("delete from migrations")],
    [
      "of a newer Chorus",
      /a newer Chorus wrote it \(schema 99; this one knows \d+\)/,
      () => brokenStore("insert into migrations values (99, 'future', '')"),
    ],
    [
      "whose rows point nowhere",
      /rows in it point to rows that are not there/,
      () =>
        brokenStore(
          "pragma foreign_keys = off",
          `insert into projects ("uuid", "workspaceUuid", "name", "status", "createdAt", "updatedAt") values ('p', 'nowhere', '', 'active', '', '')`,
        ),
    ],
    ["that was cut off", /malformed|damaged|not a database/, () => written(readFileSync(source).subarray(0, 20_000))],
  ])("refuses a file %s, and says what to do", async (_, says, make) => {
    const path = await make()
    expect(() => checkBackup(path)).toThrow(says)
    expect(() => checkBackup(path)).toThrow(
      expect.objectContaining({ code: "bad_backup", next: "Use another backup. Nothing was changed." }),
    )
  })
})

function written(content: string | Uint8Array): string {
  const path = join(newFolder(), "file.sqlite")
  writeFileSync(path, content)
  return path
}
