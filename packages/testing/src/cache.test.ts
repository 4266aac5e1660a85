import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
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

test("a folder that is there is not filled again", async () => {
  const path = join(scratch(), "thing")
  mkdirSync(path)
  await filledOnce(path, () => Promise.reject(new Error("must not be asked")))
  expect(readdirSync(path)).toEqual([])
})

test("makes the folders on the way", async () => {
  const path = join(scratch(), "a", "b", "thing")
  expect(await filledOnce(path, async (directory) => writeFileSync(join(directory, "file"), "x"))).toBe(path)
  expect(readdirSync(path)).toEqual(["file"])
})

test("is not there before it is whole", async () => {
  const path = join(scratch(), "thing")
  let seen: boolean | undefined
  await filledOnce(path, async () => {
    seen = existsSync(path)
  })
  expect([seen, existsSync(path)]).toEqual([false, true])
})

test("who fails to fill what another has filled meanwhile uses that", async () => {
  const path = join(scratch(), "thing")
  await filledOnce(path, async () => {
    mkdirSync(path)
    throw new Error("the network went away")
  })
  expect(existsSync(path)).toBe(true)
})

test("the cache folder is the home's where nothing is said, and always a whole path", () => {
  expect(cacheDirectory({})).toBe(join(homedir(), ".cache", "chorus"))
  expect(cacheDirectory({ CHORUS_CACHE: "here" })).toBe(join(process.cwd(), "here"))
})
