import { randomUUID } from "node:crypto"
import type { Role } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { arrive } from "./arrival.ts"
import { identify, personStillSignedIn } from "./authenticate.ts"
import { assertSafeToExpose } from "./exposure.ts"
import { addSignInLink, linkHolder, signInPath, useUpLink } from "./link.ts"
import { endSignIns, openSignIn, rotateSignIn } from "./sign-ins.ts"
import { tokenHash } from "./token.ts"

const w = embeddedWorkspace()
const at = (minutes: number) => new Date(Date.parse("2026-03-02T09:00:00Z") + minutes * 60_000).toISOString()
const DAY = 24 * 60

const byKey = (key: string, now = at(0)) =>
  identify(w.store.db, { authorization: `Bearer ${key}`, signInToken: undefined }, now)
const byCookie = (signInToken: string, now = at(0)) =>
  identify(w.store.db, { authorization: undefined, signInToken }, now)
const newKey = async (agentUuid: string, more: object = {}) =>
  await w.call<{ key: string; uuid: string }>(w.owner, "chorus_create_key", { agentUuid, ...more })
const signIn = (userUuid: string, now = at(0)) => w.store.write(({ db }) => openSignIn(db, userUuid, "Firefox", now))

async function newPerson(role: Role = "member"): Promise<string> {
  const { member } = await w.call<{ member: { uuid: string } }>(w.owner, "chorus_invite_member", {
    name: "Someone",
    role,
    email: `${randomUUID()}@example.test`,
  })
  return member.uuid
}

describe("a caller with a key", () => {
  it("is the agent it was made for, with what that may do and reach", async () => {
    const agent = await w.agent("Keyed", { presets: ["pm"], projectUuids: [w.project] })
    const { key, uuid } = await newKey(agent.uuid)
    const identity = await byKey(key)
    expect(identity).toMatchObject({
      key: { uuid, agentUuid: agent.uuid, lastUsedAt: null },
      actor: {
        type: "agent",
        uuid: agent.uuid,
        name: "Keyed",
        role: null,
        ownerUuid: w.owner.uuid,
        workspaceUuid: w.workspaceUuid,
      },
    })
    expect(identity?.actor.projectUuids).toEqual(new Set([w.project]))
    expect(identity?.actor.permissions).toEqual(agent.permissions)
  })

  it.each([
    "",
    "cho_short",
    "Basic b2s6b2s=",
    `Bearer ${"x".repeat(47)}`,
    `Bearer cho_${"x".repeat(44)}`,
    `Bearer  cho_${"!".repeat(43)}`,
  ])("is refused for %j, which is none", async (authorization) => {
    await expect(identify(w.store.db, { authorization, signInToken: undefined }, at(0))).rejects.toMatchObject({
      code: "key_malformed",
      status: 401,
    })
  })

  it("is refused by name when the key is unknown, revoked, expired, or its agent or person is gone", async () => {
    await expect(byKey(`cho_${"x".repeat(43)}`)).rejects.toMatchObject({ code: "key_unknown" })
    const agent = await w.agent("Refused")
    const revoked = await newKey(agent.uuid)
    await w.call(w.owner, "chorus_revoke_key", { keyUuid: revoked.uuid })
    await expect(byKey(revoked.key)).rejects.toMatchObject({ code: "key_revoked" })
    const expiring = await newKey(agent.uuid, { expiresInDays: 1 })
    expect(await byKey(expiring.key)).toBeDefined()
    await expect(byKey(expiring.key, at(2 * DAY))).rejects.toMatchObject({
      code: "key_expired",
      next: expect.stringContaining("chorus agent key"),
    })
    const { key } = await newKey(agent.uuid)
    await w.call(w.owner, "chorus_update_agent", { agentUuid: agent.uuid, archived: true })
    await expect(byKey(key)).rejects.toMatchObject({
      code: "agent_archived",
      message: "The agent Refused is archived.",
    })
  })

  it("never may more than its person: a viewer's agent only reads, a disabled person's nothing", async () => {
    const person = await newPerson()
    const agent = await w.agent("Bound", { presets: ["admin"] })
    await w.call(w.owner, "chorus_update_agent", { agentUuid: agent.uuid, ownerUuid: person })
    const { key } = await newKey(agent.uuid)
    expect((await byKey(key))?.actor.permissions.has("task:admin")).toBe(true)
    await w.call(w.owner, "chorus_update_member", { userUuid: person, role: "viewer" })
    const permissions = [...((await byKey(key))?.actor.permissions ?? [])]
    expect(permissions).toContain("task:read")
    expect(permissions.filter((permission) => !permission.endsWith(":read"))).toEqual([])
    await w.call(w.owner, "chorus_update_member", { userUuid: person, disabled: true })
    await expect(byKey(key)).rejects.toMatchObject({ code: "owner_disabled" })
  })

  it("counts by the key although it also brings a cookie", async () => {
    const { key } = await newKey((await w.agent("Both")).uuid)
    const identity = await identify(
      w.store.db,
      { authorization: `bearer ${key}`, signInToken: await signIn(w.member.uuid) },
      at(0),
    )
    expect(identity?.actor.name).toBe("Both")
  })
})

