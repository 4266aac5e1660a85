import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Answer, json, never, type Network, scripted, stream } from "../test/scripted-network.ts"
import { createClient } from "./client.ts"
import type { EventOptions, StreamItem } from "./event-stream.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LONGEST_PAUSE_MS = 7500
const event = (id: number) =>
  `id: ${id}\nevent: task.updated\ndata: ${JSON.stringify({ id, kind: "task.updated" })}\n\n`
const away: Answer = () => Promise.reject(new TypeError("fetch failed"))

interface Reading extends Network {
  readonly seen: (number | string)[]
  readonly connections: boolean[]
  readonly ended: Promise<unknown>
  leave(): void
}

/** Reads events until told to leave: ids of events, and gaps by their position. */
function read(answers: readonly Answer[], options: EventOptions = {}): Reading {
  const network = scripted([...answers, never])
  const leaving = new AbortController()
  const seen: (number | string)[] = []
  const connections: boolean[] = []
  const items = createClient({ url: "http://chorus.test", key: "cho_x", fetch: network.fetch }).events({
    lastEventId: 0,
    onConnection: (on) => connections.push(on),
    ...options,
    signal: leaving.signal,
  })
  const ended = collect(items, (item) => seen.push(item.type === "gap" ? `gap ${item.position}` : item.event.id)).catch(
    (error: unknown) => error,
  )
  return { ...network, seen, connections, ended, leave: () => leaving.abort() }
}

async function collect(items: AsyncIterable<StreamItem>, take: (item: StreamItem) => unknown): Promise<void> {
  for await (const item of items) take(item)
}

const lastIds = ({ sent }: Network) =>
  sent.filter(({ address }) => address.includes("/api/events")).map(({ headers }) => headers.get("last-event-id"))

describe("the events", () => {
  it("are asked for by project and kind, after the position, with the key", async () => {
    const reading = read([stream([event(8)])], {
      lastEventId: 7,
      projectUuid: "p 1",
      kinds: ["task.updated", "idea.created"],
    })
    await vi.waitFor(() => expect(reading.seen).toEqual([8]))
    reading.leave()
    await reading.ended
    expect(reading.sent[0]?.address).toBe(
      "http://chorus.test/api/events?projectUuid=p+1&kind=task.updated&kind=idea.created",
    )
    expect(Object.fromEntries(reading.sent[0]?.headers ?? [])).toMatchObject({
      accept: "text/event-stream",
      authorization: "Bearer cho_x",
      "last-event-id": "7",
    })
  })

  it("begin with what comes from now on when no position is given, however often connecting fails", async () => {
    const reading = read([json(200, { events: [], last: 41 }), away, stream([event(42)])], { lastEventId: undefined })
    await vi.advanceTimersByTimeAsync(LONGEST_PAUSE_MS)
    expect(reading.seen).toEqual([42])
    expect(lastIds(reading)).toEqual(["41", "41", "42"])
    reading.leave()
    await reading.ended
  })

  it("go on after the last one seen, and none comes twice", async () => {
    const reading = read([stream([event(1), event(2)]), stream([event(2), event(3)]), stream([event(1), event(4)])])
    await vi.advanceTimersByTimeAsync(3 * LONGEST_PAUSE_MS)
    expect(reading.seen).toEqual([1, 2, 3, 4])
    expect(lastIds(reading)).toEqual(["0", "2", "3", "4"])
    reading.leave()
    await reading.ended
  })

  it("that can no longer be had are told as a gap, and it goes on behind that, also backwards", async () => {
    const reading = read([
      stream(["event: gap\nid: 90\ndata: {}\n\n", event(91)]),
      stream(["event: gap\nid: 3\ndata: {}\n\n", event(4)]),
    ])
    await vi.advanceTimersByTimeAsync(2 * LONGEST_PAUSE_MS)
    expect(reading.seen).toEqual(["gap 90", 91, "gap 3", 4])
    expect(lastIds(reading)).toEqual(["0", "91", "4"])
    reading.leave()
    await reading.ended
  })

  it("do not include who is there, nor comments", async () => {
    const reading = read([stream([": connected\n\n", 'event: presence\ndata: {"id":99}\n\n', event(1)])])
    await vi.waitFor(() => expect(reading.seen).toEqual([1]))
    reading.leave()
    await reading.ended
  })
})

