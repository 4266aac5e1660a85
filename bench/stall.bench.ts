import { type ChildProcess, fork } from "node:child_process"
import { setTimeout as pause } from "node:timers/promises"
import { createClient } from "@chorus/client"
import { ensureOwner, operations, ownerActor, Registry } from "@chorus/server"
import type { Store } from "@chorus/store"
import { startPostgres, temporaryDirectory } from "@chorus/testing"
import { sql } from "kysely"
import { type Figure, percentile } from "./figure.ts"
import { served, storeAt } from "./served.ts"

const EVENTS = 1_000_000
const READERS = 25
/** Some of them reach one project each, so that they do not read the same. */
const KEYS = 10
const CALLS = 400
const BETWEEN_CALLS_MS = 25

/**
 * How long others wait while fifty readers catch up with a log of a million events on either engine: half of them want all, half a
 * kind that is not there, each from a position of its own, with ten keys.
 */
export async function bench(): Promise<Figure[]> {
  const embedded = await figures("embedded")
  await using postgres = await startPostgres()
  return [...embedded, ...(await figures("PostgreSQL", await postgres.database()))]
}

async function figures(engine: string, database?: string): Promise<Figure[]> {
  await using directory = temporaryDirectory()
  const keys = await fillLog(await storeAt(directory.path, database))
  const server = await served(directory.path, database)
  const client = createClient({ url: server.url, key: server.key })
  const waits = async () => {
    const times: number[] = []
    for (let n = 0; n < CALLS; n++) {
      const began = performance.now()
      if (n % 4 === 0) await client.call("chorus_admin_create_project", { name: `bench ${n}` })
      else await client.call("chorus_list_projects", {})
      times.push(performance.now() - began)
      await pause(BETWEEN_CALLS_MS)
    }
    return times
  }
  const alone = await waits()
  const readers = await Promise.all(
    ["lastEventId=1NTH", "lastEventId=2NTH&kind=nothing.happened"].map((query) =>
      catchingUp(server.url, keys.join(","), query),
    ),
  )
  const beside = await waits()
  for (const reader of readers) reader.kill()
  await server.stop()
  const what = `${engine}, a call beside 50 readers that catch up with 1,000,000 events`
  return [
    { name: `${engine}, the same call with nobody catching up, p99`, value: percentile(alone, 0.99), unit: "ms" },
    { name: `${what}, median`, value: percentile(beside, 0.5), unit: "ms" },
    { name: `${what}, p99`, value: percentile(beside, 0.99), unit: "ms", budget: { atMost: 100 } },
  ]
}

async function fillLog(store: Store): Promise<string[]> {
  const { workspaceUuid, userUuid } = await ensureOwner(store, new Date())
  const actor = await ownerActor(store, new Date())
  const registry = new Registry(store, operations)
  const made = async (name: string, input: object) =>
    (await registry.execute(name, input, { actor, requestId: "bench" })) as { uuid: string; key: string }
  const keys: string[] = []
  for (let n = 0; n < KEYS; n++) {
    const { uuid: projectUuid } = await made("chorus_admin_create_project", { name: `Project ${n}` })
    const reach = n % 2 === 0 ? {} : { projectUuids: [projectUuid] }
    const { uuid: agentUuid } = await made("chorus_create_agent", { name: `Reader ${n}`, presets: ["admin"], ...reach })
    keys.push((await made("chorus_create_key", { agentUuid })).key)
  }
  await store.write(async ({ db }) => {
    await sql`insert into events ("workspaceUuid", "id", "at", "kind", "entityType", "entityUuid", "projectUuid", "action", "patch",
        "actorType", "actorUuid", "actorName")
      with recursive n(i) as (select 1000 union all select i + 1 from n where i < ${1000 + EVENTS})
      select ${workspaceUuid}, i, '2026-01-01T00:00:00.000Z', 'task.updated', 'task', 'task-' || (i % 10000),
        p.uuid, 'updated',
        '{"uuid":"task","title":"A task of some length","status":"open"}', 'user', ${userUuid}, 'Owner'
      from n join (select uuid, row_number() over (order by uuid) - 1 as place from projects) p on p.place = i % ${KEYS}`.execute(
      db,
    )
    await db
      .updateTable("workspaces")
      .set({ lastEvent: 1000 + EVENTS })
      .where("uuid", "=", workspaceUuid)
      .execute()
  })
  await store.close()
  return keys
}

async function catchingUp(url: string, key: string, query: string): Promise<ChildProcess> {
  const readers = fork(new URL("./event-readers.ts", import.meta.url), [url, key, String(READERS), query])
  await new Promise((connected) => readers.once("message", connected))
  return readers
}
