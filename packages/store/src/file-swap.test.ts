import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { storeFiles } from "../test/store-file.ts"
import { setAside, swapDatabase } from "./file-swap.ts"

const { newFolder } = storeFiles()

function folderWith(...names: string[]): string {
  const folder = newFolder()
  for (const name of names) writeFileSync(join(folder, name), name)
  return folder
}

const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  )

describe("taking the place of a database", () => {
  it("puts the new file there, and takes the old one's log away: it would be played into the new one", () => {
    const folder = folderWith("new", "db", "db-wal", "db-shm")
    swapDatabase(join(folder, "new"), join(folder, "db"))
    expect(contents(folder)).toEqual({ db: "new" })
  })

  it("needs nothing to be there before", () => {
    const folder = folderWith("new")
    swapDatabase(join(folder, "new"), join(folder, "db"))
    expect(contents(folder)).toEqual({ db: "new" })
  })

  it("of a file that is not there fails", () => {
    const folder = folderWith("db")
    expect(() => swapDatabase(join(folder, "none"), join(folder, "db"))).toThrow(/ENOENT/)
    expect(contents(folder)).toEqual({ db: "db" })
  })
})

describe("setting a database aside", () => {
  it("moves its log with it, under the name by which it is found", () => {
    const folder = folderWith("db", "db-wal", "db-shm")
    setAside(join(folder, "db"), join(folder, "old"))
    expect(contents(folder)).toEqual({ old: "db", "old-wal": "db-wal" })
  })

  it("moves a database without a log alone", () => {
    const folder = folderWith("db")
    setAside(join(folder, "db"), join(folder, "old"))
    expect(contents(folder)).toEqual({ old: "db" })
  })
})
