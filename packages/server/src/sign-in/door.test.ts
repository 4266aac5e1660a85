import { randomUUID, scryptSync } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { routes } from "@chorus/contracts"
import { Hono } from "hono"
import { pino } from "pino"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import type { DoorEnv } from "../doors/door-env.ts"
import { asChorusError } from "../operation.ts"
import { addSignInLink } from "./link.ts"
import { verifyPassword } from "./password.ts"
import { type Reception, reception } from "./reception.ts"

const w = embeddedWorkspace()
const PASSWORD = "correct horse battery"
let now = Date.parse("2026-03-02T09:00:00Z")
let front: Reception
let app: Hono<DoorEnv>

/** A hash carries how dear it is to check; this one costs nothing, since many sign in here. */
function cheapHash(password: string): string {
  const salt = Buffer.alloc(16, 7)
  return [
    "scrypt",
    2,
    1,
    1,
    salt.toString("base64url"),
    scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 }).toString("base64url"),
  ].join("$")
}

beforeAll(async () => {
  const hash = cheapHash(PASSWORD)
  await w.store.write(({ db }) =>
    db.updateTable("users").set({ passwordHash: hash }).where("uuid", "=", w.member.uuid).execute(),
  )
  front = reception({
    store: w.store,
    workspaceUuid: w.workspaceUuid,
    secrets: { signing: Buffer.alloc(32) },
    outside: { trustProxy: true },
    oidc: undefined,
    log: pino({ level: "silent" }),
    now: () => new Date(now),
  })
  app = new Hono<DoorEnv>()
  app.use(async (c, next) => {
    c.set("requestId", "r1")
    c.set("local", false)
    const identity = await front.identify(c)
    c.set("identity", identity)
    c.set("actor", identity?.actor)
    await next()
    await front.refresh(c, identity)
  })
  app.route("/api/auth", front.routes)
  app.get("/api/anything", (c) => c.json({ name: c.get("actor")?.name ?? null }))
  app.onError((error, c) => {
    const fault = asChorusError(error, "r1")
    return c.json({ error: fault.toBody() }, fault.status as 400)
  })
})
afterAll(() => front.close())

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown> & { error?: { code: string; details?: object } }
  readonly cookie: string | undefined
  readonly headers: Headers
}

async function send(
  method: "GET" | "POST",
  path: string,
  body?: object,
  more: { cookie?: string; from?: string; proto?: string } = {},
): Promise<Answer> {
  const headers = {
    "content-type": "application/json",
    "user-agent": "Test",
    "x-forwarded-for": more.from ?? "192.0.2.1",
    ...(more.cookie && { cookie: `chorus_sign_in=${more.cookie}` }),
    ...(more.proto && { "x-forwarded-proto": more.proto }),
  }
  const incoming = Object.assign(Readable.from(body === undefined ? [] : [Buffer.from(JSON.stringify(body))]), {
    headers,
    socket: { remoteAddress: "127.0.0.1" },
  }) as unknown as IncomingMessage
  const response = await app.request(path, { method, headers }, { incoming })
  const cookie = /chorus_sign_in=([^;]*)/.exec(response.headers.get("set-cookie") ?? "")?.[1]
  const said = (await response.json()) as Answer["body"]
  const route = Object.entries(routes).find(([name]) => name === `${method} ${path}`)
  if (response.ok) expect(route?.[1].output.parse(said) ?? said).toEqual(said)
  return { status: response.status, body: said, cookie, headers: response.headers }
}
const signIn = (email: string, password: string, from?: string) =>
  send("POST", "/api/auth/sign-in", { email, password }, from === undefined ? {} : { from })
const link = (userUuid = w.member.uuid) =>
  w.store.write(({ db }) => addSignInLink(db, userUuid, new Date(now).toISOString()))
const enter = async (userUuid = w.member.uuid) =>
  (await send("POST", "/api/auth/link", { token: (await link(userUuid)).token })).cookie ?? ""
const whoIs = async (cookie: string) => (await send("GET", "/api/anything", undefined, { cookie })).body["name"]

