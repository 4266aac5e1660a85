import type { Positioned } from "@chorus/client"
import { ChorusError, type LogEvent } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Follow, keyOf, LiveStore } from "./live-store.ts"

function event(id: number, patch: Record<string, unknown> = {}): LogEvent {
  return {
    id,
    at: "2026-01-01T00:00:00.000Z",
    kind: "task.updated",
    entityType: "task",
    entityUuid: "t1",
    projectUuid: "p1",
    action: "updated",
    patch,
    actor: { type: "agent", uuid: "a", name: "A" },
    requestId: null,
  }
}

const read = (answer: unknown, position = 0): Positioned<unknown> => ({ answer, position })

const merging: Follow<unknown> = { apply: (answer, { patch }) => ({ ...(answer as object), ...patch }) }

describe("LiveStore", () => {
  it("applies events to a kept answer without loading it again", async () => {
    const store = new LiveStore()
    let loads = 0
    store.keep(
      "k",
      async () => (loads++, read({ status: "open" })),
      merging,
      () => undefined,
    )
    await Promise.resolve()
    await Promise.resolve()
    store.apply(event(1, { status: "assigned" }))
    expect(store.snapshot("k").answer).toEqual({ status: "assigned" })
    expect(loads).toBe(1)
  })

  it("does not lose events that come while the answer is on its way", async () => {
    const store = new LiveStore()
    let deliver: (answer: Positioned<unknown>) => void = () => undefined
    store.keep(
      "k",
      () => new Promise((resolve) => (deliver = resolve)),
      merging,
      () => undefined,
    )
    store.apply(event(1, { status: "done" }))
    deliver(read({ status: "open" }))
    await new Promise(setImmediate)
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
  })

  it("tells only the listeners of answers that changed", async () => {
    const store = new LiveStore()
    let told = 0
    store.keep(
      "still",
      async () => read(1),
      { apply: (answer) => answer },
      () => told++,
    )
    await new Promise(setImmediate)
    const before = told
    store.apply(event(1))
    expect(told).toBe(before)
  })

  it("takes an amendment back without losing what happened meanwhile", async () => {
    const store = new LiveStore()
    store.keep(
      "k",
      async () => read({ status: "open", title: "a" }),
      merging,
      () => undefined,
    )
    await new Promise(setImmediate)
    const amendment = store.amend("k", (answer) => ({ ...(answer as object), status: "done" }))
    expect(store.snapshot("k").answer).toEqual({ status: "done", title: "a" })
    store.apply(event(1, { title: "b" }))
    expect(store.snapshot("k").answer).toEqual({ status: "done", title: "b" })
    amendment.takeBack()
    expect(store.snapshot("k").answer).toEqual({ status: "open", title: "b" })
  })

  it("does not lose events that come while an answer is loaded again", async () => {
    const store = new LiveStore()
    let deliver: (answer: Positioned<unknown>) => void = () => undefined
    let first = true
    const load = async () => {
      if (!first) return new Promise<Positioned<unknown>>((resolve) => (deliver = resolve))
      first = false
      return read({ status: "open" })
    }
    store.keep("k", load, merging, () => undefined)
    await new Promise(setImmediate)
    store.reload("k")
    store.apply(event(1, { status: "done" }))
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
    deliver(read({ status: "open" }))
    await new Promise(setImmediate)
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
  })

  it("tells a listener once about many events", async () => {
    const store = new LiveStore()
    let told = 0
    store.keep(
      "k",
      async () => read({}),
      merging,
      () => told++,
    )
    await new Promise(setImmediate)
    const before = told
    store.apply(event(1, { a: 1 }), event(2, { b: 2 }), event(3, { c: 3 }))
    expect(told - before).toBe(1)
    expect(store.snapshot("k").answer).toEqual({ a: 1, b: 2, c: 3 })
  })

  it("keeps showing the last good answer when a reload fails", async () => {
    const store = new LiveStore()
    let fail = false
    store.keep(
      "k",
      async () => (fail ? Promise.reject(new Error("down")) : read(7)),
      undefined,
      () => undefined,
    )
    await new Promise(setImmediate)
    fail = true
    store.reload("k")
    await new Promise(setImmediate)
    expect(store.snapshot("k")).toMatchObject({ status: "ready", answer: 7, error: new Error("down") })
  })
})

