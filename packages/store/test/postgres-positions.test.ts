import { waitFor } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { assert, asyncProperty, array, boolean, integer, record } from "fast-check"
import { sql } from "kysely"
import { Client } from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { eventsAfter, type Store } from "../src/index.ts"
import { appending } from "../src/postgres-changes.ts"
import { openPostgresStore } from "../src/postgres-store.ts"
import { AT, furnish, row } from "./rows.ts"

const ORIGIN = {
  workspaceUuid: "w1",
  actor: { type: "system", uuid: "s", name: "S" },
  at: AT,
  requestId: null,
} as const
const edited = (entityUuid: string) =>
  ({
    kind: "comment.edited",
    entityType: "comment",
    entityUuid,
    projectUuid: null,
    action: "updated",
    patch: {},
  }) as const

let url: string
let stores: readonly [Store, Store]
beforeAll(async () => {
  url = await sharedDatabase()
  stores = [await openPostgresStore(url), await openPostgresStore(url)]
  await stores[0].write(({ db }) => furnish(db))
})
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
})

const log = async (after = 0) => eventsAfter(stores[0].db, "w1", after, 10_000)

describe("positions on PostgreSQL", () => {
  it("have no gaps, keep a change's events together, and follow each row's history, for writers of two servers", async () => {
    const change = record({
      server: integer({ min: 0, max: 1 }),
      project: integer({ min: 0, max: 2 }),
      events: integer({ min: 1, max: 3 }),
      fails: boolean(),
    })
    await stores[0].write(async ({ db }) => {
      for (const n of [0, 1, 2]) await sql`create table if not exists ${sql.id(`history${n}`)} ("n" bigint)`.execute(db)
      for (const n of [0, 1, 2]) await sql`insert into ${sql.id(`history${n}`)} values (0)`.execute(db)
    })
    let changes = 0
    await assert(
      asyncProperty(array(change, { minLength: 2, maxLength: 12 }), async (wanted) => {
        const before = await stores[0].position("w1")
        const told: { entity: string; last: number; events: number }[] = []
        await Promise.allSettled(
          wanted.map(({ server, project, events, fails }) =>
            (stores[server] ?? stores[0]).write(async (unit) => {
              const table = sql.id(`history${project}`)
              const { rows } = await sql<{ n: number }>`update ${table} set "n" = "n" + 1 returning "n"`.execute(
                unit.db,
              )
              const entity = `${project}/${rows[0]?.n}/${++changes}`
              unit.append(
                ORIGIN,
                Array.from({ length: events }, () => edited(entity)),
                (last) => told.push({ entity, last, events }),
              )
              if (fails) throw new Error("undone")
            }),
          ),
        )
        const written = await log(before)
        expect(written.map(({ id }) => id)).toEqual(written.map((_, n) => before + n + 1))
        expect(await stores[1].position("w1")).toBe(before + written.length)
        for (const { entity, last, events } of told) {
          const own = written.filter(({ entityUuid }) => entityUuid === entity).map(({ id }) => id)
          expect(own).toEqual(Array.from({ length: events }, (_, n) => last - events + 1 + n))
        }
        for (const project of [0, 1, 2]) {
          const history = written
            .filter(({ entityUuid }) => entityUuid.startsWith(`${project}/`))
            .map(({ entityUuid }) => Number(entityUuid.split("/")[1]))
          expect(history).toEqual(history.toSorted((a, b) => a - b))
        }
      }),
      { numRuns: 25 },
    )
  })

  it("are not held up by a change that drew its ticket early and commits late, nor is that one passed over", async () => {
    const before = await stores[0].position("w1")
    const slow = new Client({ connectionString: url })
    await slow.connect()
    await slow.query("begin")
    const { text, values } = appending({ origin: ORIGIN, events: [edited("slow")], told: undefined })
    await slow.query(text, [...values])
    await stores[0].write(async (unit) => unit.append(ORIGIN, [edited("quick")]))
    expect((await log(before)).map(({ entityUuid }) => entityUuid)).toEqual(["quick"])
    await slow.query("commit")
    await slow.end()
    // Nobody waits for it, as if its server had died after the commit: whoever looks next takes it up.
    await waitFor(async () => (await log(before)).length === 2, 60_000, "the late one")
    expect((await log(before)).map(({ id, entityUuid }) => [id - before, entityUuid])).toEqual([
      [1, "quick"],
      [2, "slow"],
    ])
  })

  it("are given by one round to all that had committed, also to whom that was told only while it ran", async () => {
    const holder = new Client({ connectionString: url })
    await holder.connect()
    await holder.query("begin")
    await holder.query(`select pg_advisory_xact_lock(hashtextextended('log:w1', 0))`)
    const asked = vi.spyOn(Client.prototype, "query")
    const rounds = () =>
      asked.mock.calls.filter(([query]: unknown[]) => JSON.stringify(query)?.includes("chorus_round")).length
    const changes = ["first", "second"].map((entity) =>
      stores[0].write(async (unit) => unit.append(ORIGIN, [edited(entity)])),
    )
    const waiting = async () =>
      (await holder.query(`select distinct "ticket" from "eventsComing" where "workspaceUuid" = 'w1'`)).rowCount
    await waitFor(async () => (await waiting()) === 2 && rounds() === 1, 60_000, "both to have committed")
    await holder.query("commit")
    await Promise.all(changes)
    expect(rounds()).toBe(1)
    asked.mockRestore()
    await holder.end()
  })

  it("are given in one workspace while those of another wait", async () => {
    await stores[0].write(({ db }) =>
      db
        .insertInto("workspaces")
        .values(row.workspace({ uuid: "w2" }))
        .execute(),
    )
    const round = new Client({ connectionString: url })
    await round.connect()
    await round.query("begin")
    await round.query(`select pg_advisory_xact_lock(hashtextextended('log:w1', 0))`)
    let isTold = false
    const held = stores[0].write(async (unit) => unit.append(ORIGIN, [edited("held")], () => (isTold = true)))
    await stores[0].write(async (unit) => unit.append({ ...ORIGIN, workspaceUuid: "w2" }, [edited("free")]))
    expect(await stores[0].position("w2")).toBe(1)
    expect(isTold).toBe(false)
    await round.query("commit")
    await round.end()
    await held
    expect(isTold).toBe(true)
  })

  it("are told to listeners on every server, once they can be read", async () => {
    const heard: number[] = []
    const stop = stores[1].onGrowth((_, position) => heard.push(position))
    let told = 0
    await stores[0].write(async (unit) => unit.append(ORIGIN, [edited("a"), edited("b")], (last) => (told = last)))
    expect((await log(told - 1)).map(({ entityUuid }) => entityUuid)).toEqual(["b"])
    await waitFor(() => heard.includes(told), 60_000, "the other server to hear")
    stop()
  })
})

