import { randomUUID } from "node:crypto"
import { sql } from "kysely"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"
import { newDelivery } from "./deliveries/outbox.ts"
import { expire, forgetEvents, giveBack, Tidying, tidyUp, Waking } from "./housekeeping.ts"

const w = embeddedWorkspace()

const NOW = new Date("2026-06-01T12:00:00.000Z")
const HOUR = 3_600_000
const DAY = 24 * HOUR
const ago = (ms: number) => new Date(NOW.getTime() - ms).toISOString()
const tidy = () => tidyUp(w.store, NOW)

beforeEach(() =>
  w.store.write(async ({ db }) => {
    for (const table of ["signInAttempts", "receipts", "signInLinks", "deliveries"] as const)
      await db.deleteFrom(table).execute()
  }),
)

describe("tidying up", () => {
  it("forgets failed sign-ins after an hour", async () => {
    const attempt = (key: string, at: string) => ({ uuid: randomUUID(), counter: "place", key, at })
    await w.store.write(({ db }) =>
      db
        .insertInto("signInAttempts")
        .values([attempt("old", ago(HOUR + 1000)), attempt("young", ago(HOUR - 1000))])
        .execute(),
    )
    await tidy()
    expect(await w.store.db.selectFrom("signInAttempts").select("key").execute()).toEqual([{ key: "young" }])
  })

  it("forgets receipts after two days", async () => {
    const receipt = (key: string, createdAt: string) => ({
      workspaceUuid: w.workspaceUuid,
      actorUuid: "a",
      key,
      operation: "o",
      inputHash: "h",
      answer: "",
      createdAt,
    })
    await w.store.write(({ db }) =>
      db
        .insertInto("receipts")
        .values([receipt("old", ago(2 * DAY + 1000)), receipt("young", ago(2 * DAY - 1000))])
        .execute(),
    )
    await tidy()
    expect(await w.store.db.selectFrom("receipts").select("key").execute()).toEqual([{ key: "young" }])
  })

  it("forgets sign-in links a week after they died", async () => {
    const link = (hash: string, expiresAt: string) => ({
      hash,
      userUuid: w.owner.uuid,
      createdAt: ago(30 * DAY),
      expiresAt,
      usedAt: null,
    })
    await w.store.write(({ db }) =>
      db
        .insertInto("signInLinks")
        .values([link("old", ago(7 * DAY + 1000)), link("young", ago(7 * DAY - 1000))])
        .execute(),
    )
    await tidy()
    expect(await w.store.db.selectFrom("signInLinks").select("hash").execute()).toEqual([{ hash: "young" }])
  })

  it("forgets what was settled on its way out a month ago, and never what still has to be sent", async () => {
    const delivery = (place: number, state: "pending" | "delivered" | "dead", age: number) => ({
      ...newDelivery(
        { workspaceUuid: w.workspaceUuid, lane: "webhook:w", kind: "event", title: "task.created", payload: {} },
        { uuid: randomUUID(), place, now: ago(age) },
      ),
      state,
      settledAt: state === "pending" ? null : ago(age),
    })
    await w.store.write(({ db }) =>
      db
        .insertInto("deliveries")
        .values([
          delivery(1, "delivered", 31 * DAY),
          delivery(2, "dead", 31 * DAY),
          delivery(3, "pending", 31 * DAY),
          delivery(4, "delivered", 29 * DAY),
        ])
        .execute(),
    )
    await tidy()
    expect(
      (await w.store.db.selectFrom("deliveries").select("place").orderBy("place").execute()).map(({ place }) => place),
    ).toEqual([3, 4])
  })

  it("forgets what was read after three months and what nobody read after a year", async () => {
    const note = (title: string, age: number, readAt: string | null) => ({
      uuid: randomUUID(),
      workspaceUuid: w.workspaceUuid,
      projectUuid: null,
      recipientType: "user" as const,
      recipientUuid: w.owner.uuid,
      entityType: "task",
      entityUuid: "t",
      entityTitle: title,
      projectName: null,
      action: "task_assigned",
      message: "m".repeat(300),
      instructionText: null,
      actorType: "system" as const,
      actorUuid: "chorus",
      actorName: "Chorus",
      readAt,
      archivedAt: null,
      createdAt: ago(age),
    })
    // More than one step takes.
    const old = Array.from({ length: 2100 }, () => note("old", 91 * DAY, ago(90 * DAY)))
    const others = [
      note("read", 89 * DAY, ago(DAY)),
      note("unread", 364 * DAY, null),
      note("unread old", 366 * DAY, null),
    ]
    await w.store.write(async ({ db }) => {
      await db.deleteFrom("notifications").execute()
      for (let from = 0; from < old.length; from += 300)
        await db
          .insertInto("notifications")
          .values(old.slice(from, from + 300))
          .execute()
      await db.insertInto("notifications").values(others).execute()
    })
    const pages = async () =>
      (await sql<{ page_count: number }>`pragma page_count`.execute(w.store.db)).rows[0]?.page_count ?? 0
    const before = await pages()
    await tidy()
    const kept = await w.store.db.selectFrom("notifications").select("entityTitle").orderBy("createdAt").execute()
    expect(kept.map(({ entityTitle }) => entityTitle)).toEqual(["unread", "read"])
    await giveBack(w.store)
    expect(await pages()).toBeLessThan(before / 2)
  })

  it("forgets versions of a text after a year, but for the first and the last fifty", async () => {
    const version = (n: number, age: number) => ({
      targetType: "document" as const,
      targetUuid: "long",
      version: n,
      title: "t",
      content: "c",
      changedByType: "user" as const,
      changedByUuid: w.owner.uuid,
      changedAt: ago(age),
    })
    await w.store.write(({ db }) =>
      db
        .insertInto("textVersions")
        .values(Array.from({ length: 60 }, (_, n) => version(n + 1, n < 5 ? 400 * DAY : 100 * DAY)))
        .execute(),
    )
    await tidy()
    const rows = await w.store.db
      .selectFrom("textVersions")
      .select("version")
      .where("targetUuid", "=", "long")
      .execute()
    expect(rows.map((row) => row.version).toSorted((a, b) => a - b)).toEqual([
      1,
      ...Array.from({ length: 55 }, (_, n) => n + 6),
    ])
  })

  it("forgets messages of a team after three months, and terminals of a machine that was not heard of for one", async () => {
    const machine = (uuid: string, age: number) => ({
      uuid,
      agentUuid: w.developer.uuid,
      name: uuid,
      inventory: null,
      inventoryAt: null,
      createdAt: ago(400 * DAY),
      lastSeenAt: ago(age),
    })
    const terminal = (machineUuid: string) => ({ machineUuid, terminalId: "t", row: "{}", updatedAt: ago(40 * DAY) })
    const team = {
      uuid: "team",
      machineUuid: "here",
      name: "Crew",
      era: "1",
      description: null,
      ledByChorus: 0 as const,
      createdAt: ago(400 * DAY),
      lastFactAt: ago(DAY),
      goneAt: null,
    }
    const message = (id: string, age: number) => ({
      teamUuid: "team",
      id,
      sender: "a",
      recipient: "b",
      kind: "message",
      text: "t",
      summary: null,
      sentAt: ago(age),
    })
    await w.store.write(async ({ db }) => {
      await db
        .insertInto("machines")
        .values([machine("here", DAY), machine("away", 31 * DAY)])
        .execute()
      await db
        .insertInto("terminals")
        .values([terminal("here"), terminal("away")])
        .execute()
      await db.insertInto("teams").values(team).execute()
      await db
        .insertInto("teamMessages")
        .values([message("old", 91 * DAY), message("young", 89 * DAY)])
        .execute()
    })
    await tidy()
    expect(await w.store.db.selectFrom("terminals").select("machineUuid").execute()).toEqual([{ machineUuid: "here" }])
    expect(await w.store.db.selectFrom("teamMessages").select("id").execute()).toEqual([{ id: "young" }])
    await w.store.write(({ db }) => db.deleteFrom("terminals").execute())
  })

  it("forgets sessions three months after they ended, where nothing stays that holds on to them", async () => {
    const taskUuid = await w.newTask()
    const ended = async (age: number) => {
      const uuid = await w.newSession()
      await w.store.write(({ db }) =>
        db
          .updateTable("sessions")
          .set({ status: "closed", closedAt: ago(age) })
          .where("uuid", "=", uuid)
          .execute(),
      )
      return uuid
    }
    const [old, young, stood, parent] = [
      await ended(91 * DAY),
      await ended(89 * DAY),
      await ended(91 * DAY),
      await ended(91 * DAY),
    ]
    const child = await ended(DAY)
    const stay = {
      uuid: "stay",
      taskUuid,
      sessionUuid: stood,
      checkinAt: ago(92 * DAY),
      checkoutAt: ago(91 * DAY),
      checkoutReason: null,
    }
    await w.store.write(async ({ db }) => {
      await db.insertInto("checkins").values(stay).execute()
      await db.updateTable("sessions").set({ parentUuid: parent }).where("uuid", "=", child).execute()
    })
    await tidy()
    const left = (await w.store.db.selectFrom("sessions").select("uuid").execute()).map(({ uuid }) => uuid)
    expect(left).toEqual(expect.arrayContaining([young, stood, parent, child]))
    expect(left).not.toContain(old)
  })

  it("forgets what a run said half a year after it ended", async () => {
    const taskUuid = await w.newTask()
    const run = (uuid: string, age: number | undefined) => sql`insert into runs
      ("uuid", "workspaceUuid", "work", "taskUuid", "program", "state", "stateSince", "startedByType", "startedByUuid", "usage", "createdAt", "endedAt")
      values (${uuid}, ${w.workspaceUuid}, 'build', ${taskUuid}, 'claude', 'finished', ${ago(DAY)}, 'user', ${w.owner.uuid}, '{}',
        ${ago(400 * DAY)}, ${age === undefined ? null : ago(age)})`
    await w.store.write(async ({ db }) => {
      for (const [uuid, age] of [
        ["old", 181],
        ["young", 179],
        ["going", undefined],
      ] as const) {
        await run(uuid, age && age * DAY).execute(db)
        await db
          .insertInto("runEntries")
          .values({ runUuid: uuid, id: "1", revision: 1, place: 1, body: "{}" })
          .execute()
      }
    })
    await tidy()
    const left = await w.store.db.selectFrom("runEntries").select("runUuid").orderBy("runUuid").execute()
    expect(left.map(({ runUuid }) => runUuid)).toEqual(["going", "young"])
    expect(await w.store.db.selectFrom("runs").select("uuid").where("uuid", "=", "old").execute()).toHaveLength(1)
  })

  it("keeps the log for ever unless told otherwise, and then what is younger", async () => {
    const count = async () => (await w.store.db.selectFrom("events").select("id").execute()).length
    const before = await count()
    await tidy()
    expect(await count()).toBe(before)
    await forgetEvents(w.store, 365, NOW)
    expect(await count()).toBe(before)
    await forgetEvents(w.store, 1, NOW)
    expect(await count()).toBeLessThan(before)
  })
})

