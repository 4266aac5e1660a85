import { type agents, PERMISSIONS } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"
import { permissionsOf } from "./agent-row.ts"

const w = embeddedWorkspace()

const create = (more: object = {}, by: Actor = w.owner) =>
  w.call<agents.AgentRow>(by, "chorus_create_agent", { name: "New", ...more })
const update = (agentUuid: string, changes: object, by: Actor = w.owner) =>
  w.call<agents.AgentRow>(by, "chorus_update_agent", { agentUuid, ...changes })

describe("an agent", () => {
  it("belongs to who made it, is a developer unless told otherwise, and reaches everything", async () => {
    const events = await w.told(() => create({}, w.member))
    expect(events).toMatchObject([
      {
        kind: "agent.created",
        projectUuid: null,
        patch: { name: "New", ownerUuid: w.member.uuid, presets: ["developer"], projectUuids: null, archivedAt: null },
      },
    ])
  })

  it("may do what its presets say and what was added one by one, and nothing else", async () => {
    expect(new Set((await create({ presets: ["admin"] })).permissions)).toEqual(new Set(PERMISSIONS))
    expect((await create({ presets: [], permissions: ["idea:read"] })).permissions).toEqual(["idea:read"])
    expect((await create({ presets: [] })).permissions).toEqual([])
  })

  it("has no permission that is not known any more", () => {
    expect([...permissionsOf({ presets: "[]", permissions: '["task:read","moon:land"]' })]).toEqual(["task:read"])
  })

  it("is confined to projects of its workspace", async () => {
    expect(await create({ projectUuids: [w.project] })).toMatchObject({ projectUuids: [w.project] })
    await expect(create({ projectUuids: [w.project, w.strangersProject] })).rejects.toMatchObject({ code: "not_found" })
    expect(await create({ projectUuids: null })).toMatchObject({ projectUuids: null })
  })

  it("is changed by its person or who runs the workspace, and told only what changed", async () => {
    const { uuid } = await create({}, w.member)
    const events = await w.told(() => update(uuid, { name: "Renamed", presets: ["developer"] }, w.member))
    expect(events).toMatchObject([{ kind: "agent.updated", patch: { name: "Renamed" } }])
    expect(Object.keys(events[0]?.patch ?? {})).toEqual(["name"])
    expect(await w.kinds(() => update(uuid, { name: "Renamed" }))).toEqual([])
    const mine = await create()
    await expect(update(mine.uuid, { name: "Stolen" }, w.member)).rejects.toMatchObject({
      code: "forbidden",
      message: "New belongs to somebody else.",
    })
  })

  it("is given away by who runs the workspace alone", async () => {
    const { uuid } = await create({}, w.member)
    await expect(update(uuid, { ownerUuid: w.owner.uuid }, w.member)).rejects.toMatchObject({ code: "forbidden" })
    expect(await update(uuid, { ownerUuid: w.owner.uuid })).toMatchObject({ ownerUuid: w.owner.uuid })
    await expect(update(uuid, { ownerUuid: w.stranger.uuid })).rejects.toMatchObject({ code: "not_found" })
  })

  it("goes into the archive and comes back, shown there only to who asks", async () => {
    const { uuid } = await create({ name: "Sleeper" })
    const listed = async (includeArchived: boolean) =>
      (
        await w.call<{ agents: agents.AgentRow[] }>(w.viewer, "chorus_list_agents", { includeArchived, pageSize: 100 })
      ).agents.some((agent) => agent.uuid === uuid)
    await update(uuid, { archived: true })
    expect([await listed(false), await listed(true)]).toEqual([false, true])
    expect(await update(uuid, { archived: false })).toMatchObject({ archivedAt: null })
    expect(await listed(false)).toBe(true)
  })
})