describe("a caller with a cookie", () => {
  it("is the person who signed in, for thirty days", async () => {
    const token = await signIn(w.member.uuid)
    expect(await byCookie(token)).toMatchObject({
      actor: { type: "user", uuid: w.member.uuid, role: "member", projectUuids: null },
      signIn: { isCurrent: true, hash: tokenHash(token) },
    })
    expect(await byCookie(token, at(30 * DAY - 1))).toBeDefined()
    expect(await byCookie(token, at(30 * DAY))).toBeUndefined()
  })

  it("is nobody when the cookie is unknown, ended, or its person disabled", async () => {
    const person = await newPerson()
    const token = await signIn(person)
    expect(await byCookie("rubbish")).toBeUndefined()
    expect(await byCookie("")).toBeUndefined()
    await w.call(w.owner, "chorus_update_member", { userUuid: person, disabled: true })
    expect(await byCookie(token)).toBeUndefined()
  })

  it("without anything is nobody", async () => {
    expect(await identify(w.store.db, { authorization: undefined, signInToken: undefined }, at(0))).toBeUndefined()
  })
})

describe("a sign-in", () => {
  const presented = async (token: string, now = at(0)) => {
    const signedIn = (await byCookie(token, now))?.signIn
    if (signedIn === undefined) throw new Error("not signed in")
    return signedIn
  }

  it("replaces its token; the old one goes on for requests under way only", async () => {
    const old = await signIn(w.member.uuid)
    const before = await presented(old)
    const next = (await w.store.write(({ db }) => rotateSignIn(db, before, at(61)))) ?? ""
    expect(await presented(next, at(61))).toMatchObject({ uuid: before.uuid, isCurrent: true })
    expect(await presented(old, at(61.5))).toMatchObject({ uuid: before.uuid, isCurrent: false })
    await w.store.write(({ db }) =>
      db
        .updateTable("signIns")
        .set({ lastUsedAt: at(62) })
        .where("uuid", "=", before.uuid)
        .execute(),
    )
    expect(await byCookie(old, at(63))).toBeUndefined()
    expect(await byCookie(next, at(61 + 30 * DAY - 1))).toBeDefined()
  })

  it("gives one new token to many requests at once", async () => {
    const before = await presented(await signIn(w.member.uuid))
    const tokens = await Promise.all(
      Array.from({ length: 5 }, () => w.store.write(({ db }) => rotateSignIn(db, before, at(61)))),
    )
    expect(tokens.filter((token) => token !== undefined)).toHaveLength(1)
  })

  it("that ended gets no new token and holds no longer", async () => {
    const person = await newPerson()
    const signedIn = await presented(await signIn(person))
    expect(await personStillSignedIn(w.store.db, signedIn.uuid, at(1))).toBe(true)
    expect(await w.store.write(({ db }) => endSignIns(db, person, at(2)))).toBe(1)
    expect(await w.store.write(({ db }) => rotateSignIn(db, signedIn, at(61)))).toBeUndefined()
    expect(await personStillSignedIn(w.store.db, signedIn.uuid, at(3))).toBe(false)
  })

  it("keeps so much of what the browser says it is, and sweeps out what has expired", async () => {
    const person = await newPerson()
    await signIn(person)
    await w.store.write(({ db }) => openSignIn(db, person, "x".repeat(1000), at(31 * DAY)))
    const rows = await w.store.db.selectFrom("signIns").select("userAgent").where("userUuid", "=", person).execute()
    expect(rows).toEqual([{ userAgent: "x".repeat(256) }])
  })

  it("in the same browser ends the one before, and is written into the log", async () => {
    const person = await newPerson()
    const first = await presented(await signIn(person))
    const events = await w.told(() =>
      w.store.write((unit) =>
        arrive(w.store, unit, {
          userUuid: person,
          userAgent: undefined,
          replaces: first.uuid,
          now: at(1),
          requestId: "r1",
        }),
      ),
    )
    expect(events).toMatchObject([
      { kind: "member.signed_in", entityUuid: person, actor: { type: "user", uuid: person } },
    ])
    expect(await personStillSignedIn(w.store.db, first.uuid, at(1))).toBe(false)
  })

  it("of who is disabled is refused", async () => {
    const person = await newPerson()
    await w.call(w.owner, "chorus_update_member", { userUuid: person, disabled: true })
    const arrival = w.store.write((unit) =>
      arrive(w.store, unit, {
        userUuid: person,
        userAgent: undefined,
        replaces: undefined,
        now: at(1),
        requestId: "r",
      }),
    )
    await expect(arrival).rejects.toMatchObject({ code: "person_disabled", status: 403 })
  })
})

