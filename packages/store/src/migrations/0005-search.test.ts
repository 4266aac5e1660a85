import { sql } from "kysely"
import { describe, expect, it } from "vitest"
import { memoryStore, undoEach } from "../../test/memory.ts"
import { furnish, row } from "../../test/rows.ts"
import type { Db } from "../schema/index.ts"
import { fillSearch } from "./0005-search.ts"

interface Source {
  readonly kind: string
  readonly uuid: string
  readonly project: string | null
  write(db: Db, title: string, body: string | null): Promise<unknown>
  rewrite(db: Db, title: string, body: string | null): Promise<unknown>
  remove(db: Db): Promise<unknown>
}

const SOURCES: readonly Source[] = [
  {
    kind: "task",
    uuid: "t1",
    project: "p1",
    write: (db, title, description) => db.insertInto("tasks").values(row.task({ title, description })).execute(),
    rewrite: (db, title, description) => db.updateTable("tasks").set({ title, description }).execute(),
    remove: (db) => db.deleteFrom("tasks").execute(),
  },
  {
    kind: "idea",
    uuid: "i1",
    project: "p1",
    write: (db, title, content) => db.insertInto("ideas").values(row.idea({ title, content })).execute(),
    rewrite: (db, title, content) => db.updateTable("ideas").set({ title, content }).execute(),
    remove: (db) => db.deleteFrom("ideas").execute(),
  },
  {
    kind: "proposal",
    uuid: "r1",
    project: "p1",
    write: (db, title, description) =>
      db.insertInto("proposals").values(row.proposal({ title, description })).execute(),
    rewrite: (db, title, description) => db.updateTable("proposals").set({ title, description }).execute(),
    remove: (db) => db.deleteFrom("proposals").execute(),
  },
  {
    kind: "document",
    uuid: "d1",
    project: "p1",
    write: (db, title, content) =>
      db
        .insertInto("documents")
        .values(row.document({ title, content: content ?? "" }))
        .execute(),
    rewrite: (db, title, content) =>
      db
        .updateTable("documents")
        .set({ title, content: content ?? "" })
        .execute(),
    remove: (db) => db.deleteFrom("documents").execute(),
  },
  {
    kind: "project",
    uuid: "p2",
    project: "p2",
    write: (db, name, description) =>
      db
        .insertInto("projects")
        .values(row.project({ uuid: "p2", name, description }))
        .execute(),
    rewrite: (db, name, description) =>
      db.updateTable("projects").set({ name, description }).where("uuid", "=", "p2").execute(),
    remove: (db) => db.deleteFrom("projects").where("uuid", "=", "p2").execute(),
  },
  {
    kind: "project_group",
    uuid: "g1",
    project: null,
    write: (db, name, description) => db.insertInto("projectGroups").values(row.group({ name, description })).execute(),
    rewrite: (db, name, description) => db.updateTable("projectGroups").set({ name, description }).execute(),
    remove: (db) => db.deleteFrom("projectGroups").execute(),
  },
]

const memory = await memoryStore()
const { db } = memory
await furnish(db)
undoEach(memory)

const entriesOf = (uuid: string) =>
  db
    .selectFrom("searchEntries")
    .select(["entityType", "projectUuid", "title", "body"])
    .where("entityUuid", "=", uuid)
    .execute()

/** What the index itself finds, by parts of words. */
async function found(words: string): Promise<string[]> {
  const { rows } = await sql<{
    entityUuid: string
  }>`select e."entityUuid" from "searchText" join "searchEntries" e on e."id" = "searchText".rowid where "searchText" match ${`"${words}"`}`.execute(
    db,
  )
  return rows.map(({ entityUuid }) => entityUuid)
}

describe.each(SOURCES)("the text of a $kind", ({ kind, uuid, project, write, rewrite, remove }) => {
  it("is found by its title and its body", async () => {
    await write(db, "A wooden door", "with a brass handle")
    expect(await entriesOf(uuid)).toEqual([
      { entityType: kind, projectUuid: project, title: "A wooden door", body: "with a brass handle" },
    ])
    expect([await found("wooden"), await found("brass")]).toEqual([[uuid], [uuid]])
  })

  it("may be a title alone", async () => {
    await write(db, "A wooden door", null)
    expect(await entriesOf(uuid)).toEqual([
      { entityType: kind, projectUuid: project, title: "A wooden door", body: "" },
    ])
  })

  it("is found by its new words after a change, and no longer by its old ones", async () => {
    await write(db, "A wooden door", "with a brass handle")
    await rewrite(db, "A steel door", "without a handle")
    expect([await found("wooden"), await found("brass"), await found("steel"), await found("without")]).toEqual([
      [],
      [],
      [uuid],
      [uuid],
    ])
  })

  it("is not found once it is deleted", async () => {
    await write(db, "A wooden door", "with a brass handle")
    await remove(db)
    expect(await entriesOf(uuid)).toEqual([])
    expect(await found("wooden")).toEqual([])
  })
})

describe("the index for search", () => {
  it("follows what moves to another project", async () => {
    await db
      .insertInto("projects")
      .values(row.project({ uuid: "p2" }))
      .execute()
    await db.insertInto("tasks").values(row.task()).execute()
    await db.updateTable("tasks").set({ projectUuid: "p2" }).execute()
    expect((await entriesOf("t1")).map(({ projectUuid }) => projectUuid)).toEqual(["p2"])
  })

  it("keeps its entry through a change that touches no text", async () => {
    await db
      .insertInto("tasks")
      .values(row.task({ title: "A wooden door" }))
      .execute()
    await db.updateTable("tasks").set({ status: "done", title: "A wooden door" }).execute()
    expect(await found("wooden")).toEqual(["t1"])
  })

  it("finds parts of words, and scripts without spaces", async () => {
    await db
      .insertInto("tasks")
      .values([row.task({ uuid: "t1", title: "Doorknob" }), row.task({ uuid: "t2", title: "木の扉を作る" })])
      .execute()
    expect([await found("knob"), await found("扉を作")]).toEqual([["t1"], ["t2"]])
  })

  it("can be made anew from the tables, and is then the same", async () => {
    for (const source of SOURCES) await source.write(db, `A ${source.kind}`, "body")
    const everything = () =>
      db
        .selectFrom("searchEntries")
        .select(["entityType", "entityUuid", "projectUuid", "title", "body"])
        .orderBy("entityUuid")
        .execute()
    const before = await everything()
    await sql`update "searchEntries" set "title" = 'lost'`.execute(db)
    for (const statement of fillSearch()) memory.database.exec(statement)
    expect(await everything()).toEqual(before)
    expect([await found("lost"), await found("proposal")]).toEqual([[], ["r1"]])
  })

  it("stands whole: the engine's own check finds no fault", async () => {
    for (const source of SOURCES) await source.write(db, `A ${source.kind}`, "body")
    for (const source of SOURCES) await source.rewrite(db, `Another ${source.kind}`, "text")
    expect(() =>
      memory.database.exec(`insert into "searchText" ("searchText") values ('integrity-check')`),
    ).not.toThrow()
  })
})