describe("a key", () => {
  const key = (agentUuid: string, more: object = {}, by: Actor = w.owner) =>
    w.call<agents.KeyRow & { key: string }>(by, "chorus_create_key", { agentUuid, ...more })
  const revoke = (keyUuid: string) => w.call<agents.KeyRow>(w.owner, "chorus_revoke_key", { keyUuid })
  const rotate = (keyUuid: string, more: object = {}) =>
    w.call<agents.KeyRow & { key: string }>(w.owner, "chorus_rotate_key", { keyUuid, ...more })
  const keysOf = async (agentUuid: string) =>
    (await w.call<{ keys: agents.KeyRow[] }>(w.owner, "chorus_list_keys", { agentUuid })).keys

  it("is shown once; what is kept and told holds only its beginning", async () => {
    const { uuid } = await create()
    let made = ""
    const events = await w.told(async () => (made = (await key(uuid, { name: "laptop", expiresInDays: 1 })).key))
    expect(made).toMatch(/^cho_[\w-]{43}$/)
    expect(events).toMatchObject([
      { kind: "key.created", patch: { agentUuid: uuid, name: "laptop", prefix: made.slice(0, 10) } },
    ])
    expect(JSON.stringify([events, await keysOf(uuid)])).not.toContain(made)
  })

  it("lives as many days as it was given", async () => {
    const { createdAt, expiresAt } = await key((await create()).uuid, { expiresInDays: 3 })
    expect(Date.parse(expiresAt ?? "") - Date.parse(createdAt)).toBe(3 * 86_400_000)
    expect((await key((await create()).uuid)).expiresAt).toBeNull()
  })

  it("is made for one's own agent", async () => {
    const { uuid } = await create()
    await expect(key(uuid, {}, w.member)).rejects.toMatchObject({ code: "forbidden" })
  })

  it("is revoked once, told once", async () => {
    const { uuid } = await key((await create()).uuid)
    const first = await revoke(uuid)
    expect(first.revokedAt).not.toBeNull()
    expect(await w.kinds(() => revoke(uuid))).toEqual([])
    expect(await revoke(uuid)).toEqual(first)
  })

  it("of another workspace does not exist, and its agent is not named either", async () => {
    const { uuid } = await key((await create()).uuid)
    const unknown = "00000000-0000-4000-8000-000000000000"
    for (const name of ["chorus_revoke_key", "chorus_rotate_key"]) {
      for (const keyUuid of [uuid, unknown]) {
        await expect(w.call(w.stranger, name, { keyUuid })).rejects.toMatchObject({
          code: "not_found",
          message: `There is no key ${keyUuid} that you can see.`,
        })
      }
    }
  })

  it("is replaced by one of the same name and life, the old one ending at once", async () => {
    const old = await key((await create()).uuid, { name: "ci", expiresInDays: 10 })
    const events = await w.told(() => rotate(old.uuid))
    expect(events.map(({ kind }) => kind)).toEqual(["key.revoked", "key.created"])
    const [next, before] = await keysOf(old.agentUuid)
    expect(before).toMatchObject({ uuid: old.uuid, revokedAt: expect.any(String) })
    expect(next).toMatchObject({ name: "ci", revokedAt: null })
    expect(Date.parse(next?.expiresAt ?? "") - Date.parse(next?.createdAt ?? "")).toBe(10 * 86_400_000)
  })

  it("may go on for a while after it was replaced, but never longer than it would have", async () => {
    const [long, short] = [await key((await create()).uuid), await key((await create()).uuid, { expiresInDays: 1 })]
    await rotate(long.uuid, { graceMinutes: 30 })
    await rotate(short.uuid, { graceMinutes: 7 * 24 * 60 })
    expect((await keysOf(long.agentUuid)).at(-1)).toMatchObject({
      uuid: long.uuid,
      revokedAt: null,
      expiresAt: expect.any(String),
    })
    expect((await keysOf(short.agentUuid)).at(-1)).toMatchObject({ uuid: short.uuid, expiresAt: short.expiresAt })
  })

  it("that has ended cannot be replaced", async () => {
    const [revoked, expired] = [
      await key((await create()).uuid),
      await key((await create()).uuid, { expiresInDays: 1 }),
    ]
    await revoke(revoked.uuid)
    w.clock.advance(2 * 86_400_000)
    for (const { uuid } of [revoked, expired])
      await expect(rotate(uuid)).rejects.toMatchObject({
        code: "key_ended",
        status: 409,
        next: expect.stringContaining("chorus_create_key"),
      })
  })

  it("is replaced once by two who do it at the same moment", async () => {
    const old = await key((await create()).uuid)
    const answers = await Promise.allSettled([rotate(old.uuid), rotate(old.uuid)])
    expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    expect(await keysOf(old.agentUuid)).toHaveLength(2)
  })
})
