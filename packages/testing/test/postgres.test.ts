/** @module-tag stress */
import { existsSync } from "node:fs"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startPostgres, type Postgres } from "@chorus/testing"

let postgres: Postgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(() => postgres.stop())

test("keeps what was committed through kill -9 and a restart, and rolls back what was not", async () => {
  const url = await postgres.database()
  await ask(url, "create table kept (n int)")
  await ask(url, "insert into kept values (1)")
  const open = await connect(url)
  await open.query("begin")
  await open.query("insert into kept values (2)")
  await postgres.kill("SIGKILL")
  await expect(ask(url, "select 1")).rejects.toThrow(/ECONNREFUSED/)
  await postgres.restart()
  expect(await ask(url, "select n from kept")).toEqual([{ n: 1 }])
})

test("restarts while it runs", async () => {
  await postgres.restart()
  expect(await ask(postgres.url, "select 1 as one")).toEqual([{ one: 1 }])
})

test("gives each test an empty database of its own", async () => {
  const [first, second] = await Promise.all([postgres.database(), postgres.database()])
  await ask(first, "create table mine (n int)")
  await expect(ask(second, "select * from mine")).rejects.toThrow(/does not exist/)
})

test("waits for the disk unless told otherwise", async () => {
  expect(await ask(postgres.url, "show fsync")).toEqual([{ fsync: "on" }])
  await using fast = await startPostgres({ fsync: false, settings: { work_mem: "5MB" } })
  expect(await ask(fast.url, "show fsync")).toEqual([{ fsync: "off" }])
  expect(await ask(fast.url, "show work_mem")).toEqual([{ work_mem: "5MB" }])
})

test("answers on its Unix socket, and is gone with its folder after stop", async () => {
  const other = await startPostgres({ fsync: false })
  const client = new Client({ host: other.socketDirectory, port: other.port, user: "chorus", database: "postgres" })
  await client.connect()
  expect((await client.query("select 2 as two")).rows).toEqual([{ two: 2 }])
  await client.end()
  await other.stop()
  expect(existsSync(other.socketDirectory)).toBe(false)
  await expect(ask(other.url, "select 1")).rejects.toThrow(/ECONNREFUSED/)
})

test("runs from the npm package where no PostgreSQL is installed", async () => {
  await using embedded = await startPostgres({ binaries: "embedded", fsync: false })
  expect(await ask(embedded.url, "select 1 as one")).toEqual([{ one: 1 }])
})

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  // The server is killed under this connection on purpose.
  client.on("error", () => {})
  await client.connect()
  return client
}

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = await connect(url)
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
