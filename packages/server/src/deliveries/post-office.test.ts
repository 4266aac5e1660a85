import { randomUUID } from "node:crypto"
import { waitFor } from "@chorus/testing"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { type Delivery, newDelivery } from "./outbox.ts"
import { type PostOfficeOptions, type Sender, startPostOffice } from "./post-office.ts"
import type { Outcome } from "./settle.ts"

const w = embeddedWorkspace()
const NOW = Date.parse("2026-03-02T12:00:00.000Z")
let time = NOW

beforeEach(async () => {
  time = NOW
  await w.store.write(({ db }) => db.deleteFrom("deliveries").execute())
})

const due = async (lane: string, count = 1, more: Partial<Delivery> = {}) => {
  const rows = Array.from({ length: count }, (_, place) => ({
    ...newDelivery(
      { workspaceUuid: w.workspaceUuid, lane, kind: "event", title: "task.created", payload: {} },
      { uuid: randomUUID(), place: place + 1, now: new Date(NOW).toISOString() },
    ),
    ...more,
  }))
  await w.store.write(({ db }) => db.insertInto("deliveries").values(rows).execute())
  return rows.map(({ uuid }) => uuid)
}
const rows = () => w.store.db.selectFrom("deliveries").selectAll().orderBy("lane").orderBy("place").execute()
const row = async () => (await rows())[0]

/** An office whose destinations do what `send` says, and what they were sent. */
function open(send: (delivery: Delivery) => Promise<Outcome> | Outcome, options: PostOfficeOptions = {}) {
  const sent: string[] = []
  const sender: Sender = {
    kind: "event",
    atOnce: 2,
    send: async (delivery) => {
      sent.push(delivery.uuid)
      return send(delivery)
    },
  }
  const office = startPostOffice(w.store, [sender], { now: () => new Date(time), ...options })
  onTestFinished(() => office.close())
  return { sent, office }
}

const arrived: Outcome = { arrived: true }
const failed: Outcome = { arrived: false, error: "It answered 500.", responseStatus: 500 }
const settled = (count: number) =>
  waitFor(async () => (await rows()).filter(({ state }) => state !== "pending").length === count, 60_000, "settlement")

describe("a delivery", () => {
  it("goes out once though several servers send, each lane in its order", async () => {
    const wanted = [...(await due("webhook:a", 20)), ...(await due("webhook:b", 20))]
    const offices = [open(() => arrived), open(() => arrived), open(() => arrived)]
    await settled(40)
    expect(offices.flatMap(({ sent }) => sent).sort()).toEqual(wanted.sort())
    expect((await rows()).map(({ attempts }) => attempts)).toEqual(wanted.map(() => 1))
  })

  it("that hangs delays no other lane", async () => {
    const stuck = await due("webhook:a", 5)
    await due("webhook:b", 5)
    const hangs = Promise.withResolvers<Outcome>()
    const { sent } = open(({ lane }) => (lane === "webhook:a" ? hangs.promise : arrived))
    await settled(5)
    expect(sent.filter((uuid) => stuck.includes(uuid))).toHaveLength(2)
    hangs.resolve(arrived)
  })

  it("that falls due while the office looks goes out at once, not when it looks the next time", async () => {
    await due("webhook:a", 1, { nextAttemptAt: new Date(NOW + 25).toISOString() })
    // Time goes on with each look at the clock: at one it is not due yet, at the next it is.
    const { sent } = open(() => arrived, { now: () => new Date((time += 10)) })
    await waitFor(() => sent.length === 1, 20_000, "the delivery")
  })

  it("falls due again when whoever took it never comes back, and what that one says later changes nothing", async () => {
    await due("webhook:a")
    const hangs = Promise.withResolvers<Outcome>()
    const first = open(() => hangs.promise)
    await waitFor(() => first.sent.length === 1)
    time += 19_000
    const second = open(() => arrived)
    await w.newIdea()
    expect(second.sent).toEqual([])
    time += 1001
    await w.newIdea()
    await settled(1)
    hangs.resolve(failed)
    await first.office.close()
    expect(await row()).toMatchObject({ state: "delivered", attempts: 2, lastError: null })
  })

  it("is given back by a server that ends, without counting the attempt", async () => {
    await due("webhook:a")
    const closing = new AbortController()
    const { office, sent } = open(
      () => new Promise((resolve) => closing.signal.addEventListener("abort", () => resolve(failed))),
    )
    await waitFor(() => sent.length === 1)
    const closed = office.close()
    closing.abort()
    await closed
    expect(await row()).toMatchObject({ state: "pending", attempts: 0, nextAttemptAt: new Date(time).toISOString() })
  })

  it("waits longer each time, is dead in the end, and the log tells", async () => {
    await due("webhook:a")
    const events = await w.told(async () => {
      const { sent } = open(() => failed, { waitsMs: [10_000, 60_000] })
      const waits = (ms: number) =>
        waitFor(async () => Date.parse((await row())?.nextAttemptAt ?? "") - time === ms, 60_000, `a wait of ${ms} ms`)
      await waits(10_000)
      time += 10_000
      await w.newIdea()
      await waitFor(() => sent.length === 2)
      await waits(60_000)
      time += 60_000
      await w.newIdea()
      await settled(1)
    })
    expect(await row()).toMatchObject({ state: "dead", attempts: 3, nextAttemptAt: null, responseStatus: 500 })
    expect(events.find(({ kind }) => kind === "delivery.failed")).toMatchObject({
      entityType: "delivery",
      patch: { state: "dead", attempts: 3, lastError: "It answered 500." },
      actor: { type: "system" },
    })
  })

  it("is dead at once when another attempt would go no better, and when its time is over", async () => {
    await due("webhook:a")
    await due("machine:b", 1, { kind: "order", tag: "team:t", expiresAt: new Date(NOW - 1).toISOString() })
    open(() => ({ ...failed, forGood: true }))
    await settled(2)
    expect((await rows()).map(({ lane, attempts, next }) => [lane, attempts, next])).toEqual([
      ["machine:b", 0, "Start the companion on that machine, then send it again."],
      ["webhook:a", 1, null],
    ])
  })

  it("rests while it has no time for its next attempt", async () => {
    await due("webhook:a", 1, { nextAttemptAt: null })
    await due("webhook:b")
    const { sent } = open(() => arrived)
    await settled(1)
    expect(sent).toHaveLength(1)
  })
})
