import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { withFileLock } from "./file-lock.ts"
import { changeJsonFile } from "./json-file.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "chorus-lock-"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test("only one holds the lock at a time, and it is gone afterwards, also after a fault", async () => {
  const file = join(root, "f")
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withFileLock(file, async () => {
        most = Math.max(most, ++inside)
        await Promise.resolve()
        inside -= 1
      }),
    ),
  )
  expect(most).toBe(1)
  await expect(withFileLock(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no")
  expect(existsSync(`${file}.lock`)).toBe(false)
})

test("a lock nobody touched for ten seconds is taken over", async () => {
  const file = join(root, "f")
  mkdirSync(`${file}.lock`)
  const old = new Date(Date.now() - 11_000)
  utimesSync(`${file}.lock`, old, old)
  expect(await withFileLock(file, () => "mine")).toBe("mine")
})

test("changes from many writers all arrive, and unreadable content is never overwritten", async () => {
  const file = join(root, "s.json")
  await Promise.all(Array.from({ length: 20 }, (_, index) => changeJsonFile(file, (content) => void (content[`k${index}`] = index))))
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")) as object).length).toBe(20)
  writeFileSync(file, "{ half")
  await expect(changeJsonFile(file, (content) => void (content["x"] = 1))).rejects.toMatchObject({ code: "state_unreadable" })
  expect(readFileSync(file, "utf8")).toBe("{ half")
})

test("settings kept as a link into a repository stay a link", async () => {
  writeFileSync(join(root, "real.json"), '{"a":1}')
  symlinkSync(join(root, "real.json"), join(root, "settings.json"))
  await changeJsonFile(join(root, "settings.json"), (content) => void (content["b"] = 2))
  expect(lstatSync(join(root, "settings.json")).isSymbolicLink()).toBe(true)
  expect(JSON.parse(readFileSync(join(root, "real.json"), "utf8"))).toEqual({ a: 1, b: 2 })
})
