import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Store } from "@chorus/store"
import { openMemoryStore } from "../test/workspace-fixture.ts"
import { ensureOwner, makeSignInToken, signInLink } from "./bootstrap.ts"
import { holdDirectory, runningServer } from "./data-directory.ts"
import { ownerActor } from "./local-credential.ts"
import { linkHolder, useUpLink } from "./sign-in/link.ts"
import { openSignIn } from "./sign-in/sign-ins.ts"

const NOW = new Date("2026-03-02T09:00:00.000Z")

describe("the first start", () => {
  let store: Store
  beforeEach(async () => {
    store = await openMemoryStore()
  })
  afterEach(() => store.close())
  const count = async (table: "workspaces" | "users") =>
    (await store.db.selectFrom(table).select("uuid").execute()).length

  it("makes the workspace and its owner, which is the first line of the log", async () => {
    const { workspaceUuid, userUuid, first } = await ensureOwner(store, NOW)
    expect(first).toBe(true)
    expect(await store.db.selectFrom("users").select(["uuid", "role", "workspaceUuid"]).execute()).toEqual([
      { uuid: userUuid, role: "owner", workspaceUuid },
    ])
    expect(await store.db.selectFrom("events").select(["id", "kind", "actorType", "at"]).execute()).toEqual([
      { id: 1, kind: "workspace.created", actorType: "system", at: NOW.toISOString() },
    ])
  })

  it("happens once, also when several servers start at the same moment", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => ensureOwner(store, NOW)))
    expect(new Set(all.map(({ workspaceUuid, userUuid }) => `${workspaceUuid} ${userUuid}`)).size).toBe(1)
    expect([await count("workspaces"), await count("users")]).toEqual([1, 1])
  })

  it("is the first until somebody has signed in", async () => {
    const { userUuid } = await ensureOwner(store, NOW)
    expect((await ensureOwner(store, NOW)).first).toBe(true)
    await store.write(({ db }) => openSignIn(db, userUuid, undefined, NOW.toISOString()))
    expect((await ensureOwner(store, NOW)).first).toBe(false)
  })

  it("leaves out an owner who is disabled", async () => {
    const { userUuid, workspaceUuid } = await ensureOwner(store, NOW)
    await store.write(async ({ db }) => {
      await db.updateTable("users").set({ disabledAt: NOW.toISOString() }).where("uuid", "=", userUuid).execute()
      await db
        .insertInto("users")
        .values({
          uuid: "second",
          workspaceUuid,
          name: "Second",
          email: null,
          role: "owner",
          passwordHash: null,
          oidcSubject: null,
          createdAt: NOW.toISOString(),
          disabledAt: null,
        })
        .execute()
    })
    expect(await ensureOwner(store, NOW)).toMatchObject({ userUuid: "second", workspaceUuid })
    expect(await ownerActor(store, NOW)).toMatchObject({
      type: "user",
      uuid: "second",
      role: "owner",
      projectUuids: null,
    })
  })

  it("gives a link whose token stands where no log sees it, and signs its owner in once", async () => {
    const { userUuid } = await ensureOwner(store, NOW)
    const token = await makeSignInToken(store, userUuid, NOW)
    expect(signInLink("http://127.0.0.1:8637", token)).toBe(`http://127.0.0.1:8637/sign-in#${token}`)
    expect(await linkHolder(store.db, token, NOW.toISOString())).toBe(userUuid)
    await store.write(({ db }) => useUpLink(db, token, NOW.toISOString()))
    await expect(linkHolder(store.db, token, NOW.toISOString())).rejects.toMatchObject({
      code: "link_used",
    })
  })
})

describe("a data directory", () => {
  const server = {
    pid: 7,
    url: "http://127.0.0.1:1",
    startedAt: NOW.toISOString(),
    engine: "sqlite" as const,
    token: "chl_x",
  }

  it("is made for its owner alone, and holds who runs on it until that ends", async () => {
    await using home = temporaryDirectory()
    const directory = join(home.path, "new", "data")
    const held = holdDirectory(directory)
    expect(statSync(directory).mode & 0o077).toBe(0)
    expect(runningServer(directory)).toMatchObject({ pid: process.pid, url: "" })
    held.announce(server)
    expect(runningServer(directory)).toEqual(server)
    expect(statSync(join(directory, "server.json")).mode & 0o777).toBe(0o600)
    held.release()
    expect(runningServer(directory)).toBeUndefined()
  })

  it("is not taken twice; the second is told by whom", async () => {
    await using home = temporaryDirectory()
    const held = holdDirectory(home.path)
    held.announce(server)
    expect(() => holdDirectory(home.path)).toThrow(
      expect.objectContaining({
        code: "data_in_use",
        message: `Process 7 (http://127.0.0.1:1) already runs Chorus on ${home.path}.`,
        details: { pid: 7, url: server.url, startedAt: server.startedAt },
      }),
    )
    expect(readFileSync(join(home.path, "server.json"), "utf8")).toBe(JSON.stringify(server))
    held.release()
    holdDirectory(home.path).release()
  })

  it("whose note cannot be read counts as nobody's", async () => {
    await using home = temporaryDirectory()
    expect(runningServer(home.path)).toBeUndefined()
    writeFileSync(join(home.path, "server.json"), "{half")
    expect(runningServer(home.path)).toBeUndefined()
    const held = holdDirectory(home.path)
    held.release()
    expect(existsSync(join(home.path, "server.json"))).toBe(false)
  })
})
