import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { replaceFile } from "../src/atomic-file.ts"
import { claim } from "../src/claim.ts"
import { withLock } from "../src/directory-lock.ts"
import { type FileIdentity, identify } from "../src/file-identity.ts"
import { LockNote } from "../src/lock-note.ts"
import { scratchFolder, startWorker, type Worker, workerPath } from "./worker.ts"

function scene() {
  const root = scratchFolder()
  const target = join(root, "list.json")
  writeFileSync(target, "[]")
  const notes = join(root, "notes")
  mkdirSync(notes)
  const append = (word: string, abandonedAfterMs = 10_000) =>
    withLock(target, { notes, abandonedAfterMs }, (held) =>
      replaceFile(target, JSON.stringify([...words(), word]), { held }),
    )
  const words = () => JSON.parse(readFileSync(target, "utf8")) as string[]
  return { root, target, notes, append, words, lock: `${target}.lock` }
}

async function says(worker: Worker): Promise<string> {
  const stream = worker.child.stdout
  if (stream === null) throw new Error("no stdout")
  const [text] = (await once(stream, "data")) as [string]
  return text.trim()
}

async function timed(work: Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work
  return performance.now() - started
}

test("the lock of a process that was killed is taken over at once", async () => {
  const { target, notes, append, words, lock } = scene()
  const holder = startWorker(workerPath("holder"), [target, notes])
  expect(await says(holder)).toBe("held")
  holder.child.kill("SIGKILL")
  await holder.done
  expect(existsSync(lock)).toBe(true)
  expect(await timed(append("after"))).toBeLessThan(8_000)
  expect(words()).toEqual(["after"])
  expect(existsSync(lock)).toBe(false)
})

test("the lock of a process that died before it could sign is taken over after a second", async () => {
  const { notes, append, lock } = scene()
  leaveNote(notes, lock)
  mkdirSync(lock)
  const took = await timed(append("after"))
  expect(took).toBeGreaterThan(900)
  expect(took).toBeLessThan(8_000)
})

test("a recycled pid does not keep a lock: the note names the start of the process too", async () => {
  const { notes, append, lock } = scene()
  mkdirSync(lock)
  leaveNote(notes, lock, identify(lock))
  expect(await timed(append("after"))).toBeLessThan(8_000)
})

test("a living owner keeps its lock however old the clock says it is", async () => {
  const { target, notes, append, words, lock } = scene()
  const holder = startWorker(workerPath("holder"), [target, notes])
  expect(await says(holder)).toBe("held")
  const hourAgo = Date.now() / 1000 - 3600
  utimesSync(lock, hourAgo, hourAgo)
  await expect(withLock(target, { notes, timeoutMs: 400 }, () => 0)).rejects.toMatchObject({ code: "lock_timeout" })
  holder.child.kill("SIGKILL")
  await holder.done
  await append("after", 300)
  expect(words()).toEqual(["after"])
})

test.each([
  ["an hour in the past", -3600],
  ["an hour in the future", 3600],
])(
  "a lock dated %s by a stepped clock is abandoned after the time it was watched, not by its date",
  async (_, offset) => {
    const { append, lock } = scene()
    mkdirSync(lock)
    const date = Date.now() / 1000 + offset
    utimesSync(lock, date, date)
    const took = await timed(append("after", 500))
    expect(took).toBeGreaterThanOrEqual(490)
    expect(took).toBeLessThan(8_000)
  },
)

test("an owner that stood still while its lock was taken over loses nothing and overwrites nothing", async () => {
  const { target, notes, append, words } = scene()
  const stalled = startWorker(workerPath("stalled-appender"), [target, notes, "from the stalled one"])
  expect(await says(stalled)).toBe("checked")
  await append("from the taker", 300)
  expect(words()).toEqual(["from the taker"])
  stalled.child.stdin?.end("\n")
  expect(await stalled.done).toEqual(["checked", "written after 2 tries"])
  expect(words()).toEqual(["from the taker", "from the stalled one"])
})

test("the same owner, stopped by a signal", async () => {
  const { target, notes, append, words } = scene()
  const stalled = startWorker(workerPath("stalled-appender"), [target, notes, "stopped"])
  expect(await says(stalled)).toBe("checked")
  stalled.child.kill("SIGSTOP")
  stalled.child.stdin?.end("\n")
  await append("taker", 300)
  stalled.child.kill("SIGCONT")
  await stalled.done
  expect(words()).toEqual(["taker", "stopped"])
})

test("finishing late does not clear a successor's lock", async () => {
  const { target, notes, lock } = scene()
  await withLock(target, { notes }, () => {
    const later = Date.now() / 1000 + 5
    utimesSync(lock, later, later)
  })
  expect(existsSync(lock)).toBe(true)
})

test("locks and notes leave nothing behind", async () => {
  const { root, notes, append } = scene()
  await Promise.all(Array.from({ length: 20 }, (_, n) => append(`w${n}`)))
  expect(readdirSync(root).sort()).toEqual(["list.json", "notes"])
  expect(readdirSync(notes)).toEqual(["takeover.db"])
})

/** A note as we would write it, with the start of another process: our pid, recycled. */
test("a folder that another process takes away and makes again, over and over, is never told as one without access", async () => {
  const folder = join(scratchFolder(), "locks")
  const remaker = startWorker(workerPath("remaker"), [folder])
  expect(await says(remaker)).toBe("begun")
  for (let round = 0; round < 3_000; round++) claim(join(folder, "takeover.db"))?.release()
  remaker.child.kill("SIGKILL")
  await remaker.done
})

function leaveNote(notes: string, lock: string, identity?: FileIdentity): void {
  new LockNote(notes, lock).write(identity)
  const path = join(notes, readdirSync(notes)[0] ?? "")
  writeFileSync(path, readFileSync(path, "utf8").replace(/"procStart":"\d+"/, '"procStart":"1"'))
}
