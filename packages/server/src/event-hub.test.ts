import type { LogEvent } from "@chorus/contracts"
import { setImmediate as othersFirst } from "node:timers/promises"
import type { Store } from "@chorus/store"
import { sql } from "kysely"
import { afterEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"
import { eventually } from "../test/eventually.ts"
import { EventHub, type Subscription } from "./event-hub.ts"

const w = embeddedWorkspace()
const hubs: EventHub[] = []
afterEach(() => hubs.splice(0).forEach((hub) => hub.close()))

function newHub(store: Store = w.store): EventHub {
  const hub = new EventHub(store)
  hubs.push(hub)
  return hub
}
const last = async (hub: EventHub) => (await hub.bounds(w.workspaceUuid)).last
const happen = async (times: number) => {
  for (let n = 0; n < times; n++) await w.newIdea()
}

/** A reader that notes what it gets. */
async function reader(hub: EventHub, more: Partial<Subscription> = {}) {
  const seen: LogEvent[] = []
  const batches: (readonly LogEvent[])[] = []
  const deliver = (events: readonly LogEvent[]) => {
    seen.push(...events)
    batches.push(events)
  }
  const open = await hub.subscribe({
    workspaceUuid: w.workspaceUuid,
    after: undefined,
    wants: () => true,
    deliver,
    ...more,
  })
  return { seen, batches, ids: () => seen.map(({ id }) => id), close: () => open.close() }
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

describe("a reader of the log", () => {
  it("hears what happens from now on, in order and once", async () => {
    const hub = newHub()
    const from = await last(hub)
    const { ids } = await reader(hub)
    await happen(5)
    await eventually(() => expect(ids()).toEqual(range(from + 1, from + 5)))
  })

  it("that comes back gets what it missed, then what happens, without a gap or a repeat", async () => {
    const hub = newHub()
    const from = await last(hub)
    await happen(4)
    const writing = happen(4)
    const { ids } = await reader(hub, { after: from })
    await writing
    await eventually(() => expect(ids()).toEqual(range(from + 1, from + 8)))
  })

  it("gets only what it wants, and others all the same", async () => {
    const hub = newHub()
    const from = await last(hub)
    const odd = await reader(hub, { wants: ({ id }) => id % 2 === 1 })
    const all = await reader(hub)
    await happen(6)
    await eventually(() => expect(all.ids()).toEqual(range(from + 1, from + 6)))
    expect(odd.ids()).toEqual(range(from + 1, from + 6).filter((id) => id % 2 === 1))
  })

  it("shares its batch with every other that wants all of it", async () => {
    const hub = newHub()
    const [one, two] = [await reader(hub), await reader(hub)]
    await happen(1)
    await eventually(() => expect([one.batches.length, two.batches.length]).toEqual([1, 1]))
    expect(one.batches[0]).toBe(two.batches[0])
  })

  it("hears nothing of another workspace", async () => {
    const hub = newHub()
    const theirs = await reader(hub, { workspaceUuid: w.stranger.workspaceUuid })
    const ours = await reader(hub)
    await happen(1)
    await w.call(w.stranger, "chorus_pm_create_idea", { projectUuid: w.strangersProject, title: "theirs" })
    await eventually(() => expect(theirs.seen).toHaveLength(1))
    await eventually(() => expect(ours.seen).toHaveLength(1))
    expect(theirs.seen[0]?.patch).toMatchObject({ title: "theirs" })
  })

  it("that has left gets nothing more, and is counted no more", async () => {
    const hub = newHub()
    const leaving = await reader(hub)
    const staying = await reader(hub)
    await eventually(() => expect(hub.readers()).toBe(2))
    leaving.close()
    expect(hub.readers()).toBe(1)
    await happen(1)
    await eventually(() => expect(staying.seen).toHaveLength(1))
    expect(leaving.seen).toEqual([])
  })

  it("that comes first misses nothing that is committed before the hub has heard where the log ends", async () => {
    const from = await last(newHub())
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const late = w.store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => answered.then(() => result),
    })
    const opening = reader(newHub({ ...w.store, db: late }), { after: from })
    await happen(1)
    answer()
    const { ids } = await opening
    await eventually(() => expect(ids()).toEqual([from + 1]))
  })

  it("that is slow holds up nobody else while it catches up", async () => {
    const hub = newHub()
    const from = await last(hub)
    await happen(2)
    let release = (): void => undefined
    const blocked = new Promise<void>((resolve) => (release = resolve))
    const slow = await reader(hub, { after: from, deliver: () => blocked })
    const quick = await reader(hub)
    await happen(1)
    await eventually(() => expect(quick.ids()).toEqual([from + 3]))
    release()
    await eventually(() => expect(hub.readers()).toBe(2))
    slow.close()
  })

  it("catches up over more than one batch of the store", async () => {
    const hub = newHub()
    const from = await last(hub)
    await w.call(w.pm, "chorus_create_tasks", {
      projectUuid: w.project,
      tasks: Array.from({ length: 500 }, (_, n) => ({
        title: `t${n}`,
        acceptanceCriteriaItems: [{ description: "x" }],
      })),
    })
    await happen(3)
    const { ids } = await reader(hub, { after: from })
    await eventually(async () => expect(ids().at(-1)).toBe(await last(hub)))
    expect(ids()).toEqual(range(from + 1, from + 503))
  })
})

