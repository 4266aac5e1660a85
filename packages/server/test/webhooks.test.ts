import { createHmac } from "node:crypto"
import { waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { tidyUp } from "../src/housekeeping.ts"
import { type PostOfficeOptions, startPostOffice } from "../src/deliveries/post-office.ts"
import { type WebhookRoute, webhookSender } from "../src/webhooks/sender.ts"
import type { Actor } from "../src/index.ts"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { startReceiver } from "./webhook-receiver.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

interface Webhook {
  uuid: string
  secret: string
}

interface Delivery {
  uuid: string
  status: string
  attempts: number
  error: string | null
  responseStatus: number | null
  nextAttemptAt: string | null
}

onEachEngineUnderStress("webhooks", (engine) => {
  let w: Workspace
  beforeAll(async () => {
    w = await openWorkspace({ engine })
  })
  afterAll(() => w.close())

  const create = (url: string, more: object = {}) =>
    w.call<Webhook>(w.owner, "chorus_create_webhook", { url, kinds: ["idea.*"], allowPrivate: true, ...more })
  const makeIdea = (title: string, projectUuid = w.project) =>
    w.call<{ uuid: string }>(w.owner, "chorus_pm_create_idea", { projectUuid, title })
  const deliveries = async ({ uuid }: Webhook) =>
    (await w.call<{ deliveries: Delivery[] }>(w.owner, "chorus_list_webhook_deliveries", { webhookUuid: uuid }))
      .deliveries
  const settled = (webhook: Webhook, count: number, status: string) =>
    waitFor(
      async () => (await deliveries(webhook)).filter((delivery) => delivery.status === status).length === count,
      60_000,
      () => `${count} ${status} deliveries`,
    )
  const sending = async (work: () => Promise<void>, options: PostOfficeOptions & WebhookRoute = {}) => {
    const sender = startPostOffice(w.store, [webhookSender(w.store, w.registry, options)], {
      waitsMs: [10, 10],
      ...options,
    })
    await work().finally(() => sender.close())
  }
  const remove = ({ uuid }: Webhook) => w.call(w.owner, "chorus_delete_webhook", { webhookUuid: uuid })

  it("bring the events they want, signed, once each", async () => {
    const receiver = await startReceiver()
    const hook = await create(`http://127.0.0.1:${receiver.port}/in?x=1`)
    await sending(async () => {
      for (let n = 0; n < 5; n++) await makeIdea(`Idea ${n}`)
      await w.call(w.owner, "chorus_pm_create_document", { projectUuid: w.project, type: "adr", title: "Not wanted" })
      await settled(hook, 5, "delivered")
    })
    expect(receiver.received.map(({ event }) => event.patch["title"]).sort()).toEqual([
      "Idea 0",
      "Idea 1",
      "Idea 2",
      "Idea 3",
      "Idea 4",
    ])
    const [first] = receiver.received
    const [, seconds, signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first?.headers["x-chorus-signature"])) ?? []
    expect(signature).toBe(createHmac("sha256", hook.secret).update(`${seconds}.${first?.body}`).digest("hex"))
    expect(first).toMatchObject({
      path: "/in?x=1",
      headers: {
        "x-chorus-event": "idea.created",
        "content-type": "application/json",
        "x-chorus-delivery": expect.any(String),
      },
    })
    await remove(hook)
    await receiver.close()
  })

  it("are made out also for what happened while no server ran, and not for what came before them", async () => {
    const receiver = await startReceiver()
    await makeIdea("Before")
    const hook = await create(`http://127.0.0.1:${receiver.port}/`)
    await makeIdea("Meanwhile")
    await sending(async () => {
      await settled(hook, 1, "delivered")
    })
    expect(receiver.received.map(({ event }) => event.patch["title"])).toEqual(["Meanwhile"])
    await remove(hook)
    await receiver.close()
  })

  it("are tried again later until they arrive, and given up in the end", async () => {
    const receiver = await startReceiver((count) => (count < 3 ? 500 : 204))
    const hook = await create(`http://127.0.0.1:${receiver.port}/`)
    await sending(async () => {
      await makeIdea("Stubborn")
      await settled(hook, 1, "delivered")
    })
    expect(receiver.received).toHaveLength(3)
    expect(await deliveries(hook)).toMatchObject([{ attempts: 3, responseStatus: 204, error: null }])
    await remove(hook)
    await receiver.close()

    const gone = await create(`http://127.0.0.1:${receiver.port}/`)
    await sending(async () => {
      await makeIdea("Lost")
      await settled(gone, 1, "failed")
    })
    expect(await deliveries(gone)).toMatchObject([
      { attempts: 3, nextAttemptAt: null, error: expect.stringContaining("ECONNREFUSED") },
    ])
    await remove(gone)
  })

  it("wait longer each time", async () => {
    const hook = await create("http://127.0.0.1:9/")
    let time = Date.parse("2026-03-02T10:00:00Z")
    await sending(
      async () => {
        await makeIdea("Patience")
        const first = await waitFor(async () => (await deliveries(hook)).find(({ error }) => error !== null))
        expect(Date.parse(first.nextAttemptAt ?? "") - time).toBe(10_000)
        time += 10_000
        await makeIdea("Wakes the sender")
        const waits = async (ms: number) =>
          (await deliveries(hook)).some(
            ({ attempts, nextAttemptAt }) => attempts === 2 && Date.parse(nextAttemptAt ?? "") - time === ms,
          )
        await waitFor(() => waits(60_000), 60_000, "a minute's wait after the second attempt")
      },
      { now: () => new Date(time), waitsMs: [10_000, 60_000] },
    )
    await remove(hook)
  })

  it("never go to this machine or a private network unless allowed, by whatever name", async () => {
    const receiver = await startReceiver()
    const direct = await create(`http://127.0.0.1:${receiver.port}/`, { allowPrivate: false })
    const named = await create(`http://hook.test:${receiver.port}/`, { allowPrivate: false })
    const allowed = await create(`http://hook.test:${receiver.port}/`)
    await sending(
      async () => {
        await makeIdea("Inside")
        await settled(direct, 1, "failed")
        await settled(named, 1, "failed")
        await settled(allowed, 1, "delivered")
      },
      { resolve: async () => [{ address: "127.0.0.1", family: 4 }] },
    )
    expect(await deliveries(direct)).toMatchObject([
      { error: expect.stringContaining("not an address of the public internet") },
    ])
    expect(receiver.received.map(({ headers }) => headers.host)).toEqual([`hook.test:${receiver.port}`])
    for (const hook of [direct, named, allowed]) await remove(hook)
    await receiver.close()
  })

  it("are let inside by an owner alone, and no admin leads what was let in elsewhere", async () => {
    const admin: Actor = { ...w.member, role: "admin" }
    const inside = { url: "http://127.0.0.1:1/", allowPrivate: true }
    const refused = { code: "forbidden", next: expect.stringContaining("Ask an owner") as string }
    await expect(w.call(admin, "chorus_create_webhook", inside)).rejects.toMatchObject(refused)
    const bridge = { projectUuid: w.project, origin: "github:a/b", token: "t", api: inside.url, allowPrivate: true }
    await expect(w.call(admin, "chorus_create_bridge", bridge)).rejects.toMatchObject(refused)
    const admitted = await create(inside.url)
    const change = (webhook: Webhook, by: Actor, more: object) =>
      w.call(by, "chorus_update_webhook", { webhookUuid: webhook.uuid, ...more })
    await expect(change(admitted, admin, { url: "http://127.0.0.1:2/" })).rejects.toMatchObject(refused)
    await change(admitted, admin, { active: false })
    await change(admitted, w.owner, { url: "http://127.0.0.1:2/" })
    const outside = await w.call<Webhook>(admin, "chorus_create_webhook", { url: "https://hook.example/" })
    await expect(change(outside, admin, { allowPrivate: true })).rejects.toMatchObject(refused)
    await change(outside, admin, { url: "https://hook.example/2" })
    // Whoever takes it back needs nobody's leave, and moves it as they like.
    await change(admitted, admin, { allowPrivate: false, url: "https://hook.example/3" })
    for (const hook of [admitted, outside]) await remove(hook)
  })

  it("follow no redirect, and wait for no answer for long", async () => {
    const target = await startReceiver()
    const redirecting = await startReceiver(() => ({ redirect: `http://127.0.0.1:${target.port}/` }))
    const silent = await startReceiver(() => "silence")
    // One after the other: who is to answer gets the time it needs, who never does is not waited for.
    const failing = async (port: number, options: WebhookRoute = {}) => {
      const hook = await create(`http://127.0.0.1:${port}/`)
      await sending(
        async () => {
          await makeIdea("Elsewhere")
          await settled(hook, 1, "failed")
        },
        { waitsMs: [], ...options },
      )
      const tried = await deliveries(hook)
      await remove(hook)
      return tried
    }
    expect(await failing(redirecting.port)).toMatchObject([{ responseStatus: 302 }])
    expect(await failing(silent.port, { timeoutMs: 100 })).toMatchObject([{ error: expect.stringContaining("100 ms") }])
    expect(target.received).toEqual([])
    for (const receiver of [target, redirecting, silent]) await receiver.close()
  })

  it("that never answer hold up no other, however much lies before them", async () => {
    const silent = await startReceiver(() => "silence")
    const quick = await startReceiver()
    const slow = await create(`http://127.0.0.1:${silent.port}/`)
    const other = await create(`http://127.0.0.1:${quick.port}/`)
    await sending(
      async () => {
        for (let n = 0; n < 12; n++) await makeIdea(`First ${n}`)
        await waitFor(() => silent.received.length > 0, 60_000, "the silent one to be tried")
        await makeIdea("Then")
        await settled(other, 13, "delivered")
        expect((await deliveries(slow)).map(({ status }) => status)).not.toContain("failed")
      },
      { waitsMs: [], timeoutMs: 15_000 },
    )
    for (const hook of [slow, other]) await remove(hook)
    for (const receiver of [silent, quick]) await receiver.close()
  })

  it("are sent once though several servers send", async () => {
    const receiver = await startReceiver()
    const hook = await create(`http://127.0.0.1:${receiver.port}/`)
    const senders = [1, 2, 3].map(() => startPostOffice(w.store, [webhookSender(w.store, w.registry)]))
    await Promise.all(Array.from({ length: 20 }, (_, n) => makeIdea(`Parallel ${n}`)))
    await settled(hook, 20, "delivered")
    for (const sender of senders) await sender.close()
    expect(receiver.received).toHaveLength(20)
    await remove(hook)
    await receiver.close()
  })

  it("keep to their project, rest when paused, renew their secret, and send again when told", async () => {
    const receiver = await startReceiver()
    const hook = await create(`http://127.0.0.1:${receiver.port}/`, { projectUuid: w.project })
    await sending(async () => {
      await makeIdea("Other project", w.otherProject)
      await makeIdea("This project")
      await settled(hook, 1, "delivered")
      await w.call(w.owner, "chorus_update_webhook", { webhookUuid: hook.uuid, active: false })
      await makeIdea("While paused")
      const { secret } = await w.call<Webhook>(w.owner, "chorus_update_webhook", {
        webhookUuid: hook.uuid,
        active: true,
        renewSecret: true,
      })
      expect(secret).not.toBe(hook.secret)
      const [delivery] = await deliveries(hook)
      await w.call(w.owner, "chorus_redeliver_webhook", { webhookUuid: hook.uuid, deliveryUuid: delivery?.uuid })
      await waitFor(() => receiver.received.length === 2)
    })
    expect(receiver.received.map(({ event }) => event.patch["title"])).toEqual(["This project", "This project"])
    await remove(hook)
    await receiver.close()
  })

  it("forget what they sent a month ago, and nothing that still has to be sent", async () => {
    const receiver = await startReceiver()
    const hook = await create(`http://127.0.0.1:${receiver.port}/`)
    await sending(async () => {
      await makeIdea("Sent")
      await settled(hook, 1, "delivered")
    })
    const waiting = await create("http://127.0.0.1:9/")
    await sending(
      async () => {
        await makeIdea("Waits")
        await waitFor(async () => (await deliveries(waiting)).some(({ error }) => error !== null))
        await settled(hook, 2, "delivered")
      },
      { waitsMs: [365 * 24 * 3_600_000] },
    )
    await tidyUp(w.store, new Date(Date.now() + 31 * 24 * 3_600_000))
    expect(await deliveries(hook)).toEqual([])
    expect(await deliveries(waiting)).toHaveLength(1)
    for (const each of [hook, waiting]) await remove(each)
    await receiver.close()
  })

  it("show their secret only when it is made, and take only plain web addresses", async () => {
    const hook = await create("https://example.test/")
    expect(JSON.stringify(await w.call(w.owner, "chorus_list_webhooks"))).not.toContain(hook.secret)
    for (const url of [
      "ftp://example.test/",
      "file:///etc/passwd",
      "https://me:secret@example.test/",
      "nonsense",
      "javascript:1",
    ])
      await expect(create(url)).rejects.toMatchObject({ code: "invalid_input" })
    await expect(create("https://example.test/", { kinds: ["idea.*; drop"] })).rejects.toMatchObject({
      code: "invalid_input",
    })
    const events = await w.call<{ events: { kind: string; patch: object }[] }>(w.owner, "chorus_list_events", {
      kind: "webhook.created",
    })
    expect(JSON.stringify(events)).not.toContain(hook.secret)
    await remove(hook)
  })
})
