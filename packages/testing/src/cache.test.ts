import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { cacheDirectory, filledOnce } from "./cache.ts"
import { temporaryDirectory } from "./temporary-directory.ts"

const NO_SUCH_PROCESS = "4194999"

test("fills a folder once for all who ask at the same time, and leaves no trace beside it", async () => {
  const home = scratch()
  let fills = 0
  const ask = (): Promise<string> =>
    filledOnce(join(home, "thing"), async (directory) => {
      writeFileSync(join(directory, "file"), String(++fills))
    })
  const paths = await Promise.all([ask(), ask(), ask()])
  expect(new Set(paths)).toEqual(new Set([join(home, "thing")]))
  expect(readFileSync(join(home, "thing", "file"), "utf8")).toBe("1")
  expect(readdirSync(home)).toEqual(["thing"])
})

test("a fill that fails leaves nothing, and the next one may try again", async () => {
  const home = scratch()
  const path = join(home, "thing")
  await expect(filledOnce(path, () => Promise.reject(new Error("no network")))).rejects.toThrow("no network")
  expect(readdirSync(home)).toEqual([])
  await filledOnce(path, async () => {})
  expect(existsSync(path)).toBe(true)
})

test("does not wait for a process that died while it filled", async () => {
  const home = scratch()
  writeFileSync(join(home, "thing.lock"), NO_SUCH_PROCESS)
  await filledOnce(join(home, "thing"), async () => {})
  expect(readdirSync(home)).toEqual(["thing"])
})

test("the cache folder can be moved", () => {
  expect(cacheDirectory({ CHORUS_CACHE: "/a", XDG_CACHE_HOME: "/b" })).toBe("/a")
  expect(cacheDirectory({ XDG_CACHE_HOME: "/b" })).toBe("/b/chorus")
})

function scratch(): string {
  const directory = temporaryDirectory()
  onTestFinished(directory.remove)
  return directory.path
}
