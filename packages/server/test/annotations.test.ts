import { sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Stage } from "./contract-stage.ts"
import { SCENES } from "./contract-story.ts"

type Hints = Partial<Record<"readOnlyHint" | "destructiveHint" | "idempotentHint", boolean | undefined>> & {
  title?: string | undefined
}

let stage: Stage
let hints: Map<string, Hints>
beforeAll(async () => {
  stage = await openStage()
  const { tools } = await stage.roles.admin.client.listTools()
  hints = new Map(tools.map(({ name, annotations }) => [name, annotations ?? {}]))
})
afterAll(() => stage.close())

it("stand on every tool, whole", () => {
  for (const [name, given] of hints) {
    const { title, readOnlyHint, destructiveHint, idempotentHint } = given
    expect(
      [title, readOnlyHint, destructiveHint, idempotentHint].map((each) => typeof each),
      name,
    ).toEqual(["string", "boolean", "boolean", "boolean"])
    expect(title, name).toMatch(/^[A-Z][a-z ]+$/)
    expect([readOnlyHint, destructiveHint], name).not.toEqual([true, true])
  }
  expect(new Set([...hints.values()].map(({ title }) => title)).size).toBe(hints.size)
})

describe("what is said of a tool is so", () => {
  it.each(Object.keys(SCENES))("%s", async (name) => {
    const { readOnlyHint, destructiveHint, idempotentHint } = hints.get(name) ?? {}
    const role = stage.roles.admin
    const input = (await SCENES[name]?.(stage, role)) ?? {}
    const before = await everything()
    const first = await role.call(name, input)
    expect(first.isError, JSON.stringify(first.body)).toBe(false)
    const after = await everything()
    const lost = [...before].flatMap(([table, rows]) => (rows.length > (after.get(table)?.length ?? 0) ? [table] : []))
    if (readOnlyHint === true) expect(after).toEqual(before)
    expect(lost.length > 0, `rows gone from ${lost.join()}`).toBe(destructiveHint === true)
    if (idempotentHint !== true) return
    await role.call(name, input)
    expect(await everything()).toEqual(after)
  })
})

/** When a key or a session was last used is no change that a caller asked for, and who was told follows from what was done. */
const BESIDE = /^(apiKeys|agents|sessions|receipts|searchEntries|searchText.*|sqlite_.*|workspaces)$/

/** Every row of every table. */
async function everything(): Promise<Map<string, string[]>> {
  const { db } = stage.server.store
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table' order by name`.execute(
    db,
  )
  const rows = new Map<string, string[]>()
  for (const { name } of tables.rows.filter((table) => !BESIDE.test(table.name))) {
    const found = await sql<object>`select * from ${sql.table(name)}`.execute(db)
    rows.set(name, found.rows.map((row) => JSON.stringify(row)).sort())
  }
  return rows
}