describe("a change on PostgreSQL", () => {
  it("whose events cannot be kept is undone as a whole", async () => {
    const nowhere = { ...ORIGIN, workspaceUuid: "nowhere" }
    const name = async () => (await stores[0].db.selectFrom("workspaces").select("name").executeTakeFirst())?.name
    const before = await name()
    await expect(
      stores[0].write(async (unit) => {
        await unit.db.updateTable("workspaces").set({ name: "Undone" }).execute()
        unit.append(nowhere, [edited("a")])
      }),
    ).rejects.toThrow(/"workspaceUuid" .* violates/)
    expect(await name()).toBe(before)
  })

  it("that swallowed the error of a statement is not taken for kept", async () => {
    await expect(
      stores[0].write(async ({ db }) => {
        await sql`select 1 / 0 from workspaces`.execute(db).catch(() => undefined)
      }),
    ).rejects.toThrow(/ROLLBACK/)
  })

  it("that failed while something of it was still at work leaves no trace of that either", async () => {
    const name = async () => (await stores[0].db.selectFrom("workspaces").select("name").executeTakeFirst())?.name
    const before = await name()
    const late = Promise.withResolvers<unknown>()
    const failing = stores[0].write(async ({ db }) => {
      const asked = db.selectFrom("workspaces").select("uuid").execute()
      late.resolve(asked.then(() => db.updateTable("workspaces").set({ name: "Too late" }).execute()))
      throw new Error("undone")
    })
    const [change, straggler] = await Promise.allSettled([failing, late.promise])
    expect(change).toMatchObject({ reason: { message: "undone" } })
    expect(straggler).toMatchObject({ reason: { code: "change_over" } })
    expect(await name()).toBe(before)
  })

  it("takes nothing more once it is over", async () => {
    const late = await stores[0].write(async (unit) => {
      await unit.db.selectFrom("workspaces").select("uuid").execute()
      return () => unit.db.selectFrom("workspaces").select("uuid").execute()
    })
    await expect(late()).rejects.toMatchObject({ code: "change_over" })
  })
})