describe("a long log", () => {
  const LENGTH = 40_000
  const make = async () => {
    const { last: from } = await newHub().bounds(w.workspaceUuid)
    await w.store.write(async ({ db }) => {
      await sql`
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${LENGTH})
        insert into events ("workspaceUuid", "id", "at", "kind", "entityType", "entityUuid", "action", "patch", "actorType", "actorUuid", "actorName")
        select ${w.workspaceUuid}, ${from} + i, '2026-01-01T00:00:00.000Z', 'idea.updated', 'idea', 'i', 'updated', '{"title":"once upon a time"}', 'user', 'u', 'U' from n
      `.execute(db)
      await db
        .updateTable("workspaces")
        .set({ lastEvent: from + LENGTH })
        .where("uuid", "=", w.workspaceUuid)
        .execute()
    })
    return from
  }

  it("is looked through for several readers at once without holding anybody else up", async () => {
    const from = await make()
    const hub = newHub()
    const readers = [
      await reader(hub, { after: from, only: { kinds: ["zzz"] }, wants: ({ kind }) => kind === ("zzz" as string) }),
      await reader(hub, { after: from }),
      await reader(hub, { after: from }),
    ]
    let turns = 0
    while (hub.readers() < 3) {
      await othersFirst()
      turns++
    }
    expect(readers.map(({ seen }) => seen.length)).toEqual([0, LENGTH, LENGTH])
    expect(readers[1]?.ids()).toEqual(range(from + 1, from + LENGTH))
    // A thousand events at a time for one of them, then everybody else.
    expect(turns).toBeGreaterThanOrEqual((3 * LENGTH) / 1000)
  })

  it("is not looked through more slowly because somebody else has many readers", async () => {
    const from = await make()
    const hub = newHub()
    const many = await Promise.all(range(1, 20).map(() => reader(hub, { caller: "many", after: from })))
    const one = await reader(hub, { caller: "one", after: from })
    await eventually(() => expect(one.seen).toHaveLength(LENGTH))
    const heard = many.reduce((sum, { seen }) => sum + seen.length, 0)
    // They go on while this looks; by turns of readers instead of callers they would all be through by now.
    expect(heard).toBeLessThan((many.length / 2) * LENGTH)
    for (const { close } of many) close()
  })

  it("is read and put into words once for all who come back to the same place", async () => {
    const from = await make()
    const hub = newHub()
    const readers = [await reader(hub, { after: from }), await reader(hub, { after: from })]
    await eventually(() => expect(hub.readers()).toBe(2))
    const [one, other] = readers.map(({ batches }) => batches)
    expect(one?.map((batch, at) => batch === other?.[at])).toEqual(one?.map(() => true))
    expect(readers[1]?.ids()).toEqual(range(from + 1, from + LENGTH))
  })

  it("is looked through no further for a reader that has left", async () => {
    const from = await make()
    const hub = newHub()
    const leaving = await reader(hub, { after: from })
    await eventually(() => expect(leaving.seen.length).toBeGreaterThan(0))
    leaving.close()
    const heard = leaving.seen.length
    await (await reader(hub, { after: from + LENGTH - 1 })).close()
    await new Promise((later) => setTimeout(later, 50))
    expect(leaving.seen.length).toBeLessThanOrEqual(heard + 1000)
  })
})

describe("a change of somebody's rights", () => {
  it("is told to every reader of the workspace, and to no other", async () => {
    const hub = newHub()
    let [ours, theirs] = [0, 0]
    await reader(hub, { wants: () => false, recheck: () => void ours++ })
    await reader(hub, { workspaceUuid: w.stranger.workspaceUuid, recheck: () => void theirs++ })
    await happen(1)
    await w.call(w.owner, "chorus_update_agent", { agentUuid: w.developer.uuid, name: "Renamed" })
    await eventually(() => expect(ours).toBe(1))
    expect(theirs).toBe(0)
  })
})

describe("the hub", () => {
  it("knows between which positions a reader may resume", async () => {
    const hub = newHub()
    const { first, last: end } = await hub.bounds(w.workspaceUuid)
    expect(first).toBe(0)
    expect(end).toBeGreaterThan(0)
    expect(await hub.bounds("nobody's")).toEqual({ first: 0, last: 0 })
    await w.store.write(({ db }) =>
      db
        .deleteFrom("events")
        .where("workspaceUuid", "=", w.workspaceUuid)
        .where("id", "<=", end - 2)
        .execute(),
    )
    expect(await hub.bounds(w.workspaceUuid)).toEqual({ first: end - 2, last: end })
  })

  it("closed, tells nobody anything", async () => {
    const hub = newHub()
    const { seen } = await reader(hub)
    hub.close()
    await happen(1)
    const other = await reader(newHub(), { after: 0 })
    await eventually(() => expect(other.seen.length).toBeGreaterThan(0))
    expect(seen).toEqual([])
    expect(hub.readers()).toBe(0)
  })

  it("goes on when the store was away for a moment", async () => {
    let away = false
    const db = new Proxy(w.store.db, {
      get: (target, field) => {
        if (away && field === "selectFrom") throw new Error("away")
        const value: unknown = Reflect.get(target, field, target)
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    const hub = newHub({ ...w.store, db })
    const { seen } = await reader(hub)
    await eventually(() => expect(hub.readers()).toBe(1))
    away = true
    await happen(1)
    away = false
    await happen(1)
    await eventually(() => expect(seen).toHaveLength(2))
  })
})
