import { temporaryDirectory } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { pino } from "pino"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type ChorusServer, startServer } from "../src/index.ts"
import { type Answer, Browser } from "./browser.ts"
import { type IdentityProvider, PUBLIC_CLIENT, SECRET_CLIENT, startIdentityProvider } from "./identity-provider.ts"

const log = pino({ level: "silent" })

describe.each([
  ["sqlite", PUBLIC_CLIENT],
  ["postgres", SECRET_CLIENT],
] as const)("OIDC on %s", (engine, client) => {
  const directory = temporaryDirectory()
  let idp: IdentityProvider
  let chorus: ChorusServer
  let browser: Browser
  let atProvider: Browser

  beforeAll(async () => {
    idp = await startIdentityProvider()
    chorus = await startServer({
      dataDirectory: directory.path,
      port: 0,
      log,
      database: engine === "postgres" ? await sharedDatabase() : undefined,
      oidc: { issuer: idp.issuer, ...client, domains: ["example.com"], role: "viewer", name: "Example ID" },
    })
    idp.serve(`${chorus.url}/api/auth/oidc/callback`)
  })
  afterAll(async () => {
    await chorus.close()
    await idp.close()
    await directory.remove()
  })
  beforeEach(() => {
    browser = new Browser(chorus)
    atProvider = new Browser({ url: idp.issuer })
  })
  afterEach(async () => {
    expect((await new Browser(chorus).get("/api/health")).status).toBe(200)
  })

  /** Signs a person in at the provider and gives the address to which it sends the browser back. */
  async function visitProvider(subject: string | undefined, start: Answer): Promise<string> {
    idp.present = subject
    let location = start.headers.get("location") ?? ""
    for (let hop = 0; hop < 10 && location.startsWith(idp.issuer); hop++) {
      location = new URL((await atProvider.get(location)).headers.get("location") ?? "", idp.issuer).href
    }
    return location
  }

  /** The whole way; gives where the browser ends up. */
  async function signIn(subject: string | undefined, returnTo = "/"): Promise<string | null> {
    const start = await browser.get(`/api/auth/oidc/start?returnTo=${encodeURIComponent(returnTo)}`)
    return (await browser.get(await visitProvider(subject, start))).headers.get("location")
  }

  const me = async () => (await browser.call("chorus_get_me")).body
  const person = (email: string) => chorus.store.db.selectFrom("users").selectAll().where("email", "=", email).execute()
  const addPerson = (email: string, disabledAt: string | null = null) =>
    chorus.store.write(async ({ db }) => {
      const { workspaceUuid } = await db.selectFrom("users").select("workspaceUuid").executeTakeFirstOrThrow()
      await db
        .insertInto("users")
        .values({
          uuid: email,
          workspaceUuid,
          name: "Invited",
          email,
          role: "admin",
          passwordHash: null,
          oidcSubject: null,
          createdAt: "2026-01-01T00:00:00.000Z",
          disabledAt,
        })
        .execute()
    })

  it("tells the sign-in page about the provider", async () => {
    expect((await browser.get("/api/auth/sign-in")).body).toEqual({
      person: null,
      signInUuid: null,
      ways: { password: true, oidc: { name: "Example ID" } },
    })
  })

  it("asks with PKCE, state and nonce", async () => {
    const { searchParams } = new URL((await browser.get("/api/auth/oidc/start")).headers.get("location") ?? "")
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: "code",
      client_id: client.clientId,
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.any(String),
      nonce: expect.any(String),
      redirect_uri: `${chorus.url}/api/auth/oidc/callback`,
    })
  })

  it("lets people of an allowed domain join, once", async () => {
    idp.people.set("ann", { email: "Ann@Example.com", email_verified: true, name: "Ann" })
    expect(await signIn("ann", "/projects?tab=tasks")).toBe("/projects?tab=tasks")
    const first = await me()
    expect(first).toMatchObject({
      name: "Ann",
      email: "ann@example.com",
      role: "viewer",
      hasOidc: true,
      hasPassword: false,
    })
    browser = new Browser(chorus)
    atProvider = new Browser({ url: idp.issuer })
    await signIn("ann")
    expect((await me())["uuid"]).toBe(first["uuid"])
    const events = await chorus.store.db
      .selectFrom("events")
      .select("kind")
      .where("entityUuid", "=", String(first["uuid"]))
      .orderBy("id")
      .execute()
    expect(events.map(({ kind }) => kind)).toEqual(["member.joined", "member.signed_in", "member.signed_in"])
  })

  it("knows an invited person by their verified address, and from then on by their subject", async () => {
    await addPerson("bob@elsewhere.org")
    idp.people.set("bob", { email: "bob@elsewhere.org", email_verified: true })
    expect(await signIn("bob")).toBe("/")
    expect(await me()).toMatchObject({ uuid: "bob@elsewhere.org", role: "admin" })
    idp.people.set("bob", { email: "robert@elsewhere.org", email_verified: false })
    browser = new Browser(chorus)
    expect(await signIn("bob")).toBe("/")
    expect(await me()).toMatchObject({ uuid: "bob@elsewhere.org" })
  })

  it.each([
    ["an address nobody verified", { email: "carl@example.com", email_verified: false }, "oidc_email_unverified"],
    ["no address", {}, "oidc_email_unverified"],
    ["a domain that may not join", { email: "carl@evil.example", email_verified: true }, "oidc_not_a_member"],
    ["a domain that only looks alike", { email: "carl@notexample.com", email_verified: true }, "oidc_not_a_member"],
    ["two at signs", { email: "carl@evil.example@example.com", email_verified: true }, "oidc_email_unverified"],
  ])("refuses %s", async (_what, claims, code) => {
    idp.people.set("carl", claims)
    expect(await signIn("carl")).toBe(`/sign-in?error=${code}`)
    expect(browser.cookies.has("chorus_sign_in")).toBe(false)
    if ("email" in claims) expect(await person(claims.email)).toEqual([])
  })

  it("refuses a second identity for an address, and disabled people", async () => {
    idp.people.set("dora", { email: "dora@example.com", email_verified: true })
    await signIn("dora")
    idp.people.set("not-dora", { email: "dora@example.com", email_verified: true })
    browser = new Browser(chorus)
    atProvider = new Browser({ url: idp.issuer })
    expect(await signIn("not-dora")).toBe("/sign-in?error=oidc_account_taken")
    await addPerson("gone@example.com", "2026-01-02T00:00:00.000Z")
    idp.people.set("gone", { email: "gone@example.com", email_verified: true })
    atProvider = new Browser({ url: idp.issuer })
    expect(await signIn("gone")).toBe("/sign-in?error=person_disabled")
    expect(browser.cookies.has("chorus_sign_in")).toBe(false)
  })

  it("goes back to the sign-in page when the provider refuses", async () => {
    expect(await signIn(undefined)).toBe("/sign-in?error=oidc_failed")
  })

  it("takes the way back only in the browser that began it, and once", async () => {
    idp.people.set("eve", { email: "eve@example.com", email_verified: true })
    const back = await visitProvider("eve", await browser.get("/api/auth/oidc/start"))
    const victim = new Browser(chorus)
    expect((await victim.get(back)).headers.get("location")).toBe("/sign-in?error=oidc_flow_lost")
    expect(victim.cookies.has("chorus_sign_in")).toBe(false)
    const thief = browser.copy()
    expect((await browser.get(back)).headers.get("location")).toBe("/")
    expect((await browser.get(back)).headers.get("location")).toBe("/sign-in?error=oidc_flow_lost")
    expect((await thief.get(back)).headers.get("location")).toBe("/sign-in?error=oidc_failed")
  })

  it("does not take one sign-in's memory for another's, nor one that was changed", async () => {
    idp.people.set("fay", { email: "fay@example.com", email_verified: true })
    const one = await visitProvider("fay", await browser.get("/api/auth/oidc/start"))
    const [name = "", sealed = ""] = [...browser.cookies][0] ?? []
    const other = new Browser(chorus)
    await other.get("/api/auth/oidc/start")
    browser.cookies.set(name, [...other.cookies.values()][0] ?? "")
    expect((await browser.get(one)).headers.get("location")).toBe("/sign-in?error=oidc_failed")
    browser.cookies.set(name, `x${sealed}`)
    expect((await browser.get(one)).headers.get("location")).toBe("/sign-in?error=oidc_flow_lost")
    expect(await person("fay@example.com")).toEqual([])
  })

  it("lets two tabs sign in at once", async () => {
    idp.people.set("gus", { email: "gus@example.com", email_verified: true })
    const starts = [
      await browser.get("/api/auth/oidc/start?returnTo=/one"),
      await browser.get("/api/auth/oidc/start?returnTo=/two"),
    ]
    const backs = [await visitProvider("gus", starts[0] as Answer), await visitProvider("gus", starts[1] as Answer)]
    const ends = await Promise.all(backs.map((back) => browser.get(back)))
    expect(ends.map(({ headers }) => headers.get("location"))).toEqual(["/one", "/two"])
    expect(await person("gus@example.com")).toHaveLength(1)
  })

  it("sends nobody elsewhere afterwards", async () => {
    idp.people.set("hal", { email: "hal@example.com", email_verified: true })
    expect(await signIn("hal", "//evil.example/")).toBe("/")
  })
})

