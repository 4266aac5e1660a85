import { connect, createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { type Postgres, startPostgres, waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { lock, type Store, tryLock } from "../src/index.ts"
import { PostgresNotices } from "../src/postgres-notices.ts"
import { openPostgresStore } from "../src/postgres-store.ts"

const AT = "2026-01-01T00:00:00.000Z"
let postgres: Postgres
let database: string
let store: Store

beforeAll(async () => {
  postgres = await startPostgres({ fsync: false })
  database = await postgres.database()
  store = await openPostgresStore(database)
  await store.write(({ db }) =>
    db
      .insertInto("workspaces")
      .values({ uuid: "w1", name: "W", lastEvent: 0, settings: "{}", createdAt: AT })
      .execute(),
  )
})
afterAll(async () => {
  await store.close()
  await postgres.stop()
})

it("a broadcast reaches every process on the database, also its sender, by topic", async () => {
  const other = await openPostgresStore(database)
  const heard: string[] = []
  for (const [name, one] of [
    ["here", store],
    ["there", other],
  ] as const)
    one.onBroadcast("presence", (message) => heard.push(`${name} ${message}`))
  store.onBroadcast("else", () => heard.push("wrong topic"))
  await store.broadcast("presence", "an agent: looks")
  await waitFor(
    () => heard.length === 2,
    60_000,
    () => `two to hear it: ${heard.join()}`,
  )
  expect(heard.sort()).toEqual(["here an agent: looks", "there an agent: looks"])
  await other.close()
})

it("one process at a time gets a lock that is tried", async () => {
  const other = await openPostgresStore(database)
  await store.write(async (unit) => {
    await lock(unit, "chore")
    expect(await other.write((elsewhere) => tryLock(elsewhere, "chore"))).toBe(false)
    expect(await other.write((elsewhere) => tryLock(elsewhere, "another"))).toBe(true)
  })
  expect(await other.write((elsewhere) => tryLock(elsewhere, "chore"))).toBe(true)
  await other.close()
})

it("growth that was missed is told after the connection is found again, also when it went away without a word", async () => {
  await using wire = await startWire(postgres.port)
  const notices = new PostgresNotices(database.replace(String(postgres.port), String(wire.port)), 200)
  await notices.start()
  const heard: number[] = []
  notices.onGrowth((_, position) => heard.push(position))
  await grow()
  await waitFor(() => heard.length === 1, 60_000, "the first notice")

  wire.freeze()
  await grow()
  await waitFor(
    () => heard.at(-1) === 2,
    60_000,
    () => `the second position, after ${heard.join()}`,
  )
  await grow()
  await waitFor(() => heard.at(-1) === 3, 60_000, "a notice on the new connection")
  await notices.stop()
})

function grow(): Promise<void> {
  const event = {
    kind: "task.updated",
    entityType: "task",
    entityUuid: "t1",
    projectUuid: null,
    action: "updated",
    patch: {},
  } as const
  return store.write(async (unit) =>
    unit.append(
      { workspaceUuid: "w1", actor: { type: "system", uuid: "chorus", name: "Chorus" }, at: AT, requestId: null },
      [event],
    ),
  )
}

/** A way to the database that can stop carrying anything without closing, for those who are on it. */
async function startWire(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1")
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on("error", () => to.destroy()).on("close", () => to.destroy())
      from.pipe(to)
    }
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => sockets.forEach((socket) => socket.unpipe().pause()),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
