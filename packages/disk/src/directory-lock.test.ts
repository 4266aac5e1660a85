import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { scratchFolder } from "../test/worker.ts"
import { type LockOptions, withLock, withLocks } from "./directory-lock.ts"
import { LockLost } from "./held-lock.ts"
import { identify } from "./file-identity.ts"
import { LockNote } from "./lock-note.ts"
import { livenessOf, ownIdentity } from "./process-identity.ts"

let folder: string
let file: string
let options: LockOptions
beforeEach(() => {
  folder = scratchFolder()
  file = join(folder, "bob.json")
  options = { notes: join(folder, "notes") }
})
/** Higher than any process id that Linux gives. */
const NOBODY = 2 ** 22 + 1
const lock = () => `${file}.lock`
const notesLeft = () =>
  existsSync(options.notes) ? readdirSync(options.notes).filter((name) => name !== "takeover.db") : []

describe("the lock of a file", () => {
  it("is a folder while the work runs and gone after it, note and all", async () => {
    const during = await withLock(file, options, () => [existsSync(lock()), notesLeft().length])
    expect(during).toEqual([true, 1])
    expect(existsSync(lock())).toBe(false)
    expect(notesLeft()).toEqual([])
  })

  it("is let go when the work fails, and the failure comes through", async () => {
    await expect(
      withLock(file, options, () => {
        throw new Error("in the middle")
      }),
    ).rejects.toThrow("in the middle")
    expect(existsSync(lock())).toBe(false)
    expect(await withLock(file, options, () => "again")).toBe("again")
  })

  it("is held by one at a time, in the order of asking", async () => {
    const seen: number[] = []
    await Promise.all(Array.from({ length: 20 }, (_, n) => withLock(file, options, () => seen.push(n))))
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  it("does the work again when it was lost in the middle, and ends after ten times", async () => {
    let tries = 0
    const once = await withLock(file, options, () => {
      tries++
      if (tries === 1) throw new LockLost(file)
      return "done"
    })
    expect([once, tries]).toEqual(["done", 2])
    tries = 0
    const always = withLock(file, options, () => {
      tries++
      throw new LockLost(file)
    })
    await expect(always).rejects.toMatchObject({ code: "lock_timeout" })
    expect(tries).toBe(10)
  })

  it("is known as lost once somebody else has touched it or removed it, and a successor's lock stays", async () => {
    const lost = await withLock(file, options, (held) => {
      held.assertHeld()
      rmdirSync(lock())
      const gone = failureOf(() => held.assertHeld())
      mkdirSync(lock())
      utimesSync(lock(), 1_000, 1_000)
      return [gone, failureOf(() => held.assertHeld())]
    })
    expect(lost.every((failure) => failure instanceof LockLost)).toBe(true)
    expect(existsSync(lock())).toBe(true)
  })

  it("names the file when it stays taken, and waits no longer than told", async () => {
    mkdirSync(lock())
    await expect(withLock(file, { ...options, timeoutMs: 30 }, () => undefined)).rejects.toMatchObject({
      code: "lock_timeout",
      status: 503,
      message: `${file} stayed locked.`,
      next: expect.stringContaining(`remove the folder ${lock()}`) as unknown,
    })
    expect(notesLeft()).toEqual([])
  })

  it("names the process that holds it, where that has signed", async () => {
    await withLock(file, options, () => undefined)
    mkdirSync(lock())
    new LockNote(options.notes, lock()).write(identify(lock()))
    await expect(withLock(file, { ...options, timeoutMs: 30 }, () => undefined)).rejects.toMatchObject({
      message: `${file} stayed locked by process ${process.pid}.`,
    })
  })

  it.each([
    ["is waited for while it goes from one process to the next", [process.pid, process.ppid], "done"],
    ["is not waited for while one process keeps it and touches it", [process.pid], "lock_timeout"],
  ] as const)("%s", async (_, pids, outcome) => {
    await withLock(file, options, () => undefined)
    mkdirSync(lock())
    const note = new LockNote(options.notes, lock())
    let ms = 0
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      ms += 100
      if (ms > 5_000) rmSync(lock(), { recursive: true, force: true })
      else sign(pids[(ms / 100) % pids.length] ?? 0, ms)
      return ms
    })
    onTestFinished(() => clock.mockRestore())
    const waited = withLock(file, { ...options, timeoutMs: 1_000 }, () => "done")
    expect(await waited.catch((error: { code: string }) => error.code)).toBe(outcome)

    function sign(pid: number, at: number): void {
      utimesSync(lock(), at, at)
      note.write(identify(lock()))
      const path = join(options.notes, notesLeft()[0] ?? "")
      const { lock: signed } = JSON.parse(readFileSync(path, "utf8")) as { lock: object }
      writeFileSync(path, JSON.stringify({ pid, at: Date.now(), lock: signed }).padEnd(600))
    }
  })

  it("that nobody has touched for long is taken over: leftovers go, the file stays whole", async () => {
    writeFileSync(file, "whole")
    writeFileSync(`${file}.tmp.0011aabb`, "ha")
    mkdirSync(lock())
    expect(await withLock(file, { ...options, abandonedAfterMs: 20 }, () => readFileSync(file, "utf8"))).toBe("whole")
    expect(readdirSync(folder).sort()).toEqual(["bob.json", "notes"])
  })

  it("cannot be made where the folder is gone", async () => {
    rmSync(folder, { recursive: true })
    options = { notes: join(scratchFolder(), "notes") }
    await expect(withLock(file, options, () => undefined)).rejects.toMatchObject({ code: "ENOENT" })
    expect(notesLeft()).toEqual([])
  })
})