describe("signing in with a password", () => {
  it("sets a cookie that scripts cannot read and other sites do not send, secure behind TLS", async () => {
    const plain = await signIn("MIA@example.test", PASSWORD)
    expect(plain).toMatchObject({ status: 200, body: { signedIn: true } })
    const set = plain.headers.get("set-cookie") ?? ""
    for (const attribute of ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"]) expect(set).toContain(attribute)
    expect(set).not.toContain("Secure")
    const { headers } = await send(
      "POST",
      "/api/auth/sign-in",
      { email: "mia@example.test", password: PASSWORD },
      { proto: "https" },
    )
    expect(headers.get("set-cookie")).toContain("Secure")
    expect(await whoIs(plain.cookie ?? "")).toBe("Mia")
  })

  it("does not tell an unknown address from a wrong password", async () => {
    const wrong = await signIn("mia@example.test", "not this one", "192.0.2.10")
    const unknown = await signIn("nobody@example.test", PASSWORD, "192.0.2.10")
    for (const answer of [wrong, unknown])
      expect(answer).toMatchObject({ status: 401, cookie: undefined, body: wrong.body })
    expect(wrong.body.error?.code).toBe("sign_in_failed")
  })

  it("is refused for a while after a hundred failures for one account, from wherever they come", async () => {
    const failed = Array.from({ length: 100 }, () => ({
      uuid: randomUUID(),
      counter: "anywhere",
      key: "vic@example.test",
      at: new Date(now).toISOString(),
    }))
    await w.store.write(({ db }) => db.insertInto("signInAttempts").values(failed).execute())
    const refused = await signIn("VIC@example.test", "wrong", "198.51.100.1")
    expect(refused).toMatchObject({
      status: 429,
      body: { error: { code: "too_many_attempts", details: { retryAfterSeconds: 900 } } },
    })
    expect(refused.headers.get("retry-after")).toBe("900")
  })

  it("that succeeds is counted nowhere and clears what failed before", async () => {
    await signIn("mia@example.test", "wrong", "198.51.100.2")
    await signIn("mia@example.test", PASSWORD, "198.51.100.3")
    const counted = await w.store.db
      .selectFrom("signInAttempts")
      .select(["counter", "key"])
      .where("key", "in", ["mia@example.test", "198.51.100.2", "198.51.100.3"])
      .execute()
    expect(counted).toEqual([{ counter: "place", key: "198.51.100.2" }])
  })

  it.each([
    {},
    { email: "mia@example.test" },
    { email: "no address", password: "x" },
    { email: "mia@example.test", password: "x".repeat(300) },
  ])("needs both: %j is refused", async (body) => {
    expect(await send("POST", "/api/auth/sign-in", body)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_input" } },
    })
  })
})

describe("signing in with a link", () => {
  it("works once", async () => {
    const { token } = await link()
    const first = await send("POST", "/api/auth/link", { token })
    expect(await whoIs(first.cookie ?? "")).toBe("Mia")
    expect(await send("POST", "/api/auth/link", { token })).toMatchObject({
      status: 410,
      body: { error: { code: "link_used" } },
      cookie: undefined,
    })
  })

  it("for who is signed in already is used up too, and begins the sign-in anew", async () => {
    const before = await enter()
    const { token } = await link()
    const again = await send("POST", "/api/auth/link", { token }, { cookie: before })
    expect(again.body).toEqual({ signedIn: true })
    expect([await whoIs(again.cookie ?? ""), await whoIs(before)]).toEqual(["Mia", null])
    expect((await send("POST", "/api/auth/link", { token })).status).toBe(410)
  })

  it("for somebody else asks first, uses nothing up and counts as no failure; agreed to, it replaces who was there", async () => {
    const cookie = await enter()
    const { token } = await link(w.viewer.uuid)
    const open = (more: object = {}) =>
      send("POST", "/api/auth/link", { token, ...more }, { cookie, from: "192.0.2.77" })
    const question = {
      signedIn: false,
      here: { uuid: w.member.uuid, name: "Mia" },
      holder: { uuid: w.viewer.uuid, name: "Vic" },
    }
    for (const more of [{}, { insteadOf: w.viewer.uuid }, { insteadOf: w.owner.uuid }])
      expect(await open(more)).toMatchObject({ status: 200, cookie: undefined, body: question })
    expect(await whoIs(cookie)).toBe("Mia")
    const counted = w.store.db.selectFrom("signInAttempts").selectAll().where("key", "=", "192.0.2.77")
    expect(await counted.execute()).toEqual([])
    const { cookie: after = "", body } = await open({ insteadOf: w.member.uuid })
    expect(body).toEqual({ signedIn: true })
    expect([await whoIs(after), await whoIs(cookie)]).toEqual(["Vic", null])
  })

  it("asks nothing for a link that would not work", async () => {
    const cookie = await enter()
    const { token } = await link(w.viewer.uuid)
    await send("POST", "/api/auth/link", { token })
    expect(await send("POST", "/api/auth/link", { token }, { cookie })).toMatchObject({
      status: 410,
      body: { error: { code: "link_used" } },
    })
    expect(await whoIs(cookie)).toBe("Mia")
  })

  it.each([{ token: "" }, {}, { token: 7 }, { token: "x".repeat(200) }])("refuses %j", async (body) => {
    expect((await send("POST", "/api/auth/link", body)).status).toBe(400)
  })
})