describe("a server behind a proxy", () => {
  it("sends people back to the address they typed, once the provider is there", async () => {
    await using directory = temporaryDirectory()
    const idp = await startIdentityProvider()
    const chorus = await startServer({
      dataDirectory: directory.path,
      port: 0,
      log,
      publicUrl: "https://chorus.example.com",
      oidc: { issuer: idp.issuer, ...PUBLIC_CLIENT },
    })
    const browser = new Browser(chorus)
    expect((await browser.get("/api/auth/oidc/start")).headers.get("location")).toBe("/sign-in?error=oidc_unavailable")
    idp.serve("https://chorus.example.com/api/auth/oidc/callback")
    const start = await browser.get("/api/auth/oidc/start")
    expect(new URL(start.headers.get("location") ?? "").searchParams.get("redirect_uri")).toBe(
      "https://chorus.example.com/api/auth/oidc/callback",
    )
    expect(start.headers.getSetCookie()[0]).toMatch(/HttpOnly; Secure; SameSite=Lax/)

    const token = (chorus.firstSignIn ?? "").split("#")[1]
    const page = await browser.post("/api/auth/link", { token }, { origin: "https://chorus.example.com" })
    expect(page.headers.getSetCookie()[0]).toContain("; Secure")
    await chorus.close()
    await idp.close()
  })
})
