import { DatabaseSync } from "node:sqlite"
import { array, assert, asyncProperty, constantFrom, integer } from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { GroupCommit } from "./group-commit.ts"

let database: DatabaseSync
let commits: GroupCommit

beforeEach(() => {
  database = new DatabaseSync(":memory:")
  database.exec("create table notes (text text)")
  commits = new GroupCommit(database)
})

function note(text: string): void {
  database.prepare("insert into notes values (?)").run(text)
}

function notes(): unknown[] {
  return database
    .prepare("select text from notes order by rowid")
    .all()
    .map((row) => row["text"])
}

describe("GroupCommit", () => {
  it("gives every caller its own answer and keeps their order", async () => {
    const answers = await Promise.all([1, 2, 3].map((n) => commits.run(async () => (note(`n${n}`), n))))
    expect(answers).toEqual([1, 2, 3])
    expect(notes()).toEqual(["n1", "n2", "n3"])
  })

  it("refuses what waits when the database is closed under it, and leaves nothing unheard", async () => {
    const [open, waiting] = [commits.run(async () => database.close()), commits.run(async () => note("late"))]
    await expect(open).rejects.toThrow(/not open/)
    await expect(waiting).rejects.toThrow(/not open/)
    await commits.idle()
  })

  it("undoes a failing change without touching its neighbours", async () => {
    const outcomes = await Promise.allSettled([
      commits.run(async () => note("before")),
      commits.run(async () => {
        note("doomed")
        throw new Error("no")
      }),
      commits.run(async () => note("after")),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
    expect(notes()).toEqual(["before", "after"])
  })

  it("answers nobody before the shared commit", async () => {
    let committedWhenAnswered = false
    const first = commits.run(async () => note("one")).then(() => (committedWhenAnswered = !database.isTransaction))
    await Promise.all([first, commits.run(async () => note("two"))])
    expect(committedWhenAnswered).toBe(true)
  })

  it("takes more changes than one batch holds", async () => {
    const small = new GroupCommit(database, 4)
    await Promise.all(Array.from({ length: 50 }, (_, n) => small.run(async () => note(String(n)))))
    expect(notes()).toHaveLength(50)
  })

  it("rejects all of a batch whose commit fails, and goes on afterwards", async () => {
    database.exec(
      "create table parent (id integer primary key); create table child (p integer references parent deferrable initially deferred); pragma foreign_keys = on",
    )
    const outcomes = await Promise.allSettled([
      commits.run(async () => note("innocent")),
      commits.run(async () => void database.exec("insert into child values (7)")),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"])
    await commits.run(async () => note("later"))
    expect(notes()).toEqual(["later"])
  })

  it("runs one change at a time, each to its end before the next begins", async () => {
    const order: string[] = []
    const slowly = (name: string) => async () => {
      order.push(`${name} begins`)
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
      order.push(`${name} ends`)
    }
    await Promise.all(["a", "b"].map((name) => commits.run(slowly(name))))
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"])
  })

  it("undoes everything of a failing change, also what it wrote in several steps with waits between", async () => {
    const failing = commits.run(async () => {
      note("one")
      await new Promise(setImmediate)
      note("two")
      throw new Error("no")
    })
    await expect(failing).rejects.toThrow("no")
    expect(notes()).toEqual([])
  })

  it("lets a change start another, which comes after it", async () => {
    let inner: Promise<void> | undefined
    await commits.run(async () => {
      inner = commits.run(async () => note("inner"))
      note("outer")
    })
    await inner
    expect(notes()).toEqual(["outer", "inner"])
  })

  it("passes on what is thrown, whatever it is", async () => {
    await expect(commits.run(() => Promise.reject("a text"))).rejects.toBe("a text")
  })

  it("is idle at once when nothing was handed in, and after everything when something was", async () => {
    await commits.idle()
    const done: number[] = []
    for (const n of [1, 2, 3]) void commits.run(async () => void note(String(n))).then(() => done.push(n))
    await commits.idle()
    await Promise.resolve()
    expect([notes(), done]).toEqual([
      ["1", "2", "3"],
      [1, 2, 3],
    ])
  })

  it("rejects the batch, and goes on with the next, when the transaction was ended under it", async () => {
    const outcomes = await Promise.allSettled([
      commits.run(async () => note("before")),
      commits.run(async () => {
        database.exec("rollback")
        throw new Error("the disk failed")
      }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"])
    await commits.run(async () => note("later"))
    expect(notes()).toEqual(["later"])
  })

  it("keeps exactly the changes that succeeded, in their order, however they were mixed and whatever the batch holds", async () => {
    await assert(
      asyncProperty(
        array(constantFrom("succeeds", "fails", "fails late"), { maxLength: 12 }),
        integer({ min: 1, max: 5 }),
        async (fates, batch) => {
          database.exec("delete from notes")
          const mixed = new GroupCommit(database, batch)
          const outcomes = await Promise.allSettled(
            fates.map((fate, n) =>
              mixed.run(async () => {
                if (fate === "fails") throw new Error("no")
                note(String(n))
                await Promise.resolve()
                if (fate === "fails late") throw new Error("no")
              }),
            ),
          )
          const succeeded = fates.flatMap((fate, n) => (fate === "succeeds" ? [String(n)] : []))
          expect(notes()).toEqual(succeeded)
          expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(succeeded.length)
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe("a change that never ends", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("is undone after ten seconds of silence, and those beside and behind it go on", async () => {
    const hanging = Promise.withResolvers<void>()
    const before = commits.run(async () => note("before"))
    const stuck = commits.run(async () => {
      note("stuck")
      hanging.resolve()
      await new Promise(() => undefined)
    })
    const after = commits.run(async () => note("after"))
    await hanging.promise
    const refused = expect(stuck).rejects.toMatchObject({ code: "change_stuck", status: 500 })
    await vi.advanceTimersByTimeAsync(9999)
    expect(notes()).toEqual(["before", "stuck"])
    await vi.advanceTimersByTimeAsync(1)
    await refused
    await Promise.all([before, after, commits.idle()])
    expect(notes()).toEqual(["before", "after"])
  })

  it("is no longer heard once it was undone, also while another change is under way", async () => {
    const hanging = Promise.withResolvers<void>()
    const waking = Promise.withResolvers<void>()
    let late: Promise<unknown> | undefined
    const stuck = commits.run(async () => {
      late = waking.promise.then(() => commits.assertUnderWay())
      hanging.resolve()
      await late
    })
    await hanging.promise
    const refused = expect(stuck).rejects.toMatchObject({ code: "change_stuck" })
    await vi.advanceTimersByTimeAsync(10_000)
    await refused
    await commits.run(async () => {
      commits.assertUnderWay()
      waking.resolve()
      await expect(late).rejects.toMatchObject({ code: "change_over" })
    })
    expect(() => commits.assertUnderWay()).toThrow(expect.objectContaining({ code: "change_over" }))
  })

  it("is told from one that is long but goes on asking", async () => {
    const long = commits.run(async () => {
      for (let step = 0; step < 5; step++) {
        await new Promise((wake) => setTimeout(wake, 9000))
        commits.assertUnderWay()
        note(String(step))
      }
    })
    await vi.advanceTimersByTimeAsync(1)
    for (let step = 0; step < 5; step++) await vi.advanceTimersByTimeAsync(9000)
    await long
    expect(notes()).toHaveLength(5)
  })
})
