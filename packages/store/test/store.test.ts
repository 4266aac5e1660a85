import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ChorusError } from "@chorus/contracts"
import { eventsAfter, lastPosition, lock, pruneEvents, type Store } from "../src/index.ts"
import { freshStore } from "./engines.ts"

const ORIGIN = {
  workspaceUuid: "w1",
  actor: { type: "system", uuid: "s", name: "S" },
  at: "2026-01-01T00:00:00.000Z",
  requestId: null,
} as const

const NOTE = {
  kind: "comment.edited",
  entityType: "comment",
  entityUuid: "c",
  projectUuid: null,
  action: "updated",
  patch: {},
} as const

describe.each(["sqlite", "postgres"] as const)("the %s store", (engine) => {
  let store: Store
  let reopen: () => Promise<Store>

  beforeEach(async () => {
    ;({ store, reopen } = await freshStore(engine))
    await store.write(async ({ db }) => {
      await db
        .insertInto("workspaces")
        .values({ uuid: "w1", name: "W", lastEvent: 0, settings: "{}", createdAt: ORIGIN.at })
        .execute()
    })
  })
  afterEach(() => store.close())

  async function append(text: string): Promise<number | undefined> {
    let position: number | undefined
    const event = { ...NOTE, entityUuid: text, patch: { content: text } }
    await store.write(async (unit) => unit.append(ORIGIN, [event], (told) => (position = told)))
    return position
  }

  it("knows how far the log has come as soon as a change is answered, and counts none that was undone", async () => {
    expect(await store.position("w1")).toBe(0)
    await append("one")
    expect(await store.position("w1")).toBe(1)
    const undone = store.write(async (unit) => {
      unit.append(ORIGIN, [NOTE, NOTE], () => expect.unreachable())
      throw new Error("undone")
    })
    await expect(undone).rejects.toThrow("undone")
    expect(await store.position("w1")).toBe(1)
    const answered = await Promise.all(["two", "three"].map(append))
    expect(answered.toSorted()).toEqual([2, 3])
    expect(await store.position("w1")).toBe(3)
    expect(await store.position("nobody's")).toBe(0)
  })

  it("finds nothing in an empty list, and everything outside of it", async () => {
    const all = store.db.selectFrom("workspaces").select("uuid")
    expect(await all.where("uuid", "in", []).execute()).toEqual([])
    expect(await all.where("uuid", "not in", []).execute()).toEqual([{ uuid: "w1" }])
    expect(await store.write(({ db }) => db.deleteFrom("workspaces").where("uuid", "in", []).execute())).toMatchObject([
      { numDeletedRows: 0n },
    ])
  })

  it("shows readers nothing of a change that failed", async () => {
    await expect(
      store.write(async (unit) => {
        unit.append(ORIGIN, [
          {
            kind: "comment.edited",
            entityType: "comment",
            entityUuid: "x",
            projectUuid: null,
            action: "updated",
            patch: {},
          },
        ])
        throw new Error("stop")
      }),
    ).rejects.toThrow("stop")
    expect(await eventsAfter(store.db, "w1", 0, 10)).toEqual([])
    expect(await lastPosition(store.db, "w1")).toBe(0)
  })

  it("gives concurrent writers positions without gaps or repeats, visible in order", async () => {
    const seen: number[] = []
    let watching = true
    const reader = (async () => {
      let position = 0
      while (watching || position < 100) {
        const events = await eventsAfter(store.db, "w1", position, 7)
        for (const event of events) seen.push(event.id)
        position = events.at(-1)?.id ?? position
        await new Promise(setImmediate)
      }
    })()
    await Promise.all(Array.from({ length: 100 }, (_, n) => append(`n${n}`)))
    watching = false
    await reader
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
  })

  it("tells of growth only once it is durable", async () => {
    const heard = new Promise<number>((resolve) => store.onGrowth((_, position) => resolve(position)))
    await append("one")
    const position = await heard
    expect((await eventsAfter(store.db, "w1", position - 1, 1))[0]?.patch).toEqual({ content: "one" })
  })

  it("holds a named lock until the change ends", async () => {
    const order: string[] = []
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const first = store.write(async (unit) => {
      await lock(unit, "project:1")
      order.push("first in")
      await held
      order.push("first out")
    })
    const second = store.write(async (unit) => {
      await lock(unit, "project:1")
      order.push("second in")
    })
    setTimeout(release, 50)
    await Promise.all([first, second])
    expect(order).toEqual(["first in", "first out", "second in"])
  })

  it("keeps foreign keys and checks", async () => {
    await expect(
      store.write(({ db }) =>
        db
          .insertInto("projects")
          .values({
            uuid: "p",
            workspaceUuid: "nowhere",
            groupUuid: null,
            name: "P",
            description: null,
            status: "active",
            settings: "{}",
            createdAt: ORIGIN.at,
            updatedAt: ORIGIN.at,
          })
          .execute(),
      ),
    ).rejects.toThrow(/foreign key/i)
  })

  it("prunes old events and keeps the counter", async () => {
    await append("old")
    expect(await store.write((unit) => pruneEvents(unit, "w1", "2026-06-01"))).toBe(1)
    await append("new")
    expect((await eventsAfter(store.db, "w1", 0, 10)).map(({ id }) => id)).toEqual([2])
  })

  it("opens again with everything in place", async () => {
    await append("kept")
    const again = await reopen()
    expect(await lastPosition(again.db, "w1")).toBe(1)
    await again.close()
  })

  it("refuses data written by a newer version", async () => {
    await store.write(({ db }) =>
      db.insertInto("migrations").values({ id: 999, name: "future", appliedAt: ORIGIN.at }).execute(),
    )
    const refusal = await reopen().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(refusal).toBeInstanceOf(ChorusError)
    expect((refusal as ChorusError).code).toBe("schema_newer")
  })
})