/** A store whose one answer is delivered by hand, load by load. */
function storeByHand(follow: Follow<unknown> = merging) {
  const store = new LiveStore()
  const loads: { resolve(answer: Positioned<unknown>): void; reject(error: unknown): void }[] = []
  const load = () => {
    const { promise, resolve, reject } = Promise.withResolvers<Positioned<unknown>>()
    loads.push({ resolve, reject })
    return promise
  }
  const listener = vi.fn()
  const release = store.keep("k", load, follow, listener)
  return {
    store,
    loads,
    load,
    listener,
    release,
    deliver: (at: number, answer: unknown, position?: number) => (loads[at]?.resolve({ answer, position }), settled()),
    fail: (at: number, error: Error = new Error("down")) => (loads[at]?.reject(error), settled()),
  }
}

/** Lets everything go on that waits for nothing but its turn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

describe("an answer that is kept", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("is loading until it comes, and a stranger's key is loading too", async () => {
    const { store, deliver } = storeByHand()
    expect(store.snapshot("k")).toEqual({ status: "loading", answer: undefined, error: undefined })
    expect(store.snapshot("nobody asked")).toEqual({ status: "loading", answer: undefined, error: undefined })
    await deliver(0, { a: 1 })
    expect(store.snapshot("k")).toEqual({ status: "ready", answer: { a: 1 }, error: undefined })
  })

  it("is loaded once for any number of readers, who all are told", async () => {
    const { store, loads, load, listener, deliver } = storeByHand()
    const second = vi.fn()
    store.keep("k", load, merging, second)
    expect(loads).toHaveLength(1)
    await deliver(0, {})
    expect([listener.mock.calls.length, second.mock.calls.length]).toEqual([1, 1])
  })

  it("has failed when the first load fails, and is ready when trying again helps", async () => {
    const { store, deliver, fail } = storeByHand()
    await fail(0)
    expect(store.snapshot("k")).toEqual({ status: "failed", answer: undefined, error: new Error("down") })
    store.reload("k")
    await deliver(1, { a: 1 })
    expect(store.snapshot("k")).toEqual({ status: "ready", answer: { a: 1 }, error: undefined })
  })

  it("never goes back to an older answer that came late", async () => {
    const { store, deliver } = storeByHand()
    store.reload("k")
    await deliver(1, { version: 2 })
    await deliver(0, { version: 1 })
    expect(store.snapshot("k").answer).toEqual({ version: 2 })
  })

  it("is not taken for failed when only an older load failed", async () => {
    const { store, deliver, fail } = storeByHand()
    store.reload("k")
    await deliver(1, { a: 1 })
    await fail(0)
    expect(store.snapshot("k")).toMatchObject({ status: "ready", error: undefined })
  })

  it("is loaded anew once, a moment later, for any number of events it cannot follow", async () => {
    const { store, loads, deliver } = storeByHand({ apply: () => undefined })
    await deliver(0, {})
    store.apply(event(1), event(2))
    store.apply(event(3))
    expect(loads).toHaveLength(1)
    vi.advanceTimersByTime(299)
    expect(loads).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(loads).toHaveLength(2)
    vi.advanceTimersByTime(10_000)
    expect(loads).toHaveLength(2)
  })

  it("is loaded anew when what came with its own loading cannot be followed", async () => {
    const { store, loads, deliver } = storeByHand({ apply: (_, { id }) => (id === 2 ? undefined : {}) })
    store.apply(event(2))
    await deliver(0, {})
    vi.advanceTimersByTime(300)
    expect(loads).toHaveLength(2)
  })

  it("that follows nothing stays as it was said", async () => {
    const store = new LiveStore()
    const told = vi.fn()
    store.keep("k", async () => read(1), undefined, told)
    await settled()
    store.apply(event(1))
    vi.advanceTimersByTime(1000)
    expect(told).toHaveBeenCalledOnce()
    expect(store.snapshot("k").answer).toBe(1)
  })

  it("goes on being kept for a minute after the last reader, and is then forgotten", async () => {
    const { store, loads, load, release, deliver } = storeByHand()
    await deliver(0, { a: 1 })
    release()
    vi.advanceTimersByTime(59_999)
    store.apply(event(1, { b: 2 }))
    expect(store.snapshot("k").answer).toEqual({ a: 1, b: 2 })
    vi.advanceTimersByTime(1)
    expect(store.snapshot("k").status).toBe("loading")
    store.keep("k", load, merging, () => undefined)
    expect(loads).toHaveLength(2)
  })

  it("is not forgotten when somebody comes back within the minute", async () => {
    const { store, loads, load, release, deliver } = storeByHand()
    await deliver(0, { a: 1 })
    release()
    vi.advanceTimersByTime(30_000)
    store.keep("k", load, merging, () => undefined)
    vi.advanceTimersByTime(120_000)
    expect(store.snapshot("k").answer).toEqual({ a: 1 })
    expect(loads).toHaveLength(1)
  })

  it("takes no event that it was read after", async () => {
    const { store, deliver } = storeByHand()
    store.apply(event(1, { title: "a" }))
    await deliver(0, { title: "c" }, 3)
    store.apply(event(2, { title: "b" }), event(3, { title: "c" }))
    expect(store.snapshot("k").answer).toEqual({ title: "c" })
    store.apply(event(4, { title: "d" }))
    expect(store.snapshot("k").answer).toEqual({ title: "d" })
  })

  it("never goes back behind what was known when it was asked for", async () => {
    const { store, loads, deliver } = storeByHand()
    await deliver(0, { title: "c" }, 3)
    store.apply(event(4, { title: "d" }))
    store.reload("k")
    await deliver(1, { title: "c" }, 3)
    expect(store.snapshot("k").answer).toEqual({ title: "d" })
    vi.advanceTimersByTime(300)
    await deliver(2, { title: "d", by: "Ada" }, 4)
    expect([store.snapshot("k").answer, loads.length]).toEqual([{ title: "d", by: "Ada" }, 3])
  })

  it("is asked for again when what it lacks could not be had, and left alone when it was refused", async () => {
    const { store, loads, deliver, fail } = storeByHand({ apply: () => undefined })
    await deliver(0, {}, 1)
    store.apply(event(2))
    vi.advanceTimersByTime(300)
    await fail(1, new ChorusError("server_unreachable", "Nobody answers.", { status: 503 }))
    vi.advanceTimersByTime(5000)
    expect(loads).toHaveLength(3)
    await fail(2, new ChorusError("not_found", "It is gone.", { status: 404 }))
    vi.advanceTimersByTime(60_000)
    expect(loads).toHaveLength(3)
  })

  it("is not loaded anew for an event that was in the answer on its way", async () => {
    const { store, loads, deliver } = storeByHand({ apply: () => undefined })
    await deliver(0, {}, 1)
    store.reload("k")
    store.apply(event(2))
    await deliver(1, {}, 2)
    vi.advanceTimersByTime(1000)
    expect(loads).toHaveLength(2)
  })

  it("begins anew behind a gap, also where positions do", async () => {
    const { store, deliver } = storeByHand()
    await deliver(0, { title: "lost" }, 90)
    const amendment = store.amend("k", (answer) => ({ ...(answer as object), mine: true }))
    amendment.confirm(95)
    store.reloadAll()
    await deliver(1, { title: "restored" }, 7)
    expect(store.snapshot("k").answer).toEqual({ title: "restored" })
    store.apply(event(8, { title: "new" }))
    expect(store.snapshot("k").answer).toEqual({ title: "new" })
  })

  it("is loaded anew with all others after a gap", async () => {
    const { store, loads, deliver } = storeByHand()
    await deliver(0, { a: 1 })
    store.reloadAll()
    expect(loads).toHaveLength(2)
    expect(store.snapshot("k")).toMatchObject({ status: "ready", answer: { a: 1 } })
  })
})

describe("amending", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("does nothing to what is not there, and waits for what is on its way", async () => {
    const { store, deliver } = storeByHand()
    store.amend("other", () => ({ amended: true })).confirm(1)
    const early = store.amend("k", () => ({ amended: true }))
    expect(store.snapshot("k")).toMatchObject({ status: "loading", answer: undefined })
    await deliver(0, { a: 1 }, 1)
    expect(store.snapshot("k").answer).toEqual({ amended: true })
    early.confirm(1)
    expect(store.snapshot("k").answer).toEqual({ a: 1 })
  })

  it("loads what came on show while the change was on its way", async () => {
    const { store, loads, load } = storeByHand()
    const amendment = store.amend("later", () => 1)
    store.keep("later", load, undefined, () => undefined)
    amendment.confirm(1)
    expect(loads).toHaveLength(3)
  })

  it("piles up, and each change is taken back by itself", async () => {
    const { store, deliver } = storeByHand()
    await deliver(0, {})
    const one = store.amend("k", (answer) => ({ ...(answer as object), one: 1 }))
    const two = store.amend("k", (answer) => ({ ...(answer as object), two: 2 }))
    expect(store.snapshot("k").answer).toEqual({ one: 1, two: 2 })
    one.takeBack()
    expect(store.snapshot("k").answer).toEqual({ two: 2 })
    two.confirm(1)
    two.confirm(2)
    two.takeBack()
    expect(store.snapshot("k").answer).toEqual({ two: 2 })
  })

  it("ends where the log says the same, and never covers what is newer", async () => {
    const { store, deliver } = storeByHand()
    await deliver(0, { status: "assigned" }, 4)
    const early = store.amend("k", () => ({ status: "in_progress" }))
    store.apply(event(5, { status: "in_progress" }), event(6, { status: "to_verify" }))
    expect(store.snapshot("k").answer).toEqual({ status: "in_progress" })
    early.confirm(5)
    expect(store.snapshot("k").answer).toEqual({ status: "to_verify" })
    const late = store.amend("k", () => ({ status: "closed" }))
    late.confirm(8)
    store.apply(event(7, { title: "elsewhere" }))
    expect(store.snapshot("k").answer).toEqual({ status: "closed" })
    store.apply(event(8, { status: "done" }))
    expect(store.snapshot("k").answer).toEqual({ status: "done", title: "elsewhere" })
  })

  it("is seen until what must be loaded for it has come", async () => {
    const { store, loads, deliver } = storeByHand({ apply: () => undefined })
    await deliver(0, { status: "open" }, 1)
    store.amend("k", () => ({ status: "done" })).confirm(2)
    store.apply(event(2))
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
    vi.advanceTimersByTime(300)
    await deliver(1, { status: "verified" }, 2)
    expect([store.snapshot("k").answer, loads.length]).toEqual([{ status: "verified" }, 2])
  })

  it("of which the log says nothing is seen until the answer has been loaded again, at once", async () => {
    const { store, loads, deliver, fail } = storeByHand()
    await deliver(0, { pinned: false }, 1)
    const amendment = store.amend("k", () => ({ pinned: true }))
    store.reload("k")
    amendment.confirm(undefined)
    store.apply(event(2, { title: "b" }))
    await deliver(1, { pinned: false }, 1)
    await fail(2)
    expect(store.snapshot("k").answer).toEqual({ pinned: true })
    store.reload("k")
    await deliver(3, { pinned: false, title: "b" }, 3)
    expect([store.snapshot("k").answer, loads.length]).toEqual([{ pinned: false, title: "b" }, 4])
  })

  it("is seen over an answer that is loaded anew meanwhile", async () => {
    const { store, deliver } = storeByHand()
    await deliver(0, { title: "old", status: "open" })
    store.amend("k", (answer) => ({ ...(answer as object), status: "done" }))
    store.reload("k")
    await deliver(1, { title: "new", status: "open" })
    expect(store.snapshot("k").answer).toEqual({ title: "new", status: "done" })
  })
})

describe("the key of an answer", () => {
  it("tells operations and their inputs apart", () => {
    expect(keyOf("chorus_get_task", { taskUuid: "a" })).toBe(keyOf("chorus_get_task", { taskUuid: "a" }))
    expect(keyOf("chorus_get_task", { taskUuid: "a" })).not.toBe(keyOf("chorus_get_task", { taskUuid: "b" }))
    expect(keyOf("chorus_get_task", { taskUuid: "a" })).not.toBe(keyOf("chorus_get_task_history", { taskUuid: "a" }))
  })
})
