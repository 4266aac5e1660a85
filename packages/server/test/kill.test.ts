import { join } from "node:path"
import { type Client, createClient } from "@chorus/client"
import { openSqliteStore, type Store } from "@chorus/store"
import { openPostgresStore } from "@chorus/store/postgres"
import { freePort, startPostgres, temporaryDirectory, waitFor } from "@chorus/testing"
import { describe, expect, it } from "vitest"
import { eventsAfter } from "@chorus/store"
import { makeKeyInStore } from "./key-in-store.ts"
import { serverProcess } from "./server-process.ts"

const KILLS = process.env["CHORUS_STRESS"] === "1" ? 50 : 2
const WRITERS = 8

describe.each(["sqlite", "postgres"] as const)("kill -9 of the server under write load on %s", (engine) => {
  it(`loses nothing acknowledged and shows a resuming reader everything once (${KILLS} kills)`, async () => {
    const directory = temporaryDirectory()
    const postgres = engine === "postgres" ? await startPostgres() : undefined
    const database = await postgres?.database()
    const port = await freePort()
    const open = () =>
      database === undefined ? openSqliteStore(join(directory.path, "chorus.sqlite")) : openPostgresStore(database)
    const key = await withStore(open, makeKeyInStore)

    const acknowledged = new Set<string>()
    const seen: number[] = []
    const restarts: number[] = []
    const stop = new AbortController()
    const caughtUp = new AbortController()
    let server = await serverProcess(directory.path, port, database)
    const client = createClient({ url: server.url, key })
    const reader = read(client, seen, caughtUp.signal)
    const writers = Array.from({ length: WRITERS }, (_, n) => write(client, `w${n}`, acknowledged, stop.signal))

    for (let kill = 0; kill < KILLS; kill++) {
      const before = acknowledged.size
      await waitFor(() => acknowledged.size > before + 5, 60_000, "the writers to get on")
      await new Promise((wake) => setTimeout(wake, Math.random() * 80))
      await server.kill()
      server = await serverProcess(directory.path, port, database)
      restarts.push(server.readyAfter)
    }
    const before = acknowledged.size
    await waitFor(() => acknowledged.size > before + 5, 60_000, "the writers to get on after the last kill")
    stop.abort()
    await Promise.all(writers)

    const { names, positions } = await withStore(open, kept)
    await waitFor(() => seen.at(-1) === positions.at(-1), 60_000, "the reader to catch up").catch(() => undefined)
    caughtUp.abort()
    await reader
    await server.kill()
    const lost = [...acknowledged].filter((name) => !names.has(name))
    console.log(
      `${engine}: ${KILLS} kills, ${acknowledged.size} acknowledged, ${lost.length} lost, ready again in ${Math.round(Math.max(...restarts))} ms at most`,
    )
    expect(lost).toEqual([])
    const from = positions.indexOf(seen[0] ?? 0)
    expect(seen).toEqual(positions.slice(from, from + seen.length))
    expect(seen.at(-1)).toBe(positions.at(-1))
    await postgres?.stop()
    await directory.remove()
  })
})

async function withStore<T>(open: () => Promise<Store>, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await open()
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

async function write(client: Client, prefix: string, acknowledged: Set<string>, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const name = `${prefix}-${n}`
    await client.call("chorus_admin_create_project", { name }).then(
      () => acknowledged.add(name),
      () => new Promise((wake) => setTimeout(wake, 20)),
    )
  }
}

async function read(client: Client, seen: number[], signal: AbortSignal): Promise<void> {
  for await (const item of client.events({ lastEventId: 0, signal })) {
    if (item.type === "event") seen.push(item.event.id)
  }
}

async function kept(store: Store): Promise<{ names: Set<string>; positions: number[] }> {
  const projects = await store.db.selectFrom("projects").select("name").execute()
  const workspace = await store.db.selectFrom("workspaces").select("uuid").executeTakeFirstOrThrow()
  const events = await eventsAfter(store.db, workspace.uuid, 0, 1_000_000)
  return { names: new Set(projects.map(({ name }) => name)), positions: events.map(({ id }) => id) }
}
