import { createClient } from "@chorus/client"
import { openPostgresStore } from "@chorus/store/postgres"
import { startPostgres, temporaryDirectory, waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { makeKeyInStore } from "./key-in-store.ts"
import { serverProcess } from "./server-process.ts"

const WRITERS = 32
const WRITES = process.env["CHORUS_STRESS"] === "1" ? 100 : 10

describe("two servers on one PostgreSQL", () => {
  it(`show every event once and in order to readers on both, through a restart of the database (${WRITERS} writers)`, async () => {
    const postgres = await startPostgres()
    const database = await postgres.database()
    const store = await openPostgresStore(database)
    const key = await makeKeyInStore(store)
    await store.close()
    const servers = await Promise.all([0, 1].map(() => serverProcess(temporaryDirectory().path, 0, database)))
    const clients = servers.map(({ url }) => createClient({ url, key }))
    const stop = new AbortController()
    const seen = clients.map((): number[] => [])
    const readers = clients.map(async (client, n) => {
      for await (const item of client.events({ lastEventId: 0, signal: stop.signal }))
        if (item.type === "event") seen[n]?.push(item.event.id)
    })

    const acknowledged = new Set<string>()
    const writing = Array.from({ length: WRITERS }, async (_, writer) => {
      const client = clients[writer % clients.length]
      for (let n = 0; n < WRITES;) {
        const name = `${writer}-${n}`
        // The same key on each attempt: a change whose answer was lost is answered again, not made again.
        const done = await client?.call("chorus_admin_create_project", { name }, { idempotencyKey: name }).then(
          () => acknowledged.add(name),
          () => undefined,
        )
        if (done === undefined) await new Promise((wake) => setTimeout(wake, 50))
        else n++
      }
    })
    await waitFor(() => acknowledged.size > (WRITERS * WRITES) / 3, 60_000, "a third of the writes")
    await postgres.kill("SIGKILL")
    await postgres.restart()
    await Promise.all(writing)

    const check = await openPostgresStore(database)
    const projects = await check.db.selectFrom("projects").select("name").execute()
    const { lastEvent } = await check.db.selectFrom("workspaces").select("lastEvent").executeTakeFirstOrThrow()
    await check.close()
    await waitFor(() => seen.every((ids) => ids.at(-1) === lastEvent), 60_000, "both readers to catch up").catch(
      () => undefined,
    )
    stop.abort()
    await Promise.all(readers)
    await Promise.all(servers.map((server) => server.kill("SIGTERM")))
    await postgres.stop()

    expect(projects.map(({ name }) => name).sort()).toEqual([...acknowledged].sort())
    const every = Array.from({ length: lastEvent }, (_, n) => n + 1)
    for (const ids of seen) expect(ids).toEqual(every)
  })
})