describe("a lock during work that takes its time", () => {
  it("is kept young, and stays ours", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    await withLock(file, options, async (held) => {
      const before = statSync(lock()).mtimeMs
      await vi.advanceTimersByTimeAsync(2_000)
      expect(statSync(lock()).mtimeMs).not.toBe(before)
      held.assertHeld()
    })
    expect([existsSync(lock()), notesLeft()]).toEqual([false, []])
  })
})

describe("a lock without a trace", () => {
  const quiet = () => ({ notes: join(folder, "chorus", "locks"), noTrace: true })

  it("takes the folder of its notes away, and what held only that", async () => {
    expect(await withLock(file, quiet(), () => readdirSync(folder).sort())).toEqual(["bob.json.lock", "chorus"])
    expect(readdirSync(folder)).toEqual([])
  })

  it("leaves the folder to others who have notes in it", async () => {
    await withLock(join(folder, "other"), quiet(), () => withLock(file, quiet(), () => undefined))
    expect(readdirSync(folder)).toEqual([])
    mkdirSync(join(folder, "chorus", "teams"), { recursive: true })
    await withLock(file, quiet(), () => undefined)
    expect(readdirSync(join(folder, "chorus"))).toEqual(["teams"])
  })
})

describe("several locks", () => {
  it("are all held during the work and all gone after it", async () => {
    const files = ["a", "b", "c"].map((name) => join(folder, name))
    const during = await withLocks(files, options, () => readdirSync(folder).filter((name) => name.endsWith(".lock")))
    expect(during.sort()).toEqual(["a.lock", "b.lock", "c.lock"])
    expect(readdirSync(folder)).toEqual(["notes"])
  })

  it("are let go when the last one cannot be had", async () => {
    const files = ["a", "b"].map((name) => join(folder, name))
    mkdirSync(join(folder, "b.lock"))
    await expect(withLocks(files, { ...options, timeoutMs: 20 }, () => undefined)).rejects.toMatchObject({
      code: "lock_timeout",
    })
    expect(existsSync(join(folder, "a.lock"))).toBe(false)
  })

  it("taken in one order by many at once never wait for each other for good", async () => {
    const [a, b, c] = ["a", "b", "c"].map((name) => join(folder, name)) as [string, string, string]
    const sets = [[a, b], [b, c], [a, c], [a, b, c], [b], [c]]
    const done = await Promise.all(
      Array.from({ length: 18 }, (_, n) => withLocks(sets[n % sets.length] ?? [], options, () => n)),
    )
    expect(done).toHaveLength(18)
  })

  it("of no file at all is just the work", async () => {
    expect(await withLocks([], options, () => "free")).toBe("free")
  })
})

describe("a note on a lock", () => {
  const noteFile = () => join(options.notes, notesLeft()[0] ?? "")
  const standing = () => identify(lock()) ?? never()
  const never = () => {
    throw new Error("there is no lock")
  }
  const wroteBy = (pid: number, of?: "this") => {
    const note = new LockNote(options.notes, lock())
    note.write(of === "this" ? standing() : undefined)
    writeFileSync(noteFile(), JSON.stringify({ ...(JSON.parse(readFileSync(noteFile(), "utf8")) as object), pid }))
    return note
  }
  beforeEach(() => {
    mkdirSync(lock())
    mkdirSync(options.notes)
  })

  it("names the process that holds this very lock", () => {
    const note = new LockNote(options.notes, lock())
    note.write()
    expect(note.holder(standing())).toBeUndefined()
    note.write(standing())
    expect([note.holder(standing()), note.isLeft(standing())]).toMatchObject([ownIdentity(), "no"])
    utimesSync(lock(), 5, 5)
    expect(note.holder(standing())).toBeUndefined()
    note.remove()
    expect(notesLeft()).toEqual([])
  })

  it("of a dead process says that this lock was left, not one that came after it", () => {
    const note = wroteBy(NOBODY, "this")
    expect(note.isLeft(standing())).toBe("yes")
    utimesSync(lock(), 5, 5)
    expect(note.isLeft(standing())).toBe("no")
  })

  it("of a process that died while it made one is unsure of a lock that is as old, and has nothing to say of another", () => {
    const note = wroteBy(NOBODY)
    expect(note.isLeft(standing())).toBe("unsure")
    const later = Date.now() / 1000 + 60
    utimesSync(lock(), later, later)
    expect(note.isLeft(standing())).toBe("no")
  })

  it("that holds nonsense or nothing is nobody's", () => {
    const note = new LockNote(options.notes, lock())
    expect(note.isLeft(standing())).toBe("no")
    note.write(standing())
    for (const text of ["", "null", "[]", '{"pid":']) {
      writeFileSync(noteFile(), text)
      expect([note.isLeft(standing()), note.holder(standing())]).toEqual(["no", undefined])
    }
  })

  it("is rewritten over a longer one without a rest of it", () => {
    const note = new LockNote(options.notes, lock())
    note.write(standing())
    note.write()
    expect(JSON.parse(readFileSync(noteFile(), "utf8"))).toEqual({ ...ownIdentity(), at: expect.any(Number) as number })
  })
})

describe("a process", () => {
  it("is alive under its own identity, dead under another start, unknown in another space", () => {
    const self = ownIdentity()
    expect(livenessOf(self)).toBe("alive")
    expect(livenessOf({ pid: self.pid })).toBe("alive")
    expect(livenessOf({ ...self, procStart: "1" })).toBe("dead")
    expect(livenessOf({ ...self, pidSpace: "another-machine" })).toBe("unknown")
  })

  it.each([999_999_999, Number.NaN, 1.5, 0, -1])("with the pid %s is dead", (pid) => {
    expect(livenessOf({ pid })).toBe("dead")
  })
})

function failureOf(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
