import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { startPostOffice } from "../src/deliveries/post-office.ts"
import { dropSeen } from "../src/push/notice.ts"
import { type PushOptions, pushSender } from "../src/push/sender.ts"
import { onEachEngineUnderStress } from "./each-engine.ts"
import { pushReceiver, vapidClaims } from "./push-receiver.ts"
import { openWorkspace, type Workspace } from "./workspace-fixture.ts"

const ROW = {
  terminalId: "t1",
  agent: "claude",
  state: "running",
  since: 1,
  source: "claude:UserPromptSubmit",
  title: "Fix the parser",
  detail: null,
  summary: null,
  exitCode: null,
  resumeCommand: null,
  reason: null,
  outside: false,
  ask: null,
  asks: null,
  folder: null,
  unread: false,
  ended: false,
} as const
const ASKS = { ...ROW, state: "needsInput", since: 2, detail: "Bash: rm -rf build" } as const
const PATIENCE = { timeout: 20_000 }
const PUBLIC = {
  endpoint: "https://push.example.com/one",
  keys: {
    p256dh: Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString("base64url"),
    auth: Buffer.alloc(16, 7).toString("base64url"),
  },
}

onEachEngineUnderStress("calls to a person's browser", (engine) => {
  let place: Workspace
  let sender: { close(): Promise<void> } | undefined
  beforeEach(async () => {
    place = await openWorkspace({ engine })
    // A call is of no use an hour later; those who make it and who send it must agree on the time.
    place.clock.advance(Date.now() - place.clock.now().getTime())
  })
  afterEach(async () => {
    await sender?.close()
    sender = undefined
    await place.close()
  })

  const channels = { page: () => "http://chorus.example" }
  const send = (options: Partial<PushOptions> = {}) =>
    (sender = startPostOffice(place.store, [pushSender(place.store, { allowPrivate: true, channels, ...options })], {
      waitsMs: [20, 20, 20],
    }))
  const report = (...terminals: object[]) =>
    place.call(place.developer, "chorus_report_machine", { machine: "laptop", terminals })
  const messages = () => place.store.db.selectFrom("deliveries").selectAll().execute()
  /** Subscribes through the door, then points the address at the test's own receiver, which no door would take. */
  const subscribe = async (receiver: { endpoint: string; keys: { p256dh: string; auth: string } }) => {
    await place.call(place.owner, "chorus_get_push")
    await place.call(place.owner, "chorus_subscribe_push", {
      ...PUBLIC,
      keys: receiver.keys,
      browser: "Firefox on Linux",
    })
    await place.store.write(({ db }) =>
      db.updateTable("pushSubscriptions").set({ endpoint: receiver.endpoint }).execute(),
    )
  }

  it("arrive readable for that browser alone, signed by this installation, and count as sent by the receipt", async () => {
    await using receiver = await pushReceiver()
    await subscribe(receiver)
    send()
    await report(ROW)
    await report(ASKS)
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), PATIENCE)
    const [call] = receiver.received
    expect(call?.payload).toMatchObject({
      title: "claude needs you",
      body: "Fix the parser: Bash: rm -rf build",
    })
    // Where it can be answered.
    const { items } = await place.call<{ items: { uuid: string; kind: string }[] }>(place.owner, "chorus_needs_you")
    expect(call?.payload).toMatchObject({
      path: `/?item=${items.find(({ kind }) => kind === "attention")?.uuid ?? ""}`,
    })
    expect(call?.headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "3600", urgency: "high" })
    const { claims, publicKey } = vapidClaims(String(call?.headers.authorization))
    expect(claims["aud"]).toBe(new URL(receiver.endpoint).origin)
    expect(await place.call(place.owner, "chorus_get_push")).toMatchObject({
      publicKey,
      subscriptions: [{ browser: "Firefox on Linux" }],
    })
    await vi.waitFor(
      async () => expect(await messages()).toMatchObject([{ state: "delivered", responseStatus: 201 }]),
      PATIENCE,
    )

    await report({ ...ROW, since: 3 })
    await report({ ...ROW, state: "finished", exitCode: 0, since: 4, summary: "All green." })
    await vi.waitFor(
      () =>
        expect(receiver.received.at(-1)?.payload).toMatchObject({
          title: "claude has finished",
          body: "Fix the parser: All green.",
        }),
      PATIENCE,
    )
  })

  it("are tried again while the service fails, and the browser is forgotten once it is gone", async () => {
    await using receiver = await pushReceiver()
    await subscribe(receiver)
    receiver.answer(503, 429)
    send()
    await report(ASKS)
    await vi.waitFor(
      async () => expect(await messages()).toMatchObject([{ state: "delivered", attempts: 3 }]),
      PATIENCE,
    )
    receiver.answer(410)
    await report({ ...ASKS, since: 5 })
    await vi.waitFor(
      async () => expect(await place.call(place.owner, "chorus_get_push")).toMatchObject({ subscriptions: [] }),
      PATIENCE,
    )
    expect(await messages()).toEqual([])
  })

  it("bear a mark that stays where a server dies before it noted that they were taken, and another call has another", async () => {
    await using receiver = await pushReceiver()
    await subscribe(receiver)
    send()
    await report(ASKS)
    await vi.waitFor(async () => expect(await messages()).toMatchObject([{ state: "delivered" }]), PATIENCE)
    // As such a server leaves it.
    await sender?.close()
    const nextAttemptAt = place.clock.now().toISOString()
    await place.store.write(({ db }) =>
      db.updateTable("deliveries").set({ state: "pending", nextAttemptAt, settledAt: null }).execute(),
    )
    send()
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), PATIENCE)
    await report({ ...ASKS, since: 8 })
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3), PATIENCE)
    const [first, again, other] = receiver.received.map(({ payload }) => payload["mark"])
    expect(first).toEqual(expect.any(String))
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })

  it("go nowhere but to the public internet", async () => {
    await using receiver = await pushReceiver()
    await subscribe(receiver)
    send({ allowPrivate: false })
    await report(ASKS)
    await vi.waitFor(
      async () =>
        expect(await messages()).toMatchObject([
          { state: "dead", lastError: expect.stringContaining("not an address of the public internet") },
        ]),
      PATIENCE,
    )
    expect(receiver.received).toEqual([])
  })

  it("are made when nobody looks: a page in view keeps them back, an agent at work does not, and an answer withdraws them", async () => {
    await using receiver = await pushReceiver()
    await subscribe(receiver)
    await place.call(place.owner, "chorus_note_page_in_view")
    await report(ASKS)
    const [held] = await messages()
    expect(Date.parse(held?.nextAttemptAt ?? "") - Date.parse(held?.createdAt ?? "")).toBeGreaterThan(89_000)
    place.clock.advance(1000)
    await place.call(place.owner, "chorus_note_page_in_view")
    await dropSeen(place.store)
    expect(await messages()).toEqual([])
    await place.store.write(({ db }) =>
      db.updateTable("personPresence").set({ visibleAt: "2000-01-01T00:00:00.000Z" }).execute(),
    )
    await place.call(place.developer, "chorus_checkin")
    await report({ ...ASKS, since: 6 })
    expect(await messages()).toMatchObject([{ state: "pending" }])
    await report({ ...ROW, since: 7 })
    expect(await messages()).toEqual([])
  })

  it("are a person's affair", async () => {
    for (const [name, input] of [
      ["chorus_get_push", {}],
      ["chorus_subscribe_push", PUBLIC],
      ["chorus_unsubscribe_push", { endpoint: PUBLIC.endpoint }],
      ["chorus_note_page_in_view", {}],
    ] as const) {
      await expect(place.call(place.admin, name, input), name).rejects.toMatchObject({ code: "forbidden" })
    }
    await expect(
      place.call(place.owner, "chorus_subscribe_push", { ...PUBLIC, endpoint: "http://push.example.com/" }),
    ).rejects.toMatchObject({ code: "invalid_input" })
    await place.call(place.owner, "chorus_subscribe_push", PUBLIC)
    await place.call(place.owner, "chorus_subscribe_push", PUBLIC)
    expect(await place.call(place.owner, "chorus_get_push")).toMatchObject({ subscriptions: [{ browser: null }] })
    expect(await place.call(place.stranger, "chorus_unsubscribe_push", { endpoint: PUBLIC.endpoint })).toEqual({
      removed: false,
    })
    expect(await place.call(place.owner, "chorus_unsubscribe_push", { endpoint: PUBLIC.endpoint })).toEqual({
      removed: true,
    })
  })
})
