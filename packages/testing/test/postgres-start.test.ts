/** @module-tag stress */
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import { Client } from "pg"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Postgres, startPostgres, temporaryDirectory } from "@chorus/testing"

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

describe("a private PostgreSQL", () => {
  let postgres: Postgres
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false })
  })
  afterAll(() => postgres.stop())

  test("is reached on loopback only, by its address", async () => {
    expect(new URL(postgres.url)).toMatchObject({
      hostname: "127.0.0.1",
      port: String(postgres.port),
      username: "chorus",
      password: "",
      pathname: "/postgres",
    })
    expect(await ask(postgres.url, "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }])
  })

  test("keeps text as UTF-8 and compares it by its bytes, on every machine alike", async () => {
    const [encoding, order] = await Promise.all([
      ask(postgres.url, "show server_encoding"),
      ask(postgres.url, "select string_agg(x, '' order by x) as sorted from unnest(array['b', 'B', 'ä', 'a']) x"),
    ])
    expect([encoding, order]).toEqual([[{ server_encoding: "UTF8" }], [{ sorted: "Babä" }]])
  })

  test("has room for many connections", async () => {
    expect(await ask(postgres.url, "show max_connections")).toEqual([{ max_connections: "200" }])
  })

  test("gives each database a name of its own", async () => {
    const urls = await Promise.all(Array.from({ length: 4 }, () => postgres.database()))
    expect(new Set(urls).size).toBe(4)
    for (const url of urls)
      expect(await ask(url, "select current_database() as name")).toEqual([{ name: new URL(url).pathname.slice(1) }])
  })

  test("stays where it was when it is started again, after whatever ended it", async () => {
    const url = await postgres.database()
    for (const signal of ["SIGTERM", "SIGINT", "SIGQUIT"] as const) {
      await postgres.kill(signal)
      await postgres.restart()
      expect(await ask(url, "select 1 as one"), signal).toEqual([{ one: 1 }])
    }
  })

  test("that was killed may be killed and stopped once more", async () => {
    const other = await startPostgres({ fsync: false })
    await other.kill()
    await other.kill()
    await other.stop()
    await expect(ask(other.url, "select 1")).rejects.toThrow(/ECONNREFUSED/)
  })
})

describe("a PostgreSQL that does not start", () => {
  test("says what the server said, and leaves no folder", async () => {
    const root = temporaryDirectory()
    const folders = () => readdirSync(dirname(root.path)).filter((name) => name.startsWith("pg-"))
    const before = folders()
    await expect(startPostgres({ settings: { shared_buffers: "nonsense" } })).rejects.toThrow(
      /PostgreSQL ended with code 1 while starting:[\s\S]*shared_buffers/,
    )
    expect(folders()).toEqual(before)
    await root.remove()
  })
})
