import { join } from "node:path"
import type { NewEvent } from "@chorus/contracts"
import { temporaryDirectory } from "@chorus/testing"
import { array, assert, asyncProperty, boolean, integer, record } from "fast-check"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { AT, row } from "../test/rows.ts"
import { eventsAfter, lastPosition, pruneEvents } from "./event-log.ts"
import { openSqliteStore } from "./sqlite-store.ts"
import type { Origin, Store } from "./store.ts"

const directory = temporaryDirectory()
let store: Store
beforeAll(async () => {
  store = await openSqliteStore(join(directory.path, "chorus.sqlite"))
})
afterAll(async () => {
  await store.close()
  await directory.remove()
})

let workspaces = 0
let workspaceUuid: string
beforeEach(async () => {
  workspaceUuid = `w${++workspaces}`
  await store.write(({ db }) =>
    db
      .insertInto("workspaces")
      .values(row.workspace({ uuid: workspaceUuid }))
      .execute(),
  )
})

type Claim = Extract<NewEvent, { kind: "task.claimed" }>
const event = (change: Partial<Claim> = {}): Claim => ({
  kind: "task.claimed",
  entityType: "task",
  entityUuid: "t1",
  projectUuid: "p1",
  action: "updated",
  patch: {},
  ...change,
})
const origin = (change: Partial<Origin> = {}): Origin => ({
  workspaceUuid,
  actor: { type: "agent", uuid: "a1", name: "Bob" },
  at: AT,
  requestId: "r1",
  ...change,
})
const append = (events: readonly NewEvent[], from = origin()) => store.write(async (unit) => unit.append(from, events))
const many = (count: number) => Array.from({ length: count }, (_, n) => event({ entityUuid: `t${n + 1}` }))
const positions = async (after: number, limit: number) =>
  (await eventsAfter(store.db, workspaceUuid, after, limit)).map(({ id }) => id)

describe("appending to the log", () => {
  it("writes what happened, to what, by whom, when and on which request", async () => {
    await append([event({ patch: { status: "assigned", assignee: null, title: "ü" } })])
    expect(await eventsAfter(store.db, workspaceUuid, 0, 10)).toEqual([
      {
        id: 1,
        at: AT,
        kind: "task.claimed",
        entityType: "task",
        entityUuid: "t1",
        projectUuid: "p1",
        action: "updated",
        patch: { status: "assigned", assignee: null, title: "ü" },
        actor: { type: "agent", uuid: "a1", name: "Bob" },
        requestId: "r1",
      },
    ])
  })

  it("may be of no project and of no request", async () => {
    await append([event({ projectUuid: null })], origin({ requestId: null }))
    expect((await eventsAfter(store.db, workspaceUuid, 0, 1))[0]).toMatchObject({ projectUuid: null, requestId: null })
  })

  it("of nothing takes no position and tells nobody", async () => {
    const heard: string[] = []
    const stop = store.onGrowth((workspace) => heard.push(workspace))
    await append([])
    stop()
    expect([await lastPosition(store.db, workspaceUuid), heard]).toEqual([0, []])
  })

  it("gives the events of one change positions in their order", async () => {
    await append(many(3))
    expect((await eventsAfter(store.db, workspaceUuid, 0, 10)).map(({ id, entityUuid }) => [id, entityUuid])).toEqual([
      [1, "t1"],
      [2, "t2"],
      [3, "t3"],
    ])
  })

  it("takes more events at once than one statement holds", async () => {
    await append(many(1203))
    expect(await lastPosition(store.db, workspaceUuid)).toBe(1203)
    expect(await positions(1200, 10)).toEqual([1201, 1202, 1203])
  })

  it("counts each workspace by itself", async () => {
    await append(many(2))
    const first = workspaceUuid
    await store.write(({ db }) =>
      db
        .insertInto("workspaces")
        .values(row.workspace({ uuid: `${first}-other` }))
        .execute(),
    )
    await append(many(1), origin({ workspaceUuid: `${first}-other` }))
    expect([await lastPosition(store.db, first), await lastPosition(store.db, `${first}-other`)]).toEqual([2, 1])
  })

  it("into a workspace that is not there fails, and leaves nothing", async () => {
    await expect(append(many(1), origin({ workspaceUuid: "nowhere" }))).rejects.toThrow(/workspace/)
    expect(await eventsAfter(store.db, "nowhere", 0, 10)).toEqual([])
  })

  it("tells of growth once for a change, with its last position", async () => {
    const heard: [string, number][] = []
    const stop = store.onGrowth((workspace, position) => heard.push([workspace, position]))
    await append(many(3))
    stop()
    await append(many(1))
    expect(heard).toEqual([[workspaceUuid, 3]])
  })

  it("tells nobody of a change that was undone, and gives its positions to the next", async () => {
    const heard: number[] = []
    const stop = store.onGrowth((_, position) => heard.push(position))
    await expect(
      store.write(async (unit) => {
        unit.append(origin(), many(5))
        throw new Error("undone")
      }),
    ).rejects.toThrow("undone")
    await append(many(1))
    stop()
    expect([heard, await positions(0, 10)]).toEqual([[1], [1]])
  })
})

