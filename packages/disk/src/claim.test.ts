import { existsSync, mkdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it } from "vitest"
import { scratchFolder } from "../test/worker.ts"
import { claim, exclusively } from "./claim.ts"

let folder: string
let path: string
beforeEach(() => {
  folder = scratchFolder()
  path = join(folder, "new", "claimed")
})

describe("a claim", () => {
  it("is one process's at a time, in a file for its owner alone, and free again when it is let go", () => {
    const first = claim(path)
    expect([claim(path), statSync(path).mode & 0o777]).toEqual([undefined, 0o600])
    // The attempt of another one has not let go of it.
    expect(claim(path)).toBeUndefined()
    first?.release()
    expect(claim(path)).toBeDefined()
  })

  it("can take its file away, and the next makes it anew", () => {
    claim(path)?.discard()
    expect(existsSync(path)).toBe(false)
    expect(claim(path)).toBeDefined()
  })

  it("on what may not be opened is told as the system does", () => {
    mkdirSync(path, { recursive: true })
    expect(() => claim(path)).toThrow(expect.objectContaining({ code: "EACCES" }) as Error)
  })
})

describe("the mutex of a folder", () => {
  it("gives what the work gives, and is free again when it fails", () => {
    expect(exclusively(folder, () => 7)).toBe(7)
    const failing = () => {
      throw new Error("no")
    }
    expect(() => exclusively(folder, failing)).toThrow("no")
    expect(exclusively(folder, () => 8)).toBe(8)
  })

  it("lets a second one pass by instead of waiting", () => {
    const other = claim(join(folder, "takeover.db"))
    expect(exclusively(folder, () => "both")).toBeUndefined()
    other?.release()
    expect(exclusively(folder, () => "alone")).toBe("alone")
  })

  it("that was taken away is made anew: the file that is still open keeps out nobody", () => {
    exclusively(folder, () => undefined)
    rmSync(folder, { recursive: true })
    const other = claim(join(folder, "takeover.db"))
    expect(exclusively(folder, () => "both")).toBeUndefined()
    other?.release()
    expect(exclusively(folder, () => existsSync(join(folder, "takeover.db")))).toBe(true)
  })
})
