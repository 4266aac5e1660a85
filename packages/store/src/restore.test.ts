import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { storeFiles } from "../test/store-file.ts"
import { SCHEMA_VERSION } from "./migrations/index.ts"
import { restoreSqlite } from "./restore.ts"
import { openDatabase } from "./sqlite-database.ts"

const { newFolder, newStore } = storeFiles()
const NOW = new Date("2026-03-01T10:00:00.123Z")
const ASIDE = "before-restore-2026-03-01T10-00-00-123Z.sqlite"

function workspacesIn(path: string): unknown[] {
  const database = openDatabase(path)
  const found = database
    .prepare("select uuid from workspaces order by uuid")
    .all()
    .map(({ uuid }) => uuid)
  database.close()
  return found
}

let backup: string
beforeAll(async () => {
  backup = await newStore("saved")
})

describe("restoring the embedded store", () => {
  it("puts a backup where nothing was, in a folder that is made for it", () => {
    const path = join(newFolder(), "deep", "er", "chorus.sqlite")
    expect(restoreSqlite(backup, path, { force: false, now: NOW })).toEqual({
      schema: SCHEMA_VERSION,
      bytes: readFileSync(backup).length,
      setAside: undefined,
    })
    expect(workspacesIn(path)).toEqual(["saved"])
  })

  it.each([
    [
      "a trigger",
      "create trigger planted after insert on tasks begin delete from events; end",
      "Chorus made no trigger planted",
    ],
    ["a view", "create view all_keys as select * from apiKeys", "Chorus made no view all_keys"],
    ["a table less", "drop table webhooks", "its table webhooks is missing"],
    ["an index less", "drop index events_project", "its index events_project is missing"],
    ["a column more", "alter table tasks add column extra text", "its table tasks is not as Chorus makes it"],
  ])("refuses one with %s, and changes nothing", async (_, tampering, reason) => {
    const tampered = await newStore("tampered")
    const database = openDatabase(tampered)
    database.exec(`pragma foreign_keys = off; ${tampering}; pragma wal_checkpoint(truncate)`)
    database.close()
    const path = join(newFolder(), "chorus.sqlite")
    expect(() => restoreSqlite(tampered, path, { force: false, now: NOW })).toThrow(
      expect.objectContaining({ code: "bad_backup", message: expect.stringContaining(reason) }),
    )
    expect(existsSync(path)).toBe(false)
  })

  it("leaves the backup as it was", () => {
    const before = readFileSync(backup)
    restoreSqlite(backup, join(newFolder(), "chorus.sqlite"), { force: false, now: NOW })
    expect(readFileSync(backup)).toEqual(before)
  })

  it("does not replace data unless it is told to, and says how", async () => {
    const path = await newStore("here")
    expect(() => restoreSqlite(backup, path, { force: false, now: NOW })).toThrow(
      expect.objectContaining({
        code: "would_overwrite",
        status: 409,
        next: "Use --force to set it aside and put the backup in its place, or restore into another --data DIR.",
      }),
    )
    expect(workspacesIn(path)).toEqual(["here"])
  })

  it("sets the data that was there aside, under the time", async () => {
    const path = await newStore("here")
    const { setAside } = restoreSqlite(backup, path, { force: true, now: NOW })
    expect(setAside).toBe(join(dirname(path), ASIDE))
    expect([workspacesIn(path), workspacesIn(setAside ?? "")]).toEqual([["saved"], ["here"]])
  })

  it("sets aside also what was only in the log beside the file", async () => {
    const path = await newStore("here")
    const crashed = join(newFolder(), "chorus.sqlite")
    const writer = openDatabase(path)
    writer.exec(`insert into workspaces ("uuid", "name", "createdAt") values ('late', '', '')`)
    // As a machine leaves it that lost its power: the last change is in the log, not in the file.
    for (const suffix of ["", "-wal"]) writeFileSync(crashed + suffix, readFileSync(path + suffix))
    writer.close()
    const { setAside } = restoreSqlite(backup, crashed, { force: true, now: NOW })
    expect([workspacesIn(crashed), workspacesIn(setAside ?? "")]).toEqual([["saved"], ["here", "late"]])
  })

  it("sets aside as it is what cannot be opened any more", () => {
    const path = join(newFolder(), "chorus.sqlite")
    writeFileSync(path, "a ruined file")
    writeFileSync(`${path}-wal`, "its log")
    const { setAside } = restoreSqlite(backup, path, { force: true, now: NOW })
    expect(readFileSync(setAside ?? "", "utf8")).toBe("a ruined file")
    expect(workspacesIn(path)).toEqual(["saved"])
  })

  it.each(["missing", "empty"])("sets aside a log whose file is %s, without opening it", (how) => {
    const path = join(newFolder(), "chorus.sqlite")
    if (how === "empty") writeFileSync(path, "")
    writeFileSync(`${path}-wal`, "what was not yet written back")
    const { setAside } = restoreSqlite(backup, path, { force: false, now: NOW })
    expect(setAside).toBe(join(dirname(path), ASIDE))
    expect(readFileSync(`${setAside}-wal`, "utf8")).toBe("what was not yet written back")
    expect(workspacesIn(path)).toEqual(["saved"])
  })

  it("leaves no other file behind", async () => {
    const path = await newStore("here")
    restoreSqlite(backup, path, { force: true, now: NOW })
    expect(readdirSync(dirname(path)).sort()).toEqual([ASIDE, "chorus.sqlite"])
  })

  it("says that a backup is not there", () => {
    expect(() =>
      restoreSqlite(join(newFolder(), "none"), join(newFolder(), "chorus.sqlite"), { force: false, now: NOW }),
    ).toThrow(expect.objectContaining({ code: "not_found", status: 404, next: "Check the name." }))
  })

  it("of a backup that does not hold changes nothing, even where it may replace", async () => {
    const path = await newStore("here")
    const bad = join(newFolder(), "bad.sqlite")
    writeFileSync(bad, "a letter to Ada ".repeat(200))
    expect(() => restoreSqlite(bad, path, { force: true, now: NOW })).toThrow(
      expect.objectContaining({ code: "bad_backup" }),
    )
    expect(workspacesIn(path)).toEqual(["here"])
    expect(readdirSync(dirname(path)).filter((name) => name !== "chorus.sqlite" && !/-(wal|shm)$/.test(name))).toEqual(
      [],
    )
  })

  it("of a bad backup makes no data where there was none", () => {
    const path = join(newFolder(), "chorus.sqlite")
    const bad = join(newFolder(), "bad.sqlite")
    writeFileSync(bad, "")
    expect(() => restoreSqlite(bad, path, { force: false, now: NOW })).toThrow(/no such table/)
    expect(existsSync(path)).toBe(false)
  })
})
