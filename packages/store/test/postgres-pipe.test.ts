import { sharedDatabase } from "@chorus/testing/shared-database"
import { Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { PostgresPipe } from "../src/postgres-pipe.ts"

let pool: Pool
beforeAll(async () => {
  pool = new Pool({ connectionString: await sharedDatabase(), max: 1, pipeline: true })
  await pool.query("create table counted (n int primary key, said text, bytes bytea)")
})
afterAll(() => pool.end())

describe("a connection that sends what is asked together", () => {
  it("answers each statement by itself, in one packet, also without being told its columns again", async () => {
    await using pipe = await piped()
    for (const n of [1, 2]) {
      const asked = [
        pipe.ask("insert into counted values ($1, $2, $3)", [n, null, Buffer.from([0, n])]),
        pipe.ask("select n, said, bytes from counted where n = $1", [n]),
        pipe.ask("delete from counted", []),
      ]
      expect(await Promise.all(asked)).toEqual([
        { command: "INSERT", rowCount: 1, rows: [] },
        { command: "SELECT", rowCount: 1, rows: [{ n, said: null, bytes: Buffer.from([0, n]) }] },
        { command: "DELETE", rowCount: 1, rows: [] },
      ])
    }
    expect(pipe.packets()).toBe(2)
  })

  it("keeps what came before a failure, tells of it whoever came after, and keeps no statement in doubt", async () => {
    await using pipe = await piped()
    for (const n of [0, 0, 1]) {
      const [before, failing, after] = await Promise.allSettled([
        pipe.ask("select $1::int as n", [n]),
        pipe.ask("select 1 / $1::int as part", [n]),
        pipe.ask("select $1::text as word", ["said"]),
      ])
      expect(before).toMatchObject({ value: { rows: [{ n }] } })
      expect(failing).toMatchObject(n === 0 ? { reason: { code: "22012" } } : { value: { rows: [{ part: 1 }] } })
      expect(after).toMatchObject(n === 0 ? { reason: { code: "22012" } } : { value: { rows: [{ word: "said" }] } })
    }
    const { rows } = await pipe.ask("select count(*)::int as kept from pg_prepared_statements", [])
    expect(rows).toEqual([{ kept: 4 }])
  })

  it("can be asked again before the first answer is there", async () => {
    await using pipe = await piped()
    const first = pipe.ask("select pg_sleep(0.05)::text as slept, $1::int as n", [1])
    await new Promise(setImmediate)
    const second = pipe.ask("select pg_sleep(0.05)::text as slept, $1::int as n", [2])
    expect((await Promise.all([first, second])).map(({ rows }) => rows[0]?.["n"])).toEqual([1, 2])
  })

  it("tells everybody who waits when it breaks", async () => {
    await using pipe = await piped()
    const asked = [pipe.ask("select pg_terminate_backend(pg_backend_pid())", []), pipe.ask("select 1", [])]
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"])
    await expect(pipe.ask("select 1", [])).rejects.toThrow(/not queryable|terminat|ECONNRESET/)
  })
})

async function piped() {
  const client = await pool.connect()
  client.on("error", () => undefined)
  const { stream } = client.connection
  const uncorked = vi.spyOn(stream, "uncork")
  const pipe = new PostgresPipe(client)
  return {
    ask: pipe.ask.bind(pipe),
    packets: () => uncorked.mock.calls.length,
    [Symbol.asyncDispose]: async () => client.release(true),
  }
}
