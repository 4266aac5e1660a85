import { randomUUID } from "node:crypto"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { memberFor, type OidcClaims } from "./oidc-member.ts"
import { type OidcOptions, OidcSettings } from "./oidc-settings.ts"

const w = embeddedWorkspace()

const claims = (more: Partial<OidcClaims> = {}): OidcClaims => ({
  issuer: "https://id.example.test",
  subject: randomUUID(),
  email: `${randomUUID()}@example.test`,
  emailVerified: true,
  name: "Nina",
  ...more,
})
const come = (told: OidcClaims, settings: Partial<OidcOptions> = {}) =>
  w.store.write((unit) =>
    memberFor(w.store, unit, {
      workspaceUuid: w.workspaceUuid,
      claims: told,
      settings: OidcSettings.parse({
        issuer: "https://id.example.test",
        clientId: "chorus",
        domains: ["example.test"],
        ...settings,
      }),
      now: "2026-03-02T10:00:00.000Z",
      requestId: "r1",
      newId: randomUUID,
    }),
  )
const person = (uuid: string) =>
  w.store.db.selectFrom("users").selectAll().where("uuid", "=", uuid).executeTakeFirstOrThrow()
const invite = async (email: string) =>
  (await w.call<{ member: { uuid: string } }>(w.owner, "chorus_invite_member", { name: "Invited", email })).member.uuid

describe("who comes through a provider", () => {
  it("joins by themselves where their domain may, with the role that was set, and is told", async () => {
    const told = claims({ email: "Nina@Example.TEST" })
    let uuid = ""
    const events = await w.told(async () => (uuid = await come(told, { role: "viewer" })))
    expect(events).toMatchObject([
      {
        kind: "member.joined",
        entityUuid: uuid,
        actor: { uuid, name: "Nina" },
        patch: { email: "nina@example.test", role: "viewer" },
      },
    ])
    expect(JSON.stringify(events)).not.toContain(told.subject)
  })

  it("is the same person every time, whatever their address has become", async () => {
    const told = claims()
    const uuid = await come(told)
    expect(await come({ ...told, email: "new@elsewhere.test", emailVerified: false })).toBe(uuid)
    expect(await come({ ...told, email: undefined })).toBe(uuid)
  })

  it("is another person with the same subject of another issuer", async () => {
    const told = claims()
    const uuid = await come(told)
    expect(
      await come({ ...told, issuer: "https://other.example.test", email: `${randomUUID()}@example.test` }),
    ).not.toBe(uuid)
  })

  it("is who was invited under that address, wherever it is from, and from then on knows their subject", async () => {
    const uuid = await invite("guest@partner.test")
    const told = claims({ email: "Guest@partner.test" })
    expect(await come(told)).toBe(uuid)
    expect(await person(uuid)).toMatchObject({
      name: "Invited",
      oidcSubject: `https://id.example.test ${told.subject}`,
    })
    await expect(come(claims({ email: "guest@partner.test" }))).rejects.toMatchObject({
      code: "oidc_account_taken",
      status: 403,
    })
  })

  it.each<[string, Partial<OidcClaims>, string]>([
    ["an address nobody vouches for", { emailVerified: false }, "oidc_email_unverified"],
    ["no address", { email: undefined }, "oidc_email_unverified"],
    ["what is no address", { email: "nina" }, "oidc_email_unverified"],
    ["an address of another domain", { email: "nina@elsewhere.test" }, "oidc_not_a_member"],
    ["an address that only ends like ours", { email: "nina@evil-example.test" }, "oidc_not_a_member"],
    ["an address of a domain below ours", { email: "nina@sub.example.test" }, "oidc_not_a_member"],
  ])("with %s is refused, and nobody is added", async (_, more, code) => {
    const before = await w.store.db.selectFrom("users").select("uuid").execute()
    await expect(come(claims(more))).rejects.toMatchObject({ code, status: 403 })
    expect(await w.store.db.selectFrom("users").select("uuid").execute()).toHaveLength(before.length)
  })

  it("needs no verified address where the provider vouches for all of its own", async () => {
    expect(await come(claims({ emailVerified: false }), { trustEmail: true })).toEqual(expect.any(String))
  })

  it.each([
    [undefined, /@example\.test$/],
    ["  ", /@example\.test$/],
    ["Nina\u0000\nLong", /^Nina {2}Long$/],
    ["x".repeat(200), /^x{80}$/],
  ])("called %j is called what our own names may be", async (name, called) => {
    expect((await person(await come(claims({ name })))).name).toMatch(called)
  })

  it("twice at the same moment is one person", async () => {
    const told = claims()
    const all = await Promise.all([come(told), come(told), come(told)])
    expect(new Set(all).size).toBe(1)
  })
})
