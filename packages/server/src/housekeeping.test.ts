import { randomUUID } from "node:crypto"
import { sql } from "kysely"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"
import { newDelivery } from "./deliveries/outbox.ts"
import { ClockTrust, expire, forgetEvents, giveBack, tidyUp, Waking } from "./housekeeping.ts"

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
  const at = (days: number, ran: number) => ({ wall: days * DAY, steady: ran * HOUR })

  it("is believed when it goes on from the newest event, and by a new workspace", () => {
    expect(new ClockTrust().doubt(at(100, 0), undefined)).toBeUndefined()
    const clock = new ClockTrust()
    expect(clock.doubt(at(100, 0), 99 * DAY)).toBeUndefined()
    expect(clock.doubt(at(101, 24), 99 * DAY)).toBeUndefined()
  })

  it.each([365, -365])("%i days from the newest event, is not believed until it has run for a day", (off) => {
    const clock = new ClockTrust()
    expect(clock.doubt(at(100 + off, 0), 100 * DAY)).toBe(off * DAY)
    expect(clock.doubt({ wall: (100 + off) * DAY + HOUR, steady: HOUR }, 0)).toBe(off * DAY)
    expect(clock.doubt({ wall: (100 + off) * DAY + 25 * HOUR, steady: 25 * HOUR }, 0)).toBeUndefined()
  })

  it("is not believed either when it is set while the server runs", () => {
    const clock = new ClockTrust()
    expect(clock.doubt(at(100, 0), 100 * DAY)).toBeUndefined()
    expect(clock.doubt(at(465, 1), 465 * DAY)).toBeCloseTo(365 * DAY - HOUR)
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
