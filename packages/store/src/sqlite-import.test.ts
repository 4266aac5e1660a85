import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { each, linesOf, NOW, sealed } from "../test/bundle-lines.ts"
import { furnish, row } from "../test/rows.ts"
import { storeFiles } from "../test/store-file.ts"
import { openSqliteSnapshot } from "./snapshot.ts"
import { openDatabase } from "./sqlite-database.ts"
import { importIntoSqlite } from "./sqlite-import.ts"
import { openSqliteStore } from "./sqlite-store.ts"

const { newFolder, newStore } = storeFiles()

let bundle: string[]
beforeAll(async () => {
  const path = await newStore()
  const store = await openSqliteStore(path)
  await store.write(async ({ db }) => {
    await furnish(db)
    await db
      .insertInto("tasks")
      .values([row.task(), row.task({ uuid: "t2" })])
      .execute()
    await db.insertInto("taskEdges").values(row.edge()).execute()
    await db
      .insertInto("criteria")
      .values(row.criterion({ status: "passed" }))
      .execute()
  })
  await store.close()
  bundle = await linesOf(openSqliteSnapshot(path))
})

const countsOf = (path: string) => {
  const database = openDatabase(path)
  const found = {
    ...database
      .prepare(`select "openDependencies", "criteriaTotal", "criteriaPassed" from tasks where uuid = 't1'`)
      .get(),
  }
  database.close()
  return found
}

describe("importing into the embedded store", () => {
  it("makes the file where none was, and nothing beside it", async () => {
    const path = join(newFolder(), "chorus.sqlite")
    expect(await importIntoSqlite(path, each(bundle), { now: NOW })).toEqual({ rows: bundle.length - 2 })
    expect(readdirSync(dirname(path))).toEqual(["chorus.sqlite"])
  })

  it.each(["missing", "empty"])("keeps a log whose file is %s", async (how) => {
    const path = join(newFolder(), "chorus.sqlite")
    if (how === "empty") writeFileSync(path, "")
    writeFileSync(`${path}-wal`, "what was not yet written back")
    await importIntoSqlite(path, each(bundle), { now: NOW })
    const [kept = ""] = readdirSync(dirname(path)).filter((name) => name.endsWith("-wal"))
    expect(readFileSync(join(dirname(path), kept), "utf8")).toBe("what was not yet written back")
    expect(await linesOf(openSqliteSnapshot(path))).toEqual(bundle)
  })

  it("goes into a store that was made and never used", async () => {
    const path = await newStore()
    await importIntoSqlite(path, each(bundle), { now: NOW })
    expect(await linesOf(openSqliteSnapshot(path))).toEqual(bundle)
  })

  it("does not count again what is counted in the bundle, and counts on afterwards", async () => {
    const path = join(newFolder(), "chorus.sqlite")
    await importIntoSqlite(path, each(bundle), { now: NOW })
    expect(countsOf(path)).toEqual({ openDependencies: 1, criteriaTotal: 1, criteriaPassed: 1 })
    const store = await openSqliteStore(path)
    await store.write(({ db }) => db.updateTable("tasks").set({ status: "done" }).where("uuid", "=", "t2").execute())
    await store.close()
    expect(countsOf(path)).toMatchObject({ openDependencies: 0 })
  })

  it("tells how far it is", async () => {
    const counts: number[] = []
    await importIntoSqlite(join(newFolder(), "chorus.sqlite"), each(bundle), {
      now: NOW,
      onRow: (count) => counts.push(count),
    })
    expect(counts.at(-1)).toBe(bundle.length - 2)
  })

  it("clears away what a crash left of an earlier try", async () => {
    const path = join(newFolder(), "chorus.sqlite")
    writeFileSync(`${path}.import-${process.pid}`, "half an import")
    await importIntoSqlite(path, each(bundle), { now: NOW })
    expect(readdirSync(dirname(path))).toEqual(["chorus.sqlite"])
  })

  it("that breaks off leaves no file", async () => {
    const path = join(newFolder(), "chorus.sqlite")
    async function* breaking(): AsyncGenerator<string> {
      yield* bundle.slice(0, 3)
      throw new Error("the network went away")
    }
    await expect(importIntoSqlite(path, breaking(), { now: NOW })).rejects.toThrow("the network went away")
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(dirname(path))).toEqual([])
  })

  it("refuses rows that point to rows that are not there, and says which", async () => {
    const path = join(newFolder(), "chorus.sqlite")
    const orphans = sealed(
      bundle[0],
      bundle.slice(1, -1).filter((line) => !line.startsWith('{"table":"workspaces"')),
    )
    await expect(importIntoSqlite(path, each(orphans), { now: NOW })).rejects.toMatchObject({
      code: "bad_bundle",
      message: expect.stringMatching(/a row of \w+ points to a row of workspaces that is not there/),
    })
    expect(existsSync(path)).toBe(false)
  })

  it("takes rows that point to rows which come later", async () => {
    const path = join(newFolder(), "chorus.sqlite")
    await importIntoSqlite(path, each(sealed(bundle[0], bundle.slice(1, -1).toReversed())), { now: NOW })
    expect(await linesOf(openSqliteSnapshot(path))).toEqual(bundle)
  })

  it("refuses a store that is used, and leaves it alone", async () => {
    const path = await newStore("w1")
    await expect(importIntoSqlite(path, each(bundle), { now: NOW })).rejects.toMatchObject({
      code: "store_not_empty",
      message: 'This store already holds the workspace "W".',
    })
    const snapshot = openSqliteSnapshot(path)
    expect(await snapshot.db.selectFrom("tasks").selectAll().execute()).toEqual([])
    await snapshot.close()
  })
})
