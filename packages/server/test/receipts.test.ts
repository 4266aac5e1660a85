import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer

beforeAll(async () => {
  chorus = await runningServer()
})
afterAll(() => chorus.close())

describe("idempotency keys", () => {
  it("make a change once, however often and at once it is sent", async () => {
    const before = (await chorus.post("chorus_list_projects")).body["total"]
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        chorus.post("chorus_admin_create_project", { name: "once" }, { "idempotency-key": "same" }),
      ),
    )
    expect(new Set(answers.map(({ body }) => body["uuid"])).size).toBe(1)
    expect((await chorus.post("chorus_list_projects")).body["total"]).toBe(Number(before) + 1)
  })

  it("refuse another call under the same key", async () => {
    await chorus.post("chorus_admin_create_project", { name: "a" }, { "idempotency-key": "k" })
    const other = await chorus.post("chorus_admin_create_project", { name: "b" }, { "idempotency-key": "k" })
    expect(other).toMatchObject({ status: 409, body: { error: { code: "idempotency_key_reused" } } })
  })

  it("keep neither the key nor the answer in clear", async () => {
    await chorus.post(
      "chorus_admin_create_project",
      { name: "mark-of-the-answer" },
      { "idempotency-key": "mark-of-the-key" },
    )
    const receipts = JSON.stringify(await chorus.server.store.db.selectFrom("receipts").selectAll().execute())
    expect(receipts).not.toContain("mark-of-the")
  })
})

describe("/metrics", () => {
  it("is open on this machine, but not through a proxy without a key", async () => {
    expect((await fetch(`${chorus.url}/metrics`)).status).toBe(200)
    expect((await fetch(`${chorus.url}/metrics`, { headers: { "x-forwarded-for": "203.0.113.9" } })).status).toBe(401)
    const keyed = { "x-forwarded-for": "203.0.113.9", authorization: `Bearer ${chorus.key}` }
    expect((await fetch(`${chorus.url}/metrics`, { headers: keyed })).status).toBe(200)
  })
})