describe("expiring", () => {
  it("marks reservations whose time is over and takes back work that died, in every workspace, each in its own log", async () => {
    const taskUuid = await w.taskAt("in_progress")
    await w.call(w.developer, "chorus_reserve_paths", { taskUuid, globs: ["src/**"], ttlMinutes: 1 })
    const kinds = await w.kinds(async () => {
      w.clock.advance(Date.now() - w.clock.now().getTime())
      await w.store.write(({ db }) =>
        db.updateTable("reservations").set({ expiresAt: "2020-01-01T00:00:00.000Z" }).execute(),
      )
      await expire(w.store, w.registry)
    })
    expect(kinds).toEqual(["reservation.expired", "task.reclaimed"])
    expect(await w.kinds(() => expire(w.store, w.registry))).toEqual([])
  })
})

describe("the clock that says what is old", () => {
  const YEAR = 365 * DAY
  const options = { eventsKeptDays: 30 }
  const warned: unknown[] = []
  const log = { warn: (...words: unknown[]) => void warned.push(words) }
  const counts = async () => {
    const tables = ["events", "notifications", "textVersions"] as const
    const rows = async (table: (typeof tables)[number]) =>
      (await w.store.db.selectFrom(table).selectAll().execute()).length
    return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await rows(table)] as const)))
  }
  let right = 0

  beforeEach(async () => {
    warned.length = 0
    right = Date.now()
    await w.store.write(async ({ db }) => {
      await db.deleteFrom("clocks").execute()
      // What was last written says what time it is to a store that does not know yet.
      const now = new Date(right).toISOString()
      await db.updateTable("events").set({ at: now }).execute()
    })
  })

  it("drops nothing when it is set a year ahead, after a restart, and after it ran so for a day and an hour", async () => {
    const server = new Tidying(w.store, options, log)
    await server.round({ wall: right, steady: 0 })
    expect(warned).toEqual([])
    const before = await counts()
    // It is set while the server runs, and what is written from now on carries the wrong year.
    await server.round({ wall: right + YEAR, steady: HOUR })
    await w.call(w.owner, "chorus_admin_create_project", { name: "Written in a year" })
    await w.store.write(({ db }) =>
      db
        .updateTable("events")
        .set({ at: new Date(right + YEAR).toISOString() })
        .where("at", ">", new Date(right).toISOString())
        .execute(),
    )
    const written = await counts()
    const restarted = new Tidying(w.store, options, log)
    for (let hours = 0; hours <= 25; hours++)
      await restarted.round({ wall: right + YEAR + hours * HOUR, steady: hours * HOUR })
    expect(await counts()).toEqual(written)
    expect((await counts())["events"]).toBeGreaterThan(before["events"] ?? 0)
    expect(warned).toHaveLength(27)
    expect(warned.at(-1)).toEqual([{ days: 364 }, expect.stringContaining("days ahead")])
  })

  it("is not believed by a store from before, whose last word is a year old", async () => {
    const before = await counts()
    const server = new Tidying(w.store, options, log)
    for (let hours = 0; hours <= 25; hours++)
      await server.round({ wall: right + YEAR + hours * HOUR, steady: hours * HOUR })
    expect((await counts())["events"]).toBe(before["events"])
  })

  it("is not made more believable by many restarts", async () => {
    await new Tidying(w.store, options, log).round({ wall: right, steady: 0 })
    const before = await counts()
    for (let start = 0; start < 50; start++)
      await new Tidying(w.store, options, log).round({ wall: right + YEAR + start * HOUR, steady: start })
    expect(await counts()).toEqual(before)
  })

  it("is made up for by a machine that was off, twice as fast as time passes", async () => {
    await new Tidying(w.store, options, log).round({ wall: right, steady: 0 })
    const server = new Tidying(w.store, options, log)
    await w.store.write(({ db }) =>
      db
        .updateTable("events")
        .set({ at: new Date(right).toISOString() })
        .execute(),
    )
    for (let days = 0; days <= 39; days++) await server.round({ wall: right + (40 + days) * DAY, steady: days * DAY })
    expect(warned).toHaveLength(37)
    expect((await counts())["events"]).toBe(0)
  })

  it("is followed over a weekend, and back again", async () => {
    const server = new Tidying(w.store, options, log)
    await server.round({ wall: right, steady: 0 })
    await server.round({ wall: right + 2.9 * DAY, steady: HOUR })
    await server.round({ wall: right, steady: 2 * HOUR })
    expect(warned).toEqual([])
  })

  it("drops nothing on a machine whose clock was never set", async () => {
    const before = await counts()
    await new Tidying(w.store, options, log).round({ wall: 1000, steady: 0 })
    expect(await counts()).toEqual(before)
    expect(warned).toEqual([[expect.stringContaining("is not set")]])
    expect(await w.store.db.selectFrom("clocks").selectAll().execute()).toEqual([])
  })

  it("goes on no faster for two servers on one store than for one", async () => {
    const servers = [new Tidying(w.store, options, log), new Tidying(w.store, options, log)]
    for (const server of servers) await server.round({ wall: right, steady: 0 })
    for (let hours = 1; hours <= 24; hours++)
      for (const server of servers) await server.round({ wall: right + YEAR, steady: hours * HOUR })
    const { at } = await w.store.db.selectFrom("clocks").select("at").executeTakeFirstOrThrow()
    expect(Date.parse(at) - right).toBe(48 * HOUR)
  })
})

describe("a server that was away", () => {
  it("waits until those who live can have said so, also after its machine slept", () => {
    const waking = new Waking()
    const heard = (...minutes: number[]) => minutes.map((minute) => waking.heard(minute * 60_000))
    expect(heard(1, 2, 3, 4, 5)).toEqual([false, false, false, true, true])
    expect(heard(65, 66, 67, 68)).toEqual([false, false, false, true])
  })
})
