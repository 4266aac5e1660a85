import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
  closeSync,
  chmodSync,
} from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../test/worker.ts"
import { linkTarget, renewFile, replaceFile, sweepTemporaries, takePlace, temporariesOf } from "./atomic-file.ts"
import { type HeldLock, LockLost } from "./held-lock.ts"

const held: HeldLock = { assertHeld: () => undefined }
let folder: string
let file: string
beforeEach(() => {
  folder = scratchFolder()
  file = join(folder, "bob.json")
})

describe("replaceFile", () => {
  it("makes a file that only its owner may read", () => {
    replaceFile(file, "[]", { held })
    expect(readFileSync(file, "utf8")).toBe("[]")
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("keeps the mode that the file had, unless told another", () => {
    writeFileSync(file, "[]")
    chmodSync(file, 0o666)
    replaceFile(file, "[1]", { held })
    expect(statSync(file).mode & 0o777).toBe(0o666)
    replaceFile(file, "[2]", { mode: 0o600 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("makes the folder where nobody holds a lock in it", () => {
    replaceFile(join(folder, "deep", "er", "x"), "x", { fleeting: true })
    expect(readFileSync(join(folder, "deep", "er", "x"), "utf8")).toBe("x")
    expect(statSync(join(folder, "deep")).mode & 0o077).toBe(0)
  })

  it("leaves no copy beside what cannot be replaced", () => {
    mkdirSync(join(file, "full"), { recursive: true })
    expect(() => replaceFile(file, "x")).toThrow(/EISDIR|ENOTEMPTY|directory/)
    expect(readdirSync(folder)).toEqual(["bob.json"])
  })

  it("writes bytes as they are", () => {
    replaceFile(file, Buffer.from([0xc3, 0xbc, 0x00, 0xff]), { held })
    expect([...readFileSync(file)]).toEqual([0xc3, 0xbc, 0x00, 0xff])
  })

  it("leaves the old file and nothing else when the lock is lost at the last moment", () => {
    writeFileSync(file, "old")
    const lost: HeldLock = {
      assertHeld() {
        throw new LockLost(file)
      },
    }
    expect(() => replaceFile(file, "new", { held: lost })).toThrow(LockLost)
    expect(readFileSync(file, "utf8")).toBe("old")
    expect(readdirSync(folder)).toEqual(["bob.json"])
  })

  it("counts as a lost lock when the temporary file was swept before the rename", () => {
    writeFileSync(file, "old")
    const swept: HeldLock = { assertHeld: () => sweepTemporaries(file) }
    expect(() => replaceFile(file, "new", { held: swept })).toThrow(LockLost)
    expect(readFileSync(file, "utf8")).toBe("old")
  })

  it("counts as a lost lock when the whole folder is gone", () => {
    const inside = join(folder, "inboxes", "bob.json")
    expect(() => replaceFile(inside, "[]", { held })).toThrow(LockLost)
    expect(existsSync(join(folder, "inboxes"))).toBe(false)
  })

  it("puts a real file in the place of a link and leaves what the link led to", () => {
    const elsewhere = join(folder, "elsewhere")
    writeFileSync(elsewhere, "theirs")
    symlinkSync(elsewhere, file)
    replaceFile(file, "ours", { held })
    expect(readFileSync(elsewhere, "utf8")).toBe("theirs")
    expect(readFileSync(file, "utf8")).toBe("ours")
  })

  it("follows a link for who asks where it leads, and stays where there is none", () => {
    writeFileSync(join(folder, "elsewhere"), "theirs")
    symlinkSync(join(folder, "elsewhere"), file)
    replaceFile(linkTarget(file), "ours")
    expect([readFileSync(join(folder, "elsewhere"), "utf8"), linkTarget(join(folder, "none"))]).toEqual([
      "ours",
      join(folder, "none"),
    ])
  })
})

describe("takePlace", () => {
  it("puts a file in the place of another, and fails where there is none to put", () => {
    writeFileSync(file, "old")
    writeFileSync(join(folder, "part"), "new")
    takePlace(join(folder, "part"), file)
    expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["new", ["bob.json"]])
    expect(() => takePlace(join(folder, "part"), file)).toThrow(/ENOENT/)
  })
})

describe("temporary files", () => {
  it("are those of one file only", () => {
    for (const name of ["bob.json.tmp.1", "bob.json.tmp.2", "bobby.json.tmp.3", "bob.json", "tmp.bob.json"])
      writeFileSync(join(folder, name), "")
    expect(temporariesOf(file).sort()).toEqual(["bob.json.tmp.1", "bob.json.tmp.2"])
    sweepTemporaries(file)
    expect(readdirSync(folder).sort()).toEqual(["bob.json", "bobby.json.tmp.3", "tmp.bob.json"])
  })

  it("are none where there is no folder", () => {
    rmSync(folder, { recursive: true })
    expect(temporariesOf(file)).toEqual([])
    expect(() => sweepTemporaries(file)).not.toThrow()
  })
})

describe("renewFile", () => {
  it("lets a process that had the old file open write into nothing", () => {
    writeFileSync(file, "kept")
    const stopped = openSync(file, "r+")
    renewFile(file)
    writeSync(stopped, "LATE", 0)
    closeSync(stopped)
    expect(readFileSync(file, "utf8")).toBe("kept")
  })

  it("does nothing where there is no file, or a folder in its place", () => {
    renewFile(file)
    expect(existsSync(file)).toBe(false)
    mkdirSync(file)
    renewFile(file)
    expect(statSync(file).isDirectory()).toBe(true)
  })
})
