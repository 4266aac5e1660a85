import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type ChorusServer, makeSignInToken, startServer } from "../src/index.ts"
import { Browser } from "./browser.ts"

const PASSWORD = "a long enough password"
const HOUR = 3_600_000

describe.each(["sqlite", "postgres"] as const)("sign-in on %s", (engine) => {
  // What costs a password's hash or speaks of requests alone asks nothing of the store that the rest does not.
  const tags = engine === "postgres" ? ["stress"] : []
  const directory = temporaryDirectory()
  let chorus: ChorusServer
  let owner: Browser

  beforeAll(async () => {
    chorus = await startServer({
      dataDirectory: directory.path,
      port: 0,
      database: engine === "postgres" ? await sharedDatabase() : undefined,
    })
  })
  afterAll(async () => {
    await chorus.close()
    await directory.remove()
  })
  beforeEach(async () => {
    owner = new Browser(chorus)
    expect((await owner.open(await newLink())).status).toBe(200)
  })
  afterEach(async () => {
    expect((await new Browser(chorus).get("/api/health")).body).toMatchObject({ status: "ok" })
  })

  async function newLink(userUuid?: string): Promise<string> {
    const uuid = userUuid ?? (await ownerRow()).uuid
    return `#${await makeSignInToken(chorus.store, uuid, new Date())}`
  }

  const ownerRow = () =>
    chorus.store.db
      .selectFrom("users")
      .selectAll()
      .where("role", "=", "owner")
      .orderBy("createdAt")
      .executeTakeFirstOrThrow()

  async function invite(role = "member", email?: string): Promise<{ browser: Browser; uuid: string }> {
    const { body } = await owner.call("chorus_invite_member", { name: "Mia", role, email })
    const browser = new Browser(chorus)
    expect((await browser.open(String(body["signInPath"]))).status).toBe(200)
    return { browser, uuid: (body["member"] as { uuid: string }).uuid }
  }

  async function ageSignIns(ms: number): Promise<void> {
    const earlier = (time: string) => new Date(Date.parse(time) - ms).toISOString()
    const rows = await chorus.store.db.selectFrom("signIns").selectAll().execute()
    await chorus.store.write(async ({ db }) => {
      for (const row of rows) {
        await db
          .updateTable("signIns")
          .set({
            rotatedAt: earlier(row.rotatedAt),
            lastUsedAt: earlier(row.lastUsedAt),
            expiresAt: earlier(row.expiresAt),
          })
          .where("uuid", "=", row.uuid)
          .execute()
      }
    })
  }

  describe("one-time links", () => {
    it("let exactly one of fifty in who try at once", async () => {
      const link = await newLink()
      const before = await signInCount()
      const answers = await Promise.all(Array.from({ length: 50 }, () => new Browser(chorus).open(link)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ code }) => code === "link_used")).toHaveLength(49)
      expect(await signInCount()).toBe(before + 1)
    })

    it("are dead after fifteen minutes", async () => {
      const token = await makeSignInToken(
        chorus.store,
        (await ownerRow()).uuid,
        new Date(Date.now() - 15 * 60_000 - 1000),
      )
      expect(await new Browser(chorus).open(`#${token}`)).toMatchObject({ status: 410, code: "link_expired" })
    })

    it.each(["", "short", "x".repeat(43), "x".repeat(5000), "%00"])("refuse the token %j", async (token) => {
      const answer = await new Browser(chorus).post("/api/auth/link", { token })
      expect([400, 401]).toContain(answer.status)
      expect(answer.headers.getSetCookie()).toEqual([])
    })

    it("do not sign in somebody who was disabled, and none is made for them", async () => {
      const { uuid } = await invite()
      const link = await newLink(uuid)
      await owner.call("chorus_update_member", { userUuid: uuid, disabled: true })
      expect((await new Browser(chorus).open(link)).status).toBe(401)
      expect(await owner.call("chorus_create_sign_in_link", { userUuid: uuid })).toMatchObject({
        status: 409,
        code: "person_disabled",
      })
    })

    const signInCount = async () => (await chorus.store.db.selectFrom("signIns").select("uuid").execute()).length
  })

  describe("the cookie", () => {
    it("is out of reach for scripts and other sites, and marked secure under TLS", async () => {
      const plain = await new Browser(chorus).open(await newLink())
      expect(plain.headers.getSetCookie()[0]).toMatch(
        /^chorus_sign_in=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
      )
      const token = (await newLink()).slice(1)
      const secure = await new Browser(chorus).post(
        "/api/auth/link",
        { token },
        { origin: chorus.url.replace("http:", "https:") },
      )
      expect(secure.headers.getSetCookie()[0]).toContain("; Secure")
    })

    it("counts for a change only from our own page", async () => {
      const before = await chorus.store.db.selectFrom("projects").select("uuid").execute()
      const create = (headers: Record<string, string>) =>
        owner.post("/api/v1/chorus_admin_create_project", { name: "P" }, headers)
      for (const origin of ["https://evil.example", "null", chorus.url.replace(/\d+$/, "1")]) {
        expect(await create({ origin })).toMatchObject({ status: 403, code: "origin_refused" })
      }
      const bare = await fetch(`${chorus.url}/api/v1/chorus_admin_create_project`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          cookie: `chorus_sign_in=${owner.cookies.get("chorus_sign_in")}`,
        },
        body: JSON.stringify({ name: "P" }),
      })
      expect(bare.status).toBe(403)
      expect(await chorus.store.db.selectFrom("projects").select("uuid").execute()).toEqual(before)
      expect((await create({})).status).toBe(200)
    })

    it("counts under the name it had before too, until the first that is set takes its place", async () => {
      const old = new Browser(chorus)
      old.cookies.set("chorus_session", [...owner.cookies.values()][0] ?? "")
      expect((await old.call("chorus_get_me")).status).toBe(200)
      expect([...old.cookies.keys()]).toEqual(["chorus_session"])
      await ageSignIns(2 * HOUR)
      expect((await old.call("chorus_get_me")).status).toBe(200)
      expect([...old.cookies.keys()]).toEqual(["chorus_sign_in"])
      expect((await old.call("chorus_get_me")).status).toBe(200)
    })

    it("goes under both names when somebody signs out, or in as somebody else", async () => {
      const old = new Browser(chorus)
      old.cookies.set("chorus_session", [...owner.cookies.values()][0] ?? "")
      await old.open(await newLink())
      expect([...old.cookies.keys()]).toEqual(["chorus_sign_in"])
      const other = new Browser(chorus)
      other.cookies.set("chorus_session", [...owner.cookies.values()][0] ?? "")
      await other.post("/api/auth/sign-out")
      expect(other.cookies.size).toBe(0)
    })

    it("is worth nothing after signing out", async () => {
      const thief = owner.copy()
      expect((await owner.post("/api/auth/sign-out")).status).toBe(200)
      expect(owner.cookies.size).toBe(0)
      expect(await thief.call("chorus_get_me")).toMatchObject({ status: 401, code: "unauthenticated" })
    })

    it("ends at once when its owner ends it from another browser", async () => {
      const other = new Browser(chorus)
      await other.open(await newLink())
      const { signInUuid } = (await other.get("/api/auth/sign-in")).body as { signInUuid: string }
      expect((await owner.call("chorus_list_sign_ins")).body["signIns"]).toContainEqual(
        expect.objectContaining({ uuid: signInUuid }),
      )
      expect((await owner.call("chorus_end_sign_in", { signInUuid })).status).toBe(200)
      expect((await other.call("chorus_get_me")).status).toBe(401)
      expect((await owner.call("chorus_get_me")).status).toBe(200)
    })

    it("cannot be ended by somebody else", async () => {
      const { browser } = await invite()
      const { signInUuid } = (await owner.get("/api/auth/sign-in")).body as { signInUuid: string }
      expect(await browser.call("chorus_end_sign_in", { signInUuid })).toMatchObject({ status: 404 })
      expect((await owner.call("chorus_get_me")).status).toBe(200)
    })

    it("dies after thirty days without use", async () => {
      const { browser } = await invite()
      await ageSignIns(30 * 24 * HOUR)
      expect((await browser.call("chorus_get_me")).status).toBe(401)
    })
  })

  describe("rotation", () => {
    it("gives one of many requests at once the new cookie, and lets the others through", async () => {
      await ageSignIns(2 * HOUR)
      const copies = Array.from({ length: 20 }, () => owner.copy())
      const answers = await Promise.all(copies.map((copy) => copy.call("chorus_get_me")))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(answers.filter(({ headers }) => headers.getSetCookie().length > 0)).toHaveLength(1)
    })

    it("comes with MCP and refused answers too, and starts the thirty days anew", async () => {
      await ageSignIns(20 * 24 * HOUR)
      const refused = await owner.call("chorus_no_such_operation")
      expect(refused.status).toBe(404)
      expect(refused.headers.getSetCookie()[0]).toMatch(/Max-Age=2592000/)
      await ageSignIns(20 * 24 * HOUR)
      const ping = { jsonrpc: "2.0", id: 1, method: "tools/list" }
      const mcp = await owner.post("/api/mcp", ping, {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      })
      expect(mcp.status).toBe(200)
      expect(mcp.headers.getSetCookie()).toHaveLength(1)
      expect((await owner.call("chorus_get_me")).status).toBe(200)
    })

    it("kills the replaced cookie once the new one was used", async () => {
      const thief = owner.copy()
      await ageSignIns(2 * HOUR)
      await owner.call("chorus_get_me")
      expect(owner.cookies.get("chorus_sign_in")).not.toBe(thief.cookies.get("chorus_sign_in"))
      await owner.call("chorus_get_me")
      await waitFor(async () => (await newestSignIn()).lastUsedAt >= (await newestSignIn()).rotatedAt)
      await ageSignIns(2 * 60_000)
      expect((await thief.call("chorus_get_me")).status).toBe(401)
      expect((await owner.call("chorus_get_me")).status).toBe(200)
    })

    it("forgives an answer that was lost", async () => {
      await ageSignIns(2 * HOUR)
      await owner.copy().call("chorus_get_me")
      await ageSignIns(5 * 60_000)
      const again = await owner.call("chorus_get_me")
      expect(again.status).toBe(200)
      expect(again.headers.getSetCookie()).toHaveLength(1)
      expect((await owner.call("chorus_get_me")).status).toBe(200)
    })

    const newestSignIn = () =>
      chorus.store.db.selectFrom("signIns").selectAll().orderBy("createdAt", "desc").executeTakeFirstOrThrow()
  })

  describe("passwords", { tags }, () => {
    it("are set, used and changed, and a change ends every other sign-in", async () => {
      const { browser, uuid } = await invite("member")
      expect(await browser.post("/api/auth/password", { password: PASSWORD })).toMatchObject({
        status: 409,
        code: "email_missing",
      })
      await owner.call("chorus_update_member", { userUuid: uuid, email: `Mia.${engine}@Example.com` })
      expect(await browser.post("/api/auth/password", { password: "short" })).toMatchObject({
        status: 400,
        code: "invalid_input",
      })
      expect((await browser.post("/api/auth/password", { password: PASSWORD })).status).toBe(200)

      const second = new Browser(chorus)
      const credentials = { email: `mia.${engine}@example.COM`, password: PASSWORD }
      expect((await second.post("/api/auth/sign-in", credentials)).status).toBe(200)
      expect((await second.call("chorus_get_me")).body).toMatchObject({ uuid, hasPassword: true })

      expect(await browser.post("/api/auth/password", { password: "another password" })).toMatchObject({
        status: 403,
        code: "wrong_password",
      })
      expect(
        (await browser.post("/api/auth/password", { current: PASSWORD, password: "another password" })).status,
      ).toBe(200)
      expect((await second.call("chorus_get_me")).status).toBe(401)
      expect((await browser.call("chorus_get_me")).status).toBe(200)
      expect((await second.post("/api/auth/sign-in", credentials)).status).toBe(401)
    })

    it("do not tell an unknown address, an account without password and a wrong password apart", async () => {
      const { browser } = await invite("member", `has.${engine}@example.com`)
      await browser.post("/api/auth/password", { password: PASSWORD })
      await invite("member", `none.${engine}@example.com`)
      const attempt = (email: string) =>
        new Browser(chorus).post("/api/auth/sign-in", { email, password: "not the password" })
      const answers = [
        await attempt(`has.${engine}@example.com`),
        await attempt(`none.${engine}@example.com`),
        await attempt("nobody@example.com"),
      ]
      expect(answers.map(({ body }) => body)).toEqual(answers.map(() => answers[0]?.body))
      expect(answers[0]).toMatchObject({ status: 401, code: "sign_in_failed" })
    })

    it("of the owner is set anew by the command of the data directory's owner, without the old one", async () => {
      await owner.call("chorus_update_me", { email: `owner.${engine}@example.com` })
      const { token } = JSON.parse(readFileSync(join(directory.path, "server.json"), "utf8")) as { token: string }
      const set = (password: string, bearer: string) =>
        fetch(`${chorus.url}/api/auth/password`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` },
          body: JSON.stringify({ password }),
        })
      expect((await set("the first password", token)).status).toBe(200)
      expect((await set("the second password", token)).status).toBe(200)
      expect((await set("the third password", `chl_${"x".repeat(43)}`)).status).toBe(401)
      expect((await owner.call("chorus_get_me")).status).toBe(401)
      expect(
        (
          await owner.post("/api/auth/sign-in", {
            email: `owner.${engine}@example.com`,
            password: "the second password",
          })
        ).status,
      ).toBe(200)
    })

    it("are reset by those who run the workspace, which signs the person out", async () => {
      const { browser, uuid } = await invite("member", `reset.${engine}@example.com`)
      await browser.post("/api/auth/password", { password: PASSWORD })
      await owner.call("chorus_update_member", { userUuid: uuid, resetPassword: true })
      expect((await browser.call("chorus_get_me")).status).toBe(401)
      expect(
        (
          await new Browser(chorus).post("/api/auth/sign-in", {
            email: `reset.${engine}@example.com`,
            password: PASSWORD,
          })
        ).status,
      ).toBe(401)
      await browser.open(await newLink(uuid))
      expect((await browser.post("/api/auth/password", { password: "the next password" })).status).toBe(200)
    })
  })

  it.each([
    ["broken JSON", "{", "application/json", 400],
    ["another type", "token=x", "application/x-www-form-urlencoded", 415],
    ["bad UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "application/json", 400],
    ["a list", "[]", "application/json", 400],
    ["nothing", "", "application/json", 400],
    ["20 MB", Buffer.alloc(20 * 1024 * 1024, 32), "application/json", 413],
  ])("refuses %s at every sign-in route", { tags }, async (_what, body, type, status) => {
    for (const route of ["link", "sign-in", "password"]) {
      const cookie = `chorus_sign_in=${owner.cookies.get("chorus_sign_in")}`
      const response = await fetch(`${chorus.url}/api/auth/${route}`, {
        method: "POST",
        headers: { "content-type": type, origin: chorus.url, cookie },
        body,
      })
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({ error: { code: expect.any(String), next: expect.any(String) } })
    }
  })

  it("keeps its data and secrets from other accounts of the machine", () => {
    expect(statSync(directory.path).mode & 0o777).toBe(0o700)
    expect(statSync(join(directory.path, "secrets.json")).mode & 0o777).toBe(0o600)
  })
})
