import { createHmac } from "node:crypto"
import { beforeEach, describe, expect, it } from "vitest"
import type { webhooks } from "@chorus/contracts"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { makeOut } from "./outbox.ts"
import { signatureOf } from "./post.ts"

const w = embeddedWorkspace()
const NOW = new Date("2026-03-02T12:00:00.000Z")

beforeEach(() =>
  w.store.write(async ({ db }) => {
    for (const table of ["deliveries", "webhooks"] as const) await db.deleteFrom(table).execute()
  }),
)

const hook = (more: object = {}) =>
  w.call<webhooks.WebhookRow & { secret: string }>(w.owner, "chorus_create_webhook", {
    url: "https://example.test/hook",
    ...more,
  })
const update = (webhookUuid: string, changes: object) =>
  w.call<webhooks.WebhookRow & { secret?: string }>(w.owner, "chorus_update_webhook", { webhookUuid, ...changes })
const deliveries = async (webhookUuid: string, more: object = {}) =>
  (
    await w.call<{ deliveries: webhooks.DeliveryRow[] }>(w.owner, "chorus_list_webhook_deliveries", {
      webhookUuid,
      pageSize: 100,
      ...more,
    })
  ).deliveries
const kindsTold = async (webhookUuid: string) => {
  const ids = (await deliveries(webhookUuid)).map(({ eventId }) => eventId)
  const rows = await w.store.db
    .selectFrom("events")
    .select(["id", "kind"])
    .where("workspaceUuid", "=", w.workspaceUuid)
    .where("id", "in", [...ids, -1])
    .orderBy("id")
    .execute()
  return rows.map(({ kind }) => kind)
}
const makeAllOut = () => makeOut(w.store, NOW)

describe("what a webhook is told", () => {
  it.each([
    [["*"], ["idea.created", "task.created"]],
    [["idea.*"], ["idea.created"]],
    [["task.created"], ["task.created"]],
    [["idea.claimed", "task.*"], ["task.created"]],
    [["proposal.*"], []],
  ])("of the kinds %j is %j", async (kinds, told) => {
    const { uuid } = await hook({ kinds })
    await w.newIdea()
    await w.newTask()
    await makeAllOut()
    expect(await kindsTold(uuid)).toEqual(told)
  })

  it("is of its project alone, where it has one", async () => {
    const { uuid } = await hook({ projectUuid: w.otherProject })
    await w.newIdea()
    await w.newIdea({ projectUuid: w.otherProject })
    await makeAllOut()
    expect(await deliveries(uuid)).toHaveLength(1)
  })

  it("is neither who was notified nor what was done to webhooks", async () => {
    const { uuid } = await hook()
    await hook()
    await w.call(w.pm, "chorus_pm_assign_task", { taskUuid: await w.newTask(), agentUuid: w.developer.uuid })
    await makeAllOut()
    expect(await kindsTold(uuid)).toEqual(["task.created", "task.assigned"])
  })

  it("begins when it was made, and leaves out what happened while it was paused", async () => {
    await w.newIdea()
    const { uuid } = await hook()
    await makeAllOut()
    expect(await deliveries(uuid)).toEqual([])
    await update(uuid, { active: false })
    await w.newIdea()
    await makeAllOut()
    await update(uuid, { active: true })
    await w.newTask()
    await makeAllOut()
    expect(await kindsTold(uuid)).toEqual(["task.created"])
  })

  it("is made out once, however many servers do it at the same time", async () => {
    const { uuid } = await hook()
    for (let n = 0; n < 5; n++) await w.newIdea()
    await Promise.all([makeAllOut(), makeAllOut(), makeAllOut()])
    expect(await deliveries(uuid)).toHaveLength(5)
    await makeAllOut()
    expect(await deliveries(uuid)).toHaveLength(5)
  })
})