describe("a one-time link", () => {
  const make = (lifeMs?: number) => w.store.write(({ db }) => addSignInLink(db, w.member.uuid, at(0), lifeMs))
  const redeem = (token: string, now = at(1)) =>
    w.store.write(async ({ db }) => {
      const holder = await linkHolder(db, token, now)
      await useUpLink(db, token, now)
      return holder
    })

  it("signs in once, of however many who try at once", async () => {
    const { token } = await make()
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => redeem(token)))
    expect(answers.filter(({ status }) => status === "fulfilled")).toMatchObject([{ value: w.member.uuid }])
    for (const answer of answers)
      if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "link_used", status: 410 })
  })

  it("dies after fifteen minutes or as long as it was given; a strange one was never alive", async () => {
    const short = await make()
    expect(short.expiresAt).toBe(at(15))
    await expect(redeem(short.token, at(15))).rejects.toMatchObject({
      code: "link_expired",
      status: 410,
      next: expect.stringContaining("chorus signin"),
    })
    const long = await make(3_600_000)
    expect(await redeem(long.token, at(59))).toBe(w.member.uuid)
    await expect(redeem("strange")).rejects.toMatchObject({ code: "link_unknown", status: 401 })
  })

  it("is kept only as a hash, and shown where browsers tell it nobody", async () => {
    const { token } = await make()
    expect(JSON.stringify(await w.store.db.selectFrom("signInLinks").selectAll().execute())).not.toContain(token)
    expect(signInPath(token)).toBe(`/sign-in#${token}`)
  })
})

describe("listening beyond this machine", () => {
  it("is refused while nobody could prove who they are", async () => {
    const expose = (host: string, oidc = false) => assertSafeToExpose(w.store.db, host, oidc)
    await expect(expose("0.0.0.0")).rejects.toMatchObject({
      code: "insecure_bind",
      details: { host: "0.0.0.0" },
      next: expect.stringContaining("CHORUS_OIDC_ISSUER"),
    })
    await expose("127.0.0.1")
    await expose("0.0.0.0", true)
    await w.store.write(({ db }) =>
      db.updateTable("users").set({ passwordHash: "x" }).where("uuid", "=", w.member.uuid).execute(),
    )
    await expose("0.0.0.0")
    await w.call(w.owner, "chorus_update_member", { userUuid: w.member.uuid, disabled: true })
    await expect(expose("0.0.0.0")).rejects.toMatchObject({ code: "insecure_bind" })
  })
})
