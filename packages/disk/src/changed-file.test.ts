import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../test/worker.ts"
import { changeFile } from "./changed-file.ts"
import { lockNotes } from "./directory-lock.ts"

let folder: string
let file: string
const options = () => ({ notes: lockNotes(folder), noTrace: true })
beforeEach(() => {
  folder = scratchFolder()
  file = join(folder, "deep", "config.toml")
})

describe("a file that is changed", () => {
  it("is made with its folder, changed from what it holds, and removed, without a trace", async () => {
    await changeFile(file, (text) => `${text}`, { ...options(), mode: 0o640 })
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["undefined", 0o640])
    await changeFile(file, (text) => `${text} no more`, options())
    expect(readFileSync(file, "utf8")).toBe("undefined no more")
    await changeFile(file, () => undefined, options())
    expect(readdirSync(folder, { recursive: true })).toEqual(["deep"])
  })

  it("is not written when it stays the same, and not made where there is nothing to say", async () => {
    await changeFile(file, (text) => text, options())
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, "same")
    const { ino } = statSync(file)
    await changeFile(file, () => "same", options())
    expect(statSync(file).ino).toBe(ino)
  })

  it("stays a link with the rights of what it leads to", async () => {
    const own = join(folder, "dotfile")
    writeFileSync(own, "a")
    chmodSync(own, 0o664)
    symlinkSync(own, join(folder, "link"))
    await changeFile(join(folder, "link"), (text) => `${text}b`, options())
    expect([readFileSync(own, "utf8"), statSync(own).mode & 0o777]).toEqual(["ab", 0o664])
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true)
  })

  it("takes every change of many at once", async () => {
    await Promise.all(Array.from({ length: 20 }, () => changeFile(file, (text) => `${text ?? ""}x`, options())))
    expect(readFileSync(file, "utf8")).toBe("x".repeat(20))
  })
})