describe("what a webhook has to send", () => {
  const due = async () => {
    const { uuid } = await hook()
    await w.newIdea()
    await makeAllOut()
    return uuid
  }
  const attempts = async (webhookUuid: string) =>
    (await deliveries(webhookUuid)).map(({ status, nextAttemptAt }) => [status, nextAttemptAt !== null])

  it("rests while it is paused, goes on after that, and goes with it", async () => {
    const uuid = await due()
    await update(uuid, { active: false })
    expect(await attempts(uuid)).toEqual([["pending", false]])
    await update(uuid, { active: true })
    expect(await attempts(uuid)).toEqual([["pending", true]])
    await w.call(w.owner, "chorus_delete_webhook", { webhookUuid: uuid })
    expect(await w.store.db.selectFrom("deliveries").selectAll().execute()).toEqual([])
  })

  it("can be sent once more, whatever became of it", async () => {
    const uuid = await due()
    const [sent] = await deliveries(uuid)
    await w.store.write(({ db }) =>
      db
        .updateTable("deliveries")
        .set({ state: "dead", attempts: 8, lastError: "It answered 500.", responseStatus: 500, nextAttemptAt: null })
        .execute(),
    )
    expect(await deliveries(uuid, { status: "failed" })).toMatchObject([
      { responseStatus: 500, error: "It answered 500." },
    ])
    const again = () =>
      w.call<webhooks.DeliveryRow>(w.owner, "chorus_redeliver_webhook", {
        webhookUuid: uuid,
        deliveryUuid: sent?.uuid,
      })
    expect(await w.kinds(again)).toEqual(["webhook.redelivered"])
    expect(await deliveries(uuid)).toMatchObject([{ uuid: sent?.uuid, status: "pending", attempts: 0 }])
    await expect(
      w.call(w.owner, "chorus_redeliver_webhook", { webhookUuid: (await hook()).uuid, deliveryUuid: sent?.uuid }),
    ).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("a webhook", () => {
  it("shows its secret when it is made and renewed, and never again; nobody is told it", async () => {
    let secret = ""
    const events = await w.told(async () => ({ secret } = await hook({ kinds: ["task.*"] })))
    expect(events).toMatchObject([
      {
        kind: "webhook.created",
        patch: { url: "https://example.test/hook", kinds: ["task.*"], active: true, allowPrivate: false },
      },
    ])
    const webhookUuid = events[0]?.entityUuid ?? ""
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(await update(webhookUuid, { active: false })).not.toHaveProperty("secret")
    const renewed = await update(webhookUuid, { renewSecret: true })
    expect(renewed.secret).not.toBe(secret)
    const shown = JSON.stringify([events, await w.call(w.owner, "chorus_list_webhooks")])
    expect([shown.includes(secret), shown.includes(String(renewed.secret))]).toEqual([false, false])
  })

  it.each([
    "ftp://example.test/",
    "https://user:pass@example.test/",
    "https://user@example.test/",
    "not a url",
    "javascript:1",
  ])("does not send to %j", async (url) => {
    await expect(hook({ url })).rejects.toMatchObject({ code: "invalid_input" })
  })

  it.each([[[]], [["task"]], [["*.created"]], [["Task.created"]], [["task.created; drop"]]])(
    "does not know the kinds %j",
    async (kinds) => {
      await expect(hook({ kinds })).rejects.toMatchObject({ code: "invalid_input" })
    },
  )

  it.each([
    ["task.verifed", "task.verified"],
    ["tasks.*", "task.*"],
    ["delivery.failed", undefined],
  ])("is not made for %j, of which it would never hear", async (kind, nearest) => {
    const refusal = { code: "unknown_event_kind", details: { kind, ...(nearest === undefined ? {} : { nearest }) } }
    await expect(hook({ kinds: ["idea.*", kind] })).rejects.toMatchObject(refusal)
    const { uuid } = await hook()
    await expect(update(uuid, { kinds: [kind] })).rejects.toMatchObject(refusal)
  })

  it("of another workspace does not exist", async () => {
    const { uuid } = await hook()
    for (const name of ["chorus_update_webhook", "chorus_delete_webhook", "chorus_list_webhook_deliveries"]) {
      await expect(w.call(w.stranger, name, { webhookUuid: uuid })).rejects.toMatchObject({ code: "not_found" })
    }
    expect(await w.call(w.stranger, "chorus_list_webhooks")).toMatchObject({ webhooks: [] })
  })
})

describe("the signature of what is sent", () => {
  it("covers the time to the second and every byte of the body", () => {
    const header = signatureOf("secret", '{"a":"é"}', new Date("2026-03-02T12:00:00.999Z"))
    const seconds = Date.parse("2026-03-02T12:00:00Z") / 1000
    expect(header).toBe(
      `t=${seconds},v1=${createHmac("sha256", "secret").update(`${seconds}.{"a":"é"}`).digest("hex")}`,
    )
    expect(signatureOf("secret", '{"a":"e"}', NOW)).not.toBe(signatureOf("secret", '{"a":"é"}', NOW))
    expect(signatureOf("other", "x", NOW)).not.toBe(signatureOf("secret", "x", NOW))
  })
})
