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
import { beforeEach, describe, expect, it } from "vitest"
import { codeOf, scratchFolder } from "../../test/scratch-team.ts"
import { type LockOptions, withLock, withLocks } from "./directory-lock.ts"
import { LockLost } from "./held-lock.ts"
import { LockNote, notesOn, sameLock } from "./lock-note.ts"
import { livenessOf, ownIdentity } from "./process-identity.ts"
import { withTakeoverMutex } from "./takeover-mutex.ts"

let folder: string
let file: string
let options: LockOptions
beforeEach(() => {
  folder = scratchFolder()
  file = join(folder, "bob.json")
  options = { notes: join(folder, "notes") }
})
const lock = () => `${file}.lock`
const notesLeft = () => readdirSync(options.notes).filter((name) => !name.startsWith("takeover"))

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

  it("turns a full disk in the middle of the work into words a person can act on", async () => {
    const full = () => {
      throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })
    }
    expect(await codeOf(withLock(file, options, full))).toBe("disk_full")
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
    expect([await codeOf(always), tries]).toEqual(["lock_timeout", 10])
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
      next: expect.stringContaining("chorus team doctor") as unknown,
    })
    expect(notesLeft()).toEqual([])
  })

  it("names the process that holds it, where that has signed", async () => {
    await withLock(file, options, () => undefined)
    mkdirSync(lock())
    const note = new LockNote(options.notes, lock())
    note.write(identityOf(lock()))
    await expect(withLock(file, { ...options, timeoutMs: 30 }, () => undefined)).rejects.toMatchObject({
      message: `${file} stayed locked by process ${process.pid}.`,
    })
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
    expect(await codeOf(withLocks(files, { ...options, timeoutMs: 20 }, () => undefined))).toBe("lock_timeout")
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
  it("names its process before it has the lock, and the lock once it has it", () => {
    mkdirSync(lock())
    const note = new LockNote(options.notes, lock())
    const [found] = notesOn(options.notes, lock())
    expect(found?.process).toEqual(ownIdentity())
    expect(found?.isOn(identityOf(lock()))).toBe(false)
    note.write(identityOf(lock()))
    expect(found?.isOn(identityOf(lock()))).toBe(true)
    expect(found?.isDead()).toBe(false)
    found?.remove()
    expect(notesOn(options.notes, lock())).toEqual([])
  })

  it("is about one lock only, and about the one that stands there now", () => {
    mkdirSync(lock())
    new LockNote(options.notes, lock()).write(identityOf(lock()))
    expect(notesOn(options.notes, `${file}x.lock`)).toEqual([])
    utimesSync(lock(), 5, 5)
    expect(notesOn(options.notes, lock())[0]?.isOn(identityOf(lock()))).toBe(false)
  })

  it("that holds nonsense is on no lock, and one from another machine is not read", () => {
    mkdirSync(lock())
    const note = new LockNote(options.notes, lock())
    const [name = ""] = notesLeft()
    writeFileSync(join(options.notes, name), '{"ino":"not a number"}')
    expect(notesOn(options.notes, lock())[0]?.isOn(identityOf(lock()))).toBe(false)
    const [digest, pid, start] = name.split(".")
    note.remove()
    writeFileSync(join(options.notes, `${digest}.${pid}.${start}.ffffffffffffffff.1`), "")
    writeFileSync(join(options.notes, `${digest}.`), "")
    expect(notesOn(options.notes, lock())).toEqual([])
  })

  it("tells two locks apart by either of their marks", () => {
    expect(sameLock({ ino: 1n, mtimeNs: 2n }, { ino: 1n, mtimeNs: 2n })).toBe(true)
    expect(sameLock({ ino: 1n, mtimeNs: 2n }, { ino: 1n, mtimeNs: 3n })).toBe(false)
    expect(sameLock({ ino: 1n, mtimeNs: 2n }, { ino: 9n, mtimeNs: 2n })).toBe(false)
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

  it.each([999_999_999, Number.NaN, 1.5])("with the pid %s is dead", (pid) => {
    expect(livenessOf({ pid })).toBe("dead")
  })
})

describe("the takeover mutex", () => {
  it("gives what the work gives, and is free again when it fails", () => {
    expect(withTakeoverMutex(options.notes, () => 7)).toBe(7)
    expect(() =>
      withTakeoverMutex(options.notes, () => {
        throw new Error("no")
      }),
    ).toThrow("no")
    expect(withTakeoverMutex(options.notes, () => 8)).toBe(8)
  })

  it("lets a second judge pass by instead of waiting", () => {
    const inner = withTakeoverMutex(options.notes, () => withTakeoverMutex(options.notes, () => "both") ?? "passed by")
    expect(inner).toBe("passed by")
  })
})

function identityOf(path: string) {
  const { ino, mtimeNs } = statSync(path, { bigint: true })
  return { ino, mtimeNs }
}

function failureOf(work: () => void): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