describe("changes side by side", () => {
  it("give positions without gaps to what was kept, and none to what was undone", async () => {
    await assert(
      asyncProperty(
        array(record({ events: integer({ min: 0, max: 4 }), fails: boolean() }), { maxLength: 8 }),
        async (changes) => {
          const before = await lastPosition(store.db, workspaceUuid)
          await Promise.allSettled(
            changes.map(({ events, fails }) =>
              store.write(async (unit) => {
                unit.append(origin(), many(events))
                if (fails) throw new Error("undone")
              }),
            ),
          )
          const kept = changes.filter(({ fails }) => !fails).reduce((sum, { events }) => sum + events, 0)
          expect(await positions(before, 100)).toEqual(Array.from({ length: kept }, (_, n) => before + n + 1))
          expect(await lastPosition(store.db, workspaceUuid)).toBe(before + kept)
        },
      ),
      { numRuns: 15 },
    )
  })
})

describe("reading the log", () => {
  it("gives at most as many as asked for, the oldest first", async () => {
    await append(many(5))
    expect([await positions(0, 2), await positions(2, 2), await positions(4, 2), await positions(5, 2)]).toEqual([
      [1, 2],
      [3, 4],
      [5],
      [],
    ])
  })

  it("from beyond its end gives nothing", async () => expect(await positions(1_000_000, 10)).toEqual([]))

  it("of a workspace nobody knows is empty, at position zero", async () => {
    expect([await eventsAfter(store.db, "nowhere", 0, 10), await lastPosition(store.db, "nowhere")]).toEqual([[], 0])
  })

  it("meets every event exactly once, whatever the size of the steps", async () => {
    await append(many(23))
    await assert(
      asyncProperty(integer({ min: 1, max: 30 }), async (size) => {
        const seen: number[] = []
        for (let batch = await positions(0, size); batch.length > 0; batch = await positions(batch.at(-1) ?? 0, size))
          seen.push(...batch)
        expect(seen).toEqual(Array.from({ length: 23 }, (_, n) => n + 1))
      }),
      { numRuns: 15 },
    )
  })
})

describe("pruning the log", () => {
  it("drops what is older than a time, in this workspace only, and says how many", async () => {
    await append(many(2), origin({ at: "2026-01-01T00:00:00.000Z" }))
    await append(many(1), origin({ at: "2026-02-01T00:00:00.000Z" }))
    expect(await store.write((unit) => pruneEvents(unit, "another", "2027-01-01"))).toBe(0)
    expect(await store.write((unit) => pruneEvents(unit, workspaceUuid, "2026-02-01T00:00:00.000Z"))).toBe(2)
    expect(await positions(0, 10)).toEqual([3])
  })

  it("gives no position a second time, even when the log is empty", async () => {
    await append(many(2))
    await store.write((unit) => pruneEvents(unit, workspaceUuid, "9999"))
    await append(many(1))
    expect(await positions(0, 10)).toEqual([3])
  })
})