describe("a connection", () => {
  it("is told when it comes and when it goes, once each", async () => {
    const reading = read([
      away,
      stream([event(1)]),
      json(503, { error: { code: "store_unavailable", message: "Away." } }),
      stream([event(2)], { open: true }),
    ])
    await vi.advanceTimersByTimeAsync(3 * LONGEST_PAUSE_MS)
    expect(reading.connections).toEqual([true, false, true])
    reading.leave()
    await reading.ended
    expect(reading.connections).toEqual([true, false, true, false])
  })

  it("that is silent too long is made anew", async () => {
    const reading = read([stream([event(1)], { open: true }), stream([event(2)], { open: true })], { silenceMs: 1000 })
    await vi.advanceTimersByTimeAsync(999)
    expect(reading.sent).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1 + LONGEST_PAUSE_MS)
    expect(reading.seen).toEqual([1, 2])
    reading.leave()
    await reading.ended
  })

  it("that is never answered is made anew", async () => {
    const reading = read([never, stream([event(1)])], { silenceMs: 1000 })
    await vi.advanceTimersByTimeAsync(1000 + LONGEST_PAUSE_MS)
    expect(reading.seen).toEqual([1])
    reading.leave()
    await reading.ended
  })

  it.each([
    [
      "a page of something else",
      new Response("<html>data: x\n\n</html>", { headers: { "content-type": "text/html" } }),
    ],
    ["an answer without a kind", new Response("data: {}\n\n")],
    ["no content", new Response(null, { status: 204 })],
  ])("to %s is none, and is tried again", async (_, answer) => {
    const reading = read([answer, stream([event(1)])])
    await vi.advanceTimersByTimeAsync(LONGEST_PAUSE_MS)
    expect(reading.seen).toEqual([1])
    expect(reading.connections).toEqual([true, false])
    reading.leave()
    await reading.ended
  })

  it.each([
    ["an event that is not JSON", 'id: 2\ndata: {"id":2\n\n'],
    ["a gap without a position", "event: gap\ndata: {}\n\n"],
  ])("that brings %s is made anew after the last good event", async (_, frame) => {
    const reading = read([stream([event(1), frame, event(3)]), stream([event(2), event(3)])])
    await vi.advanceTimersByTimeAsync(LONGEST_PAUSE_MS)
    expect(reading.seen).toEqual([1, 2, 3])
    reading.leave()
    await reading.ended
  })

  it("is made anew at ever longer times, and never after more than a few seconds", async () => {
    const reading = read(Array.from({ length: 50 }, () => away))
    await vi.advanceTimersByTimeAsync(150)
    expect(reading.sent.length).toBeGreaterThanOrEqual(2)
    await vi.advanceTimersByTimeAsync(60_000)
    const before = reading.sent.length
    expect(before).toBeLessThan(35)
    await vi.advanceTimersByTimeAsync(LONGEST_PAUSE_MS)
    expect(reading.sent.length).toBeGreaterThan(before)
    reading.leave()
    await reading.ended
  })

  it("that held for a while comes back at once, also if nothing happened in it", async () => {
    const quiet: Answer = () =>
      new Response(new ReadableStream({ start: (body) => void setTimeout(() => body.close(), 20_000) }), {
        headers: { "content-type": "text/event-stream" },
      })
    const reading = read([...Array.from({ length: 8 }, () => quiet), stream([event(1)])])
    await vi.advanceTimersByTimeAsync(8 * (20_000 + 150))
    expect(reading.seen).toEqual([1])
    reading.leave()
    await reading.ended
  })
})

describe("the end of the events", () => {
  it("comes with the refusal of one who may not read them", async () => {
    const reading = read([json(401, { error: { code: "key_unknown", message: "Nobody has this key." } })])
    expect(await reading.ended).toMatchObject({ code: "key_unknown", status: 401 })
    expect(reading.sent).toHaveLength(1)
  })

  it.each([
    ["while it reads", [stream([event(1)], { open: true })]],
    ["while it connects", [never]],
    ["while it waits to connect again", [away]],
    ["while it asks where the log ends", [never]],
  ] as [string, Answer[]][])("is no error when it was wanted, %s, and leaves no timer", async (when, answers) => {
    const reading = read(answers, when.includes("log ends") ? { lastEventId: undefined } : {})
    await vi.advanceTimersByTimeAsync(10)
    reading.leave()
    expect(await reading.ended).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  it("closes the connection of a reader who stops listening", async () => {
    const { fetch, sent } = scripted([stream([event(1), event(2)], { open: true })])
    for await (const item of createClient({ url: "", fetch }).events({ lastEventId: 0 })) {
      expect(item).toMatchObject({ event: { id: 1 } })
      break
    }
    expect(sent[0]?.signal?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})
