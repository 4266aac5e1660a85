import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
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
