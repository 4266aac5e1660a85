import { existsSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { expect, test } from "vitest"
import { temporaryDirectory } from "./temporary-directory.ts"

test("each is new, and is gone with its files after remove, which may be called twice", async () => {
  const first = temporaryDirectory()
  const second = temporaryDirectory()
  expect(first.path).not.toBe(second.path)
  writeFileSync(join(first.path, "file"), "x")
  await first.remove()
  await first.remove()
  expect(existsSync(first.path)).toBe(false)
  expect(existsSync(second.path)).toBe(true)
  await second.remove()
  expect(existsSync(second.path)).toBe(false)
})

test("has the name it was given, below a folder through which other accounts may pass but not look", async () => {
  await using directory = temporaryDirectory("pg-")
  expect(basename(directory.path)).toMatch(/^pg-/)
  expect(statSync(dirname(directory.path)).mode & 0o777).toBe(0o711)
})

test("goes at the end of the block that uses it", async () => {
  let path: string
  {
    await using directory = temporaryDirectory()
    path = directory.path
    writeFileSync(join(path, "file"), "x")
  }
  expect(existsSync(path)).toBe(false)
})
