import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { openSqliteStore, SCHEMA_VERSION } from "@chorus/store"
import { temporaryDirectory } from "@chorus/testing"
import { sql } from "kysely"
import { expect, it } from "vitest"

const UPGRADE = join(import.meta.dirname, "upgrade.ts")

it("an upgrade killed half-way leaves the old schema, and the next start goes through with a copy of what was before", async () => {
  await using directory = temporaryDirectory("chorus-upgrade-")
  const path = join(directory.path, "chorus.sqlite")
  for (const way of ["make an old store", "upgrade and hang half-way"]) {
    const child = spawn(process.execPath, [UPGRADE, path, way], { stdio: ["ignore", "pipe", "inherit"] })
    await once(child.stdout, "data")
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  const store = await openSqliteStore(path)
  const { rows } = await sql<{ id: number }>`select max(id) as id from migrations`.execute(store.db)
  expect(rows[0]?.id).toBe(SCHEMA_VERSION)
  const half = await sql`select name from sqlite_master where name = 'half'`.execute(store.db)
  expect(half.rows).toEqual([])
  await store.close()
  expect(readdirSync(directory.path).filter((name) => name.startsWith("before-schema-"))).toHaveLength(1)
})
