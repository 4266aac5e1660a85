import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { type Postgres, startPooler, startPostgres, waitFor } from "@chorus/testing"
import { Client } from "pg"
import { expect, it } from "vitest"
import { eventsAfter, type Store } from "../src/index.ts"
import { openPostgresStore } from "../src/postgres-store.ts"
import { AT, furnish } from "./rows.ts"

const CALLERS = 8
const ORIGIN = {
  workspaceUuid: "w1",
  actor: { type: "system", uuid: "s", name: "S" },
  at: AT,
  requestId: null,
} as const

it("a server goes on at the standby when the database fails over: nothing acknowledged is lost, no position changes", async () => {
  await using primary = await startPostgres()
  const url = new URL(await primary.database())
  await using standby = await startPostgres({ standbyOf: primary })
  await ask(primary, "alter system set synchronous_standby_names = '*'")
  await ask(primary, "select pg_reload_conf()")
  await using address = await oneAddress(primary.port)
  url.port = String(address.port)
  const store = await openPostgresStore(url.href)
  await store.write(({ db }) => furnish(db))
  const traffic = begin([store])
  await traffic.more(300, "changes before")
  await primary.kill()
  await ask(standby, "select pg_promote()")
  // What is promoted waits for no standby of its own.
  await ask(standby, "alter system reset synchronous_standby_names")
  await ask(standby, "select pg_reload_conf()")
  address.moveTo(standby.port)
  await traffic.more(300, "changes after")
  await traffic.held()
  await store.close()
}, 600_000)

it("servers work behind a pooler that hands out connections by session, and go on when it is replaced", async () => {
  await using postgres = await startPostgres()
  const database = await postgres.database()
  await using pooler = await startPooler(database)
  const stores = [await openPostgresStore(pooler.url), await openPostgresStore(pooler.url)]
  const [first, second] = stores
  await first?.write(({ db }) => furnish(db))
  let heard = 0
  second?.onGrowth((_, position) => (heard = Math.max(heard, position)))
  const traffic = begin(stores)
  await traffic.more(300, "changes before")
  await pooler.restart()
  await traffic.more(300, "changes after")
  const last = await traffic.held()
  await waitFor(() => heard === last, 30_000, "the notice of the last change")
  for (const store of stores) await store.close()
}, 600_000)

/** Callers who change one row and a reader of the log, who remember what they were told. */
function begin(stores: readonly Store[]) {
  const [home] = stores
  if (home === undefined) throw new Error("there is no store")
  const acknowledged = new Map<string, number>()
  const read = new Map<number, string>()
  let over = false
  let tried = 0
  const caller = async (store: Store) => {
    while (!over) {
      const entityUuid = `change ${++tried}`
      const change = store.write(async (unit) => {
        await unit.db.updateTable("workspaces").set({ name: entityUuid }).where("uuid", "=", "w1").execute()
        unit.append(ORIGIN, [edited(entityUuid)], (position) => acknowledged.set(entityUuid, position))
      })
      await change.catch(() => pause(50))
    }
  }
  const reader = async () => {
    while (!over) {
      const seen = await eventsAfter(home.db, "w1", read.size, 100).catch(() => [])
      for (const { id, entityUuid } of seen) read.set(id, entityUuid)
      await pause(5)
    }
  }
  const all = [reader(), ...Array.from({ length: CALLERS }, (_, n) => caller(stores[n % stores.length] ?? home))]
  return {
    async more(changes: number, what: string): Promise<void> {
      const before = acknowledged.size
      await waitFor(() => acknowledged.size > before + changes, 120_000, what)
    },
    /** Ends it, and says where the log stands, in which everything is that anybody was told. */
    async held(): Promise<number> {
      over = true
      await Promise.all(all)
      const log = await eventsAfter(home.db, "w1", 0, 100_000)
      expect(log.map(({ id }) => id)).toEqual(log.map((_, n) => n + 1))
      const positions = new Map(log.map(({ id, entityUuid }) => [entityUuid, id]))
      expect(positions.size).toBe(log.length)
      expect([...acknowledged].filter(([entityUuid, position]) => positions.get(entityUuid) !== position)).toEqual([])
      expect([...read].filter(([id, entityUuid]) => positions.get(entityUuid) !== id)).toEqual([])
      return log.length
    },
  }
}

function edited(entityUuid: string) {
  const about = { kind: "comment.edited", entityType: "comment", action: "updated" } as const
  return { ...about, entityUuid, projectUuid: null, patch: {} }
}

async function ask({ url }: Postgres, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** An address that stays while the server behind it changes, as of a proxy or a name. */
async function oneAddress(first: number): Promise<AsyncDisposable & { port: number; moveTo(port: number): void }> {
  let target = first
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on("error", () => other.destroy()).on("close", () => other.destroy())
      one.pipe(other)
    }
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const cut = () => {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  return {
    port: (server.address() as AddressInfo).port,
    moveTo: (port) => {
      target = port
      cut()
    },
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed())
        cut()
      }),
  }
}
