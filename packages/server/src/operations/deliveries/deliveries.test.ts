import type { attentions, deliveries, OutputOf } from "@chorus/contracts"
import { beforeEach, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../../test/embedded-workspace.ts"
import type { Actor } from "../../operation.ts"

const w = embeddedWorkspace()
const MACHINE = { machine: "laptop" }
let teamUuid: string

beforeEach(async () => {
  await w.store.write(({ db }) => db.deleteFrom("deliveries").execute())
  const team = { fact: "team", team: "crew", at: "2026-01-01T00:00:00Z", era: "session", ledByChorus: true }
  await w.call(w.developer, "chorus_report_machine", { ...MACHINE, teamFacts: [team] })
  const { teams } = await w.call<{ teams: { uuid: string; name: string }[] }>(w.owner, "chorus_list_teams")
  teamUuid = teams.find(({ name }) => name === "crew")?.uuid ?? ""
})

const write = async (to: string, text: string, by: Actor = w.owner) =>
  (await w.call<{ orderUuid: string }>(by, "chorus_write_to_member", { teamUuid, to, text })).orderUuid
const fetch = (by: Actor = w.developer) =>
  w.call<OutputOf<typeof deliveries.fetchDeliveries>>(by, "chorus_fetch_deliveries", MACHINE)
const waiting = async () => (await fetch()).deliveries.map(({ uuid }) => uuid)
const settle = (deliveryUuid: string, more: object = {}, by: Actor = w.developer) =>
  w.call<OutputOf<typeof deliveries.settleDelivery>>(by, "chorus_settle_delivery", { deliveryUuid, ...more })
const listed = async (by: Actor = w.owner, state = "dead") =>
  (await w.call<OutputOf<typeof deliveries.listDeliveries>>(by, "chorus_list_deliveries", { state })).deliveries
const ask = (more: object = {}, detail: object = {}) =>
  w.call<attentions.AttentionRow>(w.developer, "chorus_create_attention", {
    title: "bob: # Paint it",
    kind: "plan",
    detail: { ...MACHINE, team: "crew", member: "bob", requestId: "r1", ...detail },
    ...more,
  })
const answer = (attentionUuid: string, given: object, by: Actor = w.owner) =>
  w.call(by, "chorus_answer_attention", { attentionUuid, answer: given })

describe("what waits for a machine", () => {
  it("is fetched by its own companion, in order, until it is settled; to settle it twice changes nothing", async () => {
    const said = [await write("bob", "one"), await write("amy", "two"), await write("bob", "three")]
    expect(await waiting()).toEqual(said)
    expect((await fetch(w.rival)).deliveries).toEqual([])
    const [first = ""] = said
    await expect(settle(first, {}, w.rival)).rejects.toMatchObject({ code: "not_found" })
    expect(await settle(first)).toEqual({ uuid: first, state: "delivered", nextAttemptAt: null })
    expect(await w.kinds(() => settle(first, { error: "too late" }))).toEqual([])
    expect(await waiting()).toEqual(said.slice(1))
  })

  it("waits for its next attempt with what comes after it to the same member, and with nothing else", async () => {
    const [one, two, three] = [await write("bob", "one"), await write("amy", "two"), await write("bob", "three")]
    const { nextAttemptAt } = await settle(one, { error: "The disk is full." })
    expect(await fetch()).toMatchObject({ deliveries: [{ uuid: two }], nextAttemptAt })
    w.clock.advance(2001)
    expect(await waiting()).toEqual([one, two, three])
    await settle(one, { error: "No such member.", final: true })
    expect(await waiting()).toEqual([two, three])
  })

  it("is heard of on the stream, by the machine's lane alone", async () => {
    const events = await w.told(() => write("bob", "one"))
    expect(events.map(({ kind }) => kind).sort()).toEqual(["delivery.queued", "order.given"])
    const { machineUuid } = await w.call<{ machineUuid: string }>(w.developer, "chorus_report_machine", MACHINE)
    expect(events.find(({ kind }) => kind === "delivery.queued")?.patch).toMatchObject({
      lane: `machine:${machineUuid}`,
    })
  })
})

describe("an answer to a member of a team", () => {
  it.each([
    ["plan", { decision: "deny", text: "Keep the tests." }, { approved: false, feedback: "Keep the tests." }],
    ["plan", { decision: "approve" }, { approved: true }],
    ["permission", { decision: "deny", text: "No." }, { approved: false, reason: "No." }],
  ])("goes to its machine: %s %j", async (kind, given, decided) => {
    const { uuid } = await ask({ kind })
    await answer(uuid, given)
    const [delivery] = (await fetch()).deliveries
    expect(delivery).toMatchObject({
      kind: "answer",
      thread: "team:crew/bob",
      payload: { decision: { decision: kind, team: "crew", member: "bob", requestId: "r1", by: "Olive", ...decided } },
    })
    expect(await w.kinds(() => settle(delivery?.uuid ?? ""))).toEqual(["attention.delivered"])
    expect(await w.call(w.developer, "chorus_get_attention", { attentionUuid: uuid })).toMatchObject({
      state: "delivered",
    })
  })

  it("is a yes or a no", async () => {
    const { uuid } = await ask()
    await expect(answer(uuid, { text: "Later." })).rejects.toMatchObject({ code: "decision_missing" })
    expect(await w.call(w.developer, "chorus_get_attention", { attentionUuid: uuid })).toMatchObject({ state: "open" })
  })

  it("goes to a machine also when it has not reported yet", async () => {
    const machine = "new laptop"
    await answer((await ask({}, { machine })).uuid, { decision: "approve" })
    expect(await w.call(w.developer, "chorus_fetch_deliveries", { machine })).toMatchObject({
      deliveries: [{ kind: "answer" }],
    })
    expect(await w.kinds(() => w.call(w.developer, "chorus_report_machine", { machine }))).toEqual([])
  })

  it.each([
    ["an agent that asks for itself", {}, { team: undefined, member: undefined }],
    ["a terminal", { kind: "input" }, {}],
    ["fields that are not ours", {}, { requestId: 7 }],
  ])("is not sent anywhere for %s", async (_, more, detail) => {
    await answer((await ask(more, detail)).uuid, { decision: "approve" })
    expect(await waiting()).toEqual([])
  })
})

describe("a dead letter", () => {
  const dead = async (by: Actor = w.owner) => {
    const uuid = await write("bob", "one", by)
    await settle(uuid, { error: "bob is gone", next: "Choose another member.", final: true })
    return uuid
  }
  const redeliver = (deliveryUuid: string, by: Actor = w.owner) => w.call(by, "chorus_redeliver", { deliveryUuid })
  const needs = async (by: Actor) =>
    (await w.call<OutputOf<typeof attentions.needsYou>>(by, "chorus_needs_you")).items.filter(
      ({ kind }) => kind === "delivery",
    )

  it("comes after the last attempt, or at once", async () => {
    const uuid = await write("bob", "one")
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(await waiting()).toEqual([uuid])
      const { state } = await settle(uuid, { error: "The disk is full." })
      expect(state).toBe(attempt === 5 ? "dead" : "pending")
      w.clock.advance(301_000)
    }
    expect(await waiting()).toEqual([])
  })

  it("is seen by whose it is and by who runs the workspace: what, where to, why, and what to do", async () => {
    const uuid = await dead(w.member)
    for (const by of [w.owner, w.member])
      expect(await listed(by)).toMatchObject([
        { uuid, kind: "order", title: "bob: one", to: "laptop", by: { name: "Mia" }, attempts: 1 },
      ])
    expect((await listed())[0]).toMatchObject({ lastError: "bob is gone", next: "Choose another member." })
    const mine = await dead()
    expect((await listed(w.member)).map((row) => row.uuid)).toEqual([uuid])
    expect(await needs(w.member)).toMatchObject([{ uuid, title: "bob: one" }])
    expect(await needs(w.owner)).toMatchObject([{ uuid: mine }])
    expect(await listed(w.stranger)).toEqual([])
  })

  it("can be sent again under the same mark, by whom it concerns, and only while it is dead", async () => {
    const uuid = await dead()
    await expect(redeliver(uuid, w.member)).rejects.toMatchObject({ code: "not_found" })
    expect(await w.kinds(() => redeliver(uuid))).toEqual(["delivery.queued"])
    expect(await waiting()).toEqual([uuid])
    await expect(redeliver(uuid)).rejects.toMatchObject({ code: "delivery_not_dead", status: 409 })
    await settle(uuid)
    expect([await listed(), await needs(w.owner)]).toEqual([[], []])
  })

  it("can be put away", async () => {
    const uuid = await dead()
    expect(await w.kinds(() => w.call(w.owner, "chorus_dismiss_delivery", { deliveryUuid: uuid }))).toEqual([
      "delivery.dismissed",
    ])
    expect([await listed(), await needs(w.owner)]).toEqual([[], []])
    await expect(redeliver(uuid)).rejects.toMatchObject({ code: "not_found" })
  })
})
