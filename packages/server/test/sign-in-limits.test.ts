import { randomUUID } from "node:crypto"
import { temporaryDirectory } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ChorusServer, startServer } from "../src/index.ts"
import { Browser } from "./browser.ts"

describe("sign-in attempts", () => {
  const directory = temporaryDirectory()
  let chorus: ChorusServer

  beforeAll(async () => {
    chorus = await startServer({ dataDirectory: directory.path, port: 0, trustProxy: true })
    const owner = new Browser(chorus)
    await owner.open(chorus.firstSignIn ?? "")
    await owner.call("chorus_update_me", { email: "owner@example.com" })
    await owner.post("/api/auth/password", { password: "the right password" })
  })
  afterAll(async () => {
    await chorus.close()
    await directory.remove()
  })

  const signIn = (email: string, password: string, from: string) =>
    new Browser(chorus).post("/api/auth/sign-in", { email, password }, { "x-forwarded-for": `198.51.100.1, ${from}` })

  it("are refused for an account after ten failures from a place, with the time to wait, and lock nobody out elsewhere", async () => {
    const failures = await Promise.all(
      Array.from({ length: 12 }, () => signIn("owner@example.com", "wrong", "192.0.2.99")),
    )
    expect(failures.filter(({ code }) => code === "sign_in_failed")).toHaveLength(10)
    const refused = failures.find(({ status }) => status === 429)
    expect(refused).toMatchObject({ code: "too_many_attempts" })
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(800)
    expect((await signIn("owner@example.com", "the right password", "192.0.2.99")).status).toBe(429)
    expect((await signIn("other@example.com", "wrong", "192.0.2.99")).status).toBe(401)
    expect((await signIn("owner@example.com", "the right password", "192.0.2.100")).status).toBe(200)
  })

  it("are refused from a place after thirty failures, for every account", async () => {
    const from = "203.0.113.5"
    const fail = (n: number) => signIn(`nobody-${n}@example.com`, "wrong", from)
    expect((await fail(1)).status).toBe(401)
    // Each takes a third of a second, so most of them are only written down.
    await chorus.store.write(async ({ db }) => {
      const places = db.selectFrom("signInAttempts").selectAll().where("counter", "=", "place")
      const counted = await places.orderBy("at", "desc").executeTakeFirstOrThrow()
      const again = Array.from({ length: 25 }, () => ({ ...counted, uuid: randomUUID() }))
      await db.insertInto("signInAttempts").values(again).execute()
    })
    for (const n of [27, 28, 29, 30]) expect((await fail(n)).status).toBe(401)
    expect((await signIn("someone@example.com", "wrong", from)).status).toBe(429)
    expect((await signIn("someone@example.com", "wrong", "203.0.113.6")).status).toBe(401)
  })

  it("leave the way in by link open", async () => {
    const links = await Promise.all(
      Array.from({ length: 100 }, () =>
        new Browser(chorus).post("/api/auth/link", { token: "x".repeat(43) }, { "x-forwarded-for": "203.0.113.7" }),
      ),
    )
    expect(links.filter(({ code }) => code === "link_unknown")).toHaveLength(100)
    expect(
      (
        await new Browser(chorus).post(
          "/api/auth/link",
          { token: "x".repeat(43) },
          { "x-forwarded-for": "203.0.113.7" },
        )
      ).status,
    ).toBe(429)
    expect((await new Browser(chorus).get("/api/health")).status).toBe(200)
  })
})
