import { join } from "node:path"
import { openSqliteStore, type Store } from "@chorus/store"
import { temporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ensureOwner } from "../bootstrap.ts"
import { LastUse } from "./last-use.ts"
import { openSignIn } from "./sign-ins.ts"

const at = (seconds: number) => new Date(Date.parse("2026-03-02T09:00:00Z") + seconds * 1000).toISOString()
const directory = temporaryDirectory()
let store: Store
let writes = 0

beforeAll(async () => {
  const opened = await openSqliteStore(join(directory.path, "chorus.sqlite"))
  store = {
    ...opened,
    write: (work) => {
      writes++
      return opened.write(work)
    },
  }
  const { workspaceUuid, userUuid } = await ensureOwner(store, new Date(at(-1000)))
  await store.write(async ({ db }) => {
    await db
      .insertInto("agents")
      .values({
        uuid: "a",
        workspaceUuid,
        ownerUuid: userUuid,
        name: "A",
        persona: null,
        systemPrompt: null,
        presets: "[]",
        permissions: "[]",
        projectUuids: null,
        lastActiveAt: null,
        createdAt: at(0),
        archivedAt: null,
      })
      .execute()
    for (const uuid of ["k1", "k2"])
      await db
        .insertInto("apiKeys")
        .values({
          uuid,
          agentUuid: "a",
          name: "k",
          prefix: "cho_",
          hash: uuid,
          createdAt: at(0),
          expiresAt: null,
          lastUsedAt: null,
          revokedAt: null,
        })
        .execute()
    await openSignIn(db, userUuid, "test", at(0))
  })
})
afterAll(async () => {
  await store.close()
  await directory.remove()
})

const key = (uuid: string) =>
  store.db
    .selectFrom("apiKeys")
    .select(["uuid", "agentUuid", "lastUsedAt"])
    .where("uuid", "=", uuid)
    .executeTakeFirstOrThrow()
const signIn = () =>
  store.db.selectFrom("signIns").select(["uuid", "rotatedAt", "lastUsedAt"]).executeTakeFirstOrThrow()

const unexpected = (error: unknown) => expect.unreachable(String(error))

describe("LastUse", () => {
  it("gathers many uses of many keys into one write", async () => {
    const lastUse = new LastUse(store, unexpected)
    const before = writes
    for (let n = 0; n < 100; n++) lastUse.key(await key(n % 2 === 0 ? "k1" : "k2"), at(n / 10))
    await lastUse.flush()
    expect(writes - before).toBe(1)
    expect((await key("k1")).lastUsedAt).toBe(at(9.9))
    expect((await key("k2")).lastUsedAt).toBe(at(9.9))
    const agent = await store.db.selectFrom("agents").select("lastActiveAt").executeTakeFirstOrThrow()
    expect(agent.lastActiveAt).toBe(at(9.9))
  })

  it("writes at most once a minute for a key", async () => {
    const lastUse = new LastUse(store, unexpected)
    const before = writes
    lastUse.key(await key("k1"), at(69))
    await lastUse.flush()
    expect(writes - before).toBe(0)
    lastUse.key(await key("k1"), at(70))
    await lastUse.flush()
    expect(writes - before).toBe(1)
  })

  it("always keeps the first use of a new token, and never that of a replaced one", async () => {
    const lastUse = new LastUse(store, unexpected)
    await store.write(({ db }) =>
      db
        .updateTable("signIns")
        .set({ rotatedAt: at(10) })
        .execute(),
    )
    lastUse.signIn({ ...(await signIn()), isCurrent: false }, at(11))
    await lastUse.flush()
    expect((await signIn()).lastUsedAt).toBe(at(0))
    lastUse.signIn({ ...(await signIn()), isCurrent: true }, at(12))
    lastUse.key(await key("k2"), at(500))
    await lastUse.flush()
    expect((await signIn()).lastUsedAt).toBe(at(12))
  })

  it("outlives a store that fails", async () => {
    const faults: unknown[] = []
    const lastUse = new LastUse({ ...store, write: () => Promise.reject(new Error("away")) }, (error) =>
      faults.push(error),
    )
    lastUse.key(await key("k2"), at(1000))
    await lastUse.flush()
    expect(faults).toHaveLength(1)
    await lastUse.flush()
    expect(faults).toHaveLength(1)
  })
})
