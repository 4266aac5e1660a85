import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { bornAt, isAlive, machine, withFileLock } from "./file-lock.ts"
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
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => changeJsonFile(file, (content) => void (content[`k${index}`] = index))),
  )
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")) as object).length).toBe(20)
  writeFileSync(file, "{ half")
  await expect(changeJsonFile(file, (content) => void (content["x"] = 1))).rejects.toMatchObject({
    code: "state_unreadable",
  })
  expect(readFileSync(file, "utf8")).toBe("{ half")
})

test("settings kept as a link into a repository stay a link", async () => {
  writeFileSync(join(root, "real.json"), '{"a":1}')
  symlinkSync(join(root, "real.json"), join(root, "settings.json"))
  await changeJsonFile(join(root, "settings.json"), (content) => void (content["b"] = 2))
  expect(lstatSync(join(root, "settings.json")).isSymbolicLink()).toBe(true)
  expect(JSON.parse(readFileSync(join(root, "real.json"), "utf8"))).toEqual({ a: 1, b: 2 })
})

test("a lock that was taken from a holder who was held up is not let go by that holder", async () => {
  const file = join(root, "f")
  let entered = false
  await withFileLock(file, () => {
    rmSync(`${file}.lock`, { recursive: true })
    mkdirSync(join(root, "keeps-the-number"))
    mkdirSync(`${file}.lock`)
    writeFileSync(`${file}.lock-owner`, JSON.stringify({ machine: "elsewhere", pid: 1, token: "another's" }))
    entered = true
  })
  expect([entered, existsSync(`${file}.lock`), existsSync(`${file}.lock-owner`)]).toEqual([true, true, true])
})

test("nor is one that another program, which leaves no note, has taken", async () => {
  const file = join(root, "f")
  await withFileLock(file, () => {
    mkdirSync(join(root, "other.lock"))
    rmSync(`${file}.lock`, { recursive: true })
    renameSync(join(root, "other.lock"), `${file}.lock`)
  })
  expect(existsSync(`${file}.lock`)).toBe(true)
})

test("a lock whose process is gone is taken over at once, one of a living process and one of another machine are not", async () => {
  const file = join(root, "f")
  const leave = (note: Record<string, unknown>) => {
    mkdirSync(`${file}.lock`)
    const { ino, birthtimeMs } = statSync(`${file}.lock`)
    writeFileSync(
      `${file}.lock-owner`,
      JSON.stringify({ machine: machine(), pid: 2 ** 22 + 7, made: { ino, born: birthtimeMs }, token: "t", ...note }),
    )
  }
  leave({})
  expect(await withFileLock(file, () => "mine")).toBe("mine")
  for (const note of [
    { pid: process.pid, born: bornAt(process.pid) },
    { machine: "elsewhere" },
    { made: { ino: 1, born: 1 } },
  ]) {
    leave(note)
    const later = withFileLock(file, () => "after")
    let done = false
    void later.then(() => (done = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect([note, done]).toEqual([note, false])
    rmSync(`${file}.lock`, { recursive: true })
    expect(await later).toBe("after")
  }
})

test("a process that took over the number of a dead one is told from it by when it was born", () => {
  expect([isAlive(process.pid), isAlive(process.pid, bornAt(process.pid)), isAlive(2 ** 22 + 7)]).toEqual([
    true,
    true,
    false,
  ])
  if (bornAt(process.pid) !== undefined) expect(isAlive(process.pid, "1")).toBe(false)
})

test("the lock of a file lies beside it, with the folders it needs, while the work runs", async () => {
  const file = join(root, "deep/er/f")
  expect(await withFileLock(file, () => existsSync(`${file}.lock`))).toBe(true)
  expect(existsSync(join(root, "deep/er"))).toBe(true)
})
