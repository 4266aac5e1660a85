import { lock } from "@chorus/store"
import { temporaryDirectory } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { afterAll, beforeAll, expect, it } from "vitest"
import { tidyUp } from "../src/housekeeping.ts"
import { type ChorusServer, startServer } from "../src/index.ts"
import { Browser } from "./browser.ts"
import { PUBLIC_CLIENT, startIdentityProvider } from "./identity-provider.ts"

const EMAIL = "owner@example.com"

let one: ChorusServer
let two: ChorusServer

beforeAll(async () => {
  const database = await sharedDatabase()
  const start = () => startServer({ dataDirectory: temporaryDirectory().path, port: 0, database })
  ;[one, two] = [await start(), await start()]
})
afterAll(async () => {
  await one.close()
  await two.close()
})

it("a link that one server made signs in at another, once; the cookie holds at both", async () => {
  const browser = new Browser(two)
  expect((await browser.open(one.firstSignIn ?? "")).status).toBe(200)
  expect((await new Browser(one).open(one.firstSignIn ?? "")).code).toBe("link_used")
  const there = new Browser(one)
  for (const [name, value] of browser.cookies) there.cookies.set(name, value)
  expect((await there.call("chorus_get_me")).status).toBe(200)
  await browser.call("chorus_update_me", { email: EMAIL })
  expect((await browser.post("/api/auth/password", { password: "the right password" })).status).toBe(200)
  await there.post("/api/auth/sign-out")
  expect((await browser.call("chorus_get_me")).status).toBe(401)
})

it("ten wrong passwords are ten, however they are spread over the servers", async () => {
  const tries = await Promise.all(
    Array.from({ length: 14 }, (_, n) =>
      new Browser(n % 2 === 0 ? one : two).post("/api/auth/sign-in", { email: EMAIL, password: "wrong" }),
    ),
  )
  expect(tries.filter(({ code }) => code === "sign_in_failed")).toHaveLength(10)
  expect(tries.filter(({ code }) => code === "too_many_attempts")).toHaveLength(4)
})

it("a browser that one server sent to the provider may come back to another", async () => {
  const idp = await startIdentityProvider()
  const database = await sharedDatabase()
  const publicUrl = "http://127.0.0.1:1"
  const start = () =>
    startServer({
      dataDirectory: temporaryDirectory().path,
      port: 0,
      database,
      publicUrl,
      oidc: { issuer: idp.issuer, ...PUBLIC_CLIENT, domains: ["example.com"] },
    })
  const [first, second] = [await start(), await start()]
  idp.people.set("ada", { email: "ada@example.com", email_verified: true, name: "Ada" })
  idp.present = "ada"
  idp.serve(`${publicUrl}/api/auth/oidc/callback`)
  const browser = new Browser(first)
  const atProvider = new Browser({ url: idp.issuer })
  let at = (await browser.get("/api/auth/oidc/start")).headers.get("location") ?? ""
  for (let hop = 0; hop < 10 && at.startsWith(idp.issuer); hop++)
    at = new URL((await atProvider.get(at)).headers.get("location") ?? "", idp.issuer).href
  expect(at).toContain(`${publicUrl}/api/auth/oidc/callback?code=`)
  const back = new Browser(second)
  for (const [name, value] of browser.cookies) back.cookies.set(name, value)
  expect((await back.get(new URL(at).pathname + new URL(at).search)).headers.get("location")).toBe("/")
  expect((await back.call("chorus_get_me")).body).toMatchObject({ email: "ada@example.com" })
  await first.close()
  await second.close()
  await idp.close()
})

it("one server at a time tidies up", async () => {
  const count = async () => (await one.store.db.selectFrom("signInAttempts").select("uuid").execute()).length
  expect(await count()).toBeGreaterThan(0)
  const later = new Date(Date.now() + 2 * 3_600_000)
  const before = await count()
  await two.store.write(async (unit) => {
    await lock(unit, "housekeeping")
    await tidyUp(one.store, later)
  })
  expect(await count()).toBe(before)
  await tidyUp(one.store, later)
  expect(await count()).toBe(0)
})
