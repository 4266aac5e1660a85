import { DatabaseSync } from "node:sqlite"
import { beforeEach, describe, expect, it } from "vitest"
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
  return database.prepare("select text from notes order by rowid").all().map((row) => row["text"])
}

describe("GroupCommit", () => {
  it("gives every caller its own answer and keeps their order", async () => {
    const answers = await Promise.all([1, 2, 3].map((n) => commits.run(async () => (note(`n${n}`), n))))
    expect(answers).toEqual([1, 2, 3])
    expect(notes()).toEqual(["n1", "n2", "n3"])
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
    database.exec("create table parent (id integer primary key); create table child (p integer references parent deferrable initially deferred); pragma foreign_keys = on")
    const outcomes = await Promise.allSettled([
      commits.run(async () => note("innocent")),
      commits.run(async () => void database.exec("insert into child values (7)")),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"])
    await commits.run(async () => note("later"))
    expect(notes()).toEqual(["later"])
  })
})