describe("being signed in", () => {
  it("is told to the page, and the ways there are to become so", async () => {
    expect((await send("GET", "/api/auth/sign-in")).body).toEqual({
      person: null,
      signInUuid: null,
      ways: { password: true, oidc: null },
    })
    const cookie = await enter()
    expect((await send("GET", "/api/auth/sign-in", undefined, { cookie })).body).toMatchObject({
      person: { name: "Mia", role: "member" },
      signInUuid: expect.any(String),
    })
  })

  it("ends at once with signing out, which is written down; signing out twice is fine", async () => {
    const cookie = await enter()
    let out: Answer | undefined
    expect(await w.kinds(async () => (out = await send("POST", "/api/auth/sign-out", {}, { cookie })))).toEqual([
      "member.signed_out",
    ])
    expect(out?.headers.get("set-cookie")).toContain("Max-Age=0")
    expect(await whoIs(cookie)).toBeNull()
    expect((await send("POST", "/api/auth/sign-out", {}, { cookie })).status).toBe(200)
  })

  it("gets a new cookie with an answer once the old one is an hour old", async () => {
    const cookie = await enter()
    expect((await send("GET", "/api/anything", undefined, { cookie })).cookie).toBeUndefined()
    now += 61 * 60_000
    const renewed = (await send("GET", "/api/anything", undefined, { cookie })).cookie
    expect(renewed).toEqual(expect.any(String))
    expect(await whoIs(renewed ?? "")).toBe("Mia")
  })
})

describe("changing a password", () => {
  const change = (body: object, cookie?: string) =>
    send("POST", "/api/auth/password", body, cookie === undefined ? {} : { cookie })

  it("needs somebody signed in, the current one, and a new one of ten characters", async () => {
    expect(await change({ password: "long enough now" })).toMatchObject({ status: 401 })
    const cookie = await enter()
    expect(await change({ current: PASSWORD, password: "too short" }, cookie)).toMatchObject({ status: 400 })
    expect(await change({ current: "wrong", password: "long enough now" }, cookie)).toMatchObject({
      status: 403,
      body: { error: { code: "wrong_password" } },
    })
    expect(await change({ password: "long enough now" }, cookie)).toMatchObject({ status: 403 })
  })

  it("signs out every other browser and is written down", async () => {
    const [here, there] = [await enter(), await enter()]
    expect(await w.kinds(() => change({ current: PASSWORD, password: "another good one" }, here))).toEqual([
      "member.password_changed",
    ])
    expect([await whoIs(here), await whoIs(there)]).toEqual(["Mia", null])
    const { passwordHash } = await w.store.db
      .selectFrom("users")
      .select("passwordHash")
      .where("uuid", "=", w.member.uuid)
      .executeTakeFirstOrThrow()
    expect(await verifyPassword("another good one", passwordHash)).toBe(true)
  })

  it("needs an address to sign in with", async () => {
    const { member } = await w.call<{ member: { uuid: string } }>(w.owner, "chorus_invite_member", { name: "Nameless" })
    expect(await change({ password: "long enough now" }, await enter(member.uuid))).toMatchObject({
      status: 409,
      body: { error: { code: "email_missing" } },
    })
  })
})
