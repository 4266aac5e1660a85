import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type ChorusServer, startServer } from "../src/index.ts"
import { Browser } from "./browser.ts"

interface Key {
  uuid: string
  agentUuid: string
  key: string
  name: string
  lastUsedAt: string | null
}

describe.each(["sqlite", "postgres"] as const)("API keys on %s", (engine) => {
  const directory = temporaryDirectory()
  let chorus: ChorusServer
  let owner: Browser

  beforeAll(async () => {
    chorus = await startServer({
      dataDirectory: directory.path,
      port: 0,
      database: engine === "postgres" ? await sharedDatabase() : undefined,
    })
    owner = new Browser(chorus)
    await owner.open(chorus.firstSignIn ?? "")
  })
  afterAll(async () => {
    await chorus.close()
    await directory.remove()
  })
  afterEach(async () => {
    expect((await new Browser(chorus).get("/api/health")).status).toBe(200)
  })

  async function newKey(input: object = {}, by = owner): Promise<Key> {
    const agent = await by.call("chorus_create_agent", { name: "Agent", presets: ["pm"] })
    return (await by.call("chorus_create_key", { agentUuid: agent.body["uuid"], ...input })).body as unknown as Key
  }

  const use = (key: string) => new Browser(chorus).get("/api/v1/chorus_whoami", { authorization: `Bearer ${key}` })
  const stored = (uuid: string) =>
    chorus.store.db.selectFrom("apiKeys").selectAll().where("uuid", "=", uuid).executeTakeFirstOrThrow()

  it("are 32 random bytes of which only the hash is kept", async () => {
    const { key, uuid } = await newKey()
    expect(key).toMatch(/^cho_[\w-]{43}$/)
    const everything = JSON.stringify([
      await stored(uuid),
      await chorus.store.db.selectFrom("events").selectAll().execute(),
    ])
    expect(everything).not.toContain(key)
    expect((await use(key)).body).toMatchObject({ type: "agent", name: "Agent" })
  })

  it.each(["Bearer cho_nope", "Bearer ", "Basic b3duZXI6", `Bearer cho_${"x".repeat(43)}`, "cho_", "Bearer chl_x"])(
    "refuse %j",
    async (authorization) => {
      const answer = await new Browser(chorus).get("/api/v1/chorus_whoami", { authorization })
      expect(answer.status).toBe(401)
      expect(answer.headers.get("www-authenticate")).toContain("Bearer")
      expect(["key_malformed", "key_unknown"]).toContain(answer.code)
    },
  )

  it.each([
    ["revoked", async ({ uuid }: Key) => owner.call("chorus_revoke_key", { keyUuid: uuid })],
    ["narrowed", async ({ agentUuid }: Key) => owner.call("chorus_update_agent", { agentUuid, projectUuids: [] })],
    ["archived", async ({ agentUuid }: Key) => owner.call("chorus_update_agent", { agentUuid, archived: true })],
  ])("when %s, end the streams that they opened within a second", async (_, change) => {
    const made = await newKey()
    const streams = await Promise.all(["events", "events/notifications"].map((path) => open(path, made.key)))
    const changed = await change(made)
    expect(changed.status).toBe(200)
    const since = Date.now()
    await Promise.all(streams.map((stream) => stream.ended))
    expect(Date.now() - since).toBeLessThan(1000)
  })

  async function open(path: string, key: string) {
    const answer = await fetch(`${chorus.url}/api/${path}`, { headers: { authorization: `Bearer ${key}` } })
    const reader = answer.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(": connected")
    const toItsEnd = async () => {
      while ((await reader?.read())?.done === false);
    }
    return { ended: toItsEnd() }
  }

  it("stop working when they expire", async () => {
    const { key, uuid } = await newKey({ expiresInDays: 1 })
    expect((await use(key)).status).toBe(200)
    await chorus.store.write(({ db }) =>
      db
        .updateTable("apiKeys")
        .set({ expiresAt: new Date(Date.now() - 1).toISOString() })
        .where("uuid", "=", uuid)
        .execute(),
    )
    expect(await use(key)).toMatchObject({ status: 401, code: "key_expired" })
  })

  it("stop working at once when revoked", async () => {
    const { key, uuid } = await newKey()
    await owner.call("chorus_revoke_key", { keyUuid: uuid })
    expect(await use(key)).toMatchObject({ status: 401, code: "key_revoked" })
  })

  it("stop working when the agent is archived or its person disabled", async () => {
    const { key, agentUuid } = await newKey()
    await owner.call("chorus_update_agent", { agentUuid, archived: true })
    expect(await use(key)).toMatchObject({ status: 401, code: "agent_archived" })

    const { body } = await owner.call("chorus_invite_member", { name: "Mia" })
    const mia = new Browser(chorus)
    await mia.open(String(body["signInPath"]))
    const hers = await newKey({}, mia)
    expect((await use(hers.key)).status).toBe(200)
    await owner.call("chorus_update_member", { userUuid: (body["member"] as Key).uuid, disabled: true })
    expect(await use(hers.key)).toMatchObject({ status: 401, code: "owner_disabled" })
    expect((await mia.call("chorus_get_me")).status).toBe(401)
  })

  it("never do more than the person to whom the agent belongs", async () => {
    const { body } = await owner.call("chorus_invite_member", { name: "Vic" })
    const vic = new Browser(chorus)
    await vic.open(String(body["signInPath"]))
    const { key } = await newKey({}, vic)
    expect((await use(key)).body["permissions"]).toContain("project:write")
    await owner.call("chorus_update_member", { userUuid: (body["member"] as Key).uuid, role: "viewer" })
    const permissions = (await use(key)).body["permissions"] as string[]
    expect(permissions).toHaveLength(5)
    expect(permissions.every((permission) => permission.endsWith(":read"))).toBe(true)
  })

  it("are replaced, at once or with time to change over", async () => {
    const old = await newKey({ name: "laptop", expiresInDays: 30 })
    const next = (await owner.call("chorus_rotate_key", { keyUuid: old.uuid, graceMinutes: 10 })).body as unknown as Key
    expect(next).toMatchObject({ name: "laptop", agentUuid: old.agentUuid })
    expect([(await use(old.key)).status, (await use(next.key)).status]).toEqual([200, 200])
    const ends = Date.parse((await stored(old.uuid)).expiresAt ?? "") - Date.now()
    expect(ends).toBeGreaterThan(9 * 60_000)
    expect(ends).toBeLessThanOrEqual(10 * 60_000)

    const last = (await owner.call("chorus_rotate_key", { keyUuid: next.uuid })).body as unknown as Key
    expect(await use(next.key)).toMatchObject({ status: 401, code: "key_revoked" })
    expect((await use(last.key)).status).toBe(200)
    expect(await owner.call("chorus_rotate_key", { keyUuid: next.uuid })).toMatchObject({
      status: 409,
      code: "key_ended",
    })
    const races = await Promise.all(
      Array.from({ length: 5 }, () => owner.call("chorus_rotate_key", { keyUuid: last.uuid })),
    )
    expect(races.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  })

  it("know when they were last used, after the answer has gone out", async () => {
    const { key, uuid } = await newKey()
    expect((await stored(uuid)).lastUsedAt).toBeNull()
    await use(key)
    await waitFor(async () => (await stored(uuid)).lastUsedAt !== null)
    const first = (await stored(uuid)).lastUsedAt
    await use(key)
    const marker = await newKey()
    await use(marker.key)
    await waitFor(async () => (await stored(marker.uuid)).lastUsedAt !== null)
    expect((await stored(uuid)).lastUsedAt).toBe(first)
  })

  it("tell a connected client when its tools have changed", async () => {
    const { key, agentUuid } = await newKey()
    const changes: string[][] = []
    const client = new Client(
      { name: "test", version: "1" },
      {
        versionNegotiation: { mode: { pin: "2026-07-28" } },
        listChanged: { tools: { onChanged: (_error, tools) => changes.push((tools ?? []).map(({ name }) => name)) } },
      },
    )
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${chorus.url}/api/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
      }),
    )
    await client.listTools()
    await owner.call("chorus_update_agent", { agentUuid, presets: ["developer"] })
    await waitFor(() => changes.length > 0)
    expect(changes[0]).toContain("chorus_list_projects")
    expect(changes[0]).not.toContain("chorus_admin_create_project")
    await client.close()
  })
})
