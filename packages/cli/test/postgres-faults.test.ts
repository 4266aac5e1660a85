import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { openPostgresStore } from "@chorus/store/postgres"
import { type Postgres, startPostgres, temporaryDirectory, type TemporaryDirectory, waitFor } from "@chorus/testing"
import { sql } from "kysely"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { chorus, type Finished, type RunningChorus, startChorus } from "./chorus-process.ts"

let directory: TemporaryDirectory
let postgres: Postgres
let url: string
let place: string[]
let server: RunningChorus

beforeAll(async () => {
  directory = temporaryDirectory()
  postgres = await startPostgres({ fsync: false })
  url = await postgres.database()
  place = ["--data", join(directory.path, "data"), "--database", url]
  server = await startChorus(place)
  expect(await addProject("Shop")).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await server.end()
  await postgres.stop()
  await directory.remove()
})

test("a database that only reads is told by a change, by health, doctor and a start, until it takes changes again", async () => {
  await onlyReads("on")
  expectFault(await addProject("Two"), "store_unavailable", /takes no changes/)
  expect(await health()).toMatchObject({
    status: 503,
    body: { error: { code: "store_unavailable", next: expect.stringContaining("CHORUS_DATABASE") } },
  })
  expect((await doctor()).store).toMatchObject({ state: "bad", next: expect.stringContaining("takes changes") })
  const elsewhere = ["--data", join(directory.path, "other"), "--database", url]
  expectFault(await chorus(["start", "--port", "0", ...elsewhere]), "store_unavailable", /takes no changes/)
  await onlyReads("off")
  expect(await addProject("Three")).toMatchObject({ code: 0 })
  expect(await health()).toMatchObject({ status: 200 })
  expect((await doctor()).store).toMatchObject({ state: "good" })
})

test("a database without room says so to a change, and by its health until there is room", async () => {
  const store = await openPostgresStore(url)
  const full = store.write(({ db }) => sql`copy (select repeat('x', 100000)) to '/dev/full'`.execute(db))
  await expect(full).rejects.toMatchObject({ code: "disk_full", next: expect.stringContaining("Make room") })
  expect(store.damage()).toMatchObject({ code: "disk_full" })
  await store.write(({ db }) => sql`select 1`.execute(db))
  expect(store.damage()).toBeUndefined()
  await store.close()
})

test("a damaged table is told by a call, then by health and doctor, and a start that meets one ends", async () => {
  await harm("projects")
  await waitFor(async () => (await health()).status === 200, 60_000, "the server to find its database again")
  expectFault(await chorus(["call", "list_projects", ...place]), "store_damaged", /restore it from a backup/)
  expect(await health()).toMatchObject({
    status: 500,
    body: { error: { code: "store_damaged", next: expect.stringContaining("restore it from a backup") } },
  })
  const found = await doctor("--deep")
  expect(found["server"]).toMatchObject({ state: "bad", next: expect.stringContaining("restore it from a backup") })
  expect(found["all data"]).toMatchObject({ state: "bad", found: expect.stringContaining("invalid page") })
  await server.end()
  await harm("migrations")
  expectFault(await chorus(["start", "--port", "0", ...place]), "store_damaged", /restore it from a backup/)
  expect((await doctor()).store).toMatchObject({ state: "bad", next: expect.stringContaining("restore it") })
})

function addProject(name: string): Promise<Finished> {
  return chorus(["project", "add", name, ...place])
}

async function health(): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}/api/health`)
  return { status: response.status, body: await response.json() }
}

type Found = Record<string, { what: string; state: string; found: string; next?: string }>

async function doctor(...more: string[]): Promise<Found> {
  const { stdout } = await chorus(["doctor", ...more, ...place, "--json"])
  const { findings } = JSON.parse(stdout) as { findings: Found[string][] }
  return Object.fromEntries(findings.map((finding) => [finding.what, finding]))
}

async function onlyReads(said: "on" | "off"): Promise<void> {
  await ask(`alter system set default_transaction_read_only = ${said}`)
  await ask("select pg_reload_conf()")
  const told = async () => (await ask("show default_transaction_read_only", "")) === said
  await waitFor(told, 30_000, "PostgreSQL to know")
}

/** Overwrites the first page of a table while PostgreSQL is down. */
async function harm(table: string): Promise<void> {
  const file = String(await ask(`select pg_relation_filepath('${table}')`))
  await ask("checkpoint")
  await postgres.kill("SIGINT")
  const descriptor = openSync(join(postgres.socketDirectory, "data", file), "r+")
  writeSync(descriptor, Buffer.alloc(8192, 0xa5))
  closeSync(descriptor)
  await postgres.restart()
}

/** Asks the database itself, as one whom no setting holds back unless told otherwise. */
async function ask(question: string, options = "-c default_transaction_read_only=off"): Promise<unknown> {
  const client = new Client({ connectionString: url, options })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(question)
    return Object.values(rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}

function expectFault({ code, stderr }: Finished, fault: string, next: RegExp): void {
  expect(stderr).toContain(`[${fault}]`)
  expect(stderr).toMatch(next)
  expect(stderr).not.toMatch(/^ +at /m)
  expect(code).toBe(1)
}
