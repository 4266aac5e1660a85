import type { LogEvent } from "@chorus/contracts"
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

const merging: Follow<unknown> = { apply: (answer, { patch }) => ({ ...(answer as object), ...patch }) }

describe("LiveStore", () => {
  it("applies events to a kept answer without loading it again", async () => {
    const store = new LiveStore()
    let loads = 0
    store.keep(
      "k",
      async () => (loads++, { status: "open" }),
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
    let deliver: (answer: unknown) => void = () => undefined
    store.keep(
      "k",
      () => new Promise((resolve) => (deliver = resolve)),
      merging,
      () => undefined,
    )
    store.apply(event(1, { status: "done" }))
    deliver({ status: "open" })
    await new Promise(setImmediate)
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
  })

  it("tells only the listeners of answers that changed", async () => {
    const store = new LiveStore()
    let told = 0
    store.keep(
      "still",
      async () => 1,
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
      async () => ({ status: "open", title: "a" }),
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

  it("keeps a confirmed amendment until the log says otherwise", async () => {
    const store = new LiveStore()
    store.keep(
      "k",
      async () => ({ status: "open" }),
      merging,
      () => undefined,
    )
    await new Promise(setImmediate)
    const amendment = store.amend("k", () => ({ status: "done" }))
    amendment.confirm()
    amendment.takeBack()
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
    store.apply(event(2, { status: "open" }))
    expect(store.snapshot("k").answer).toEqual({ status: "open" })
  })

  it("does not lose events that come while an answer is loaded again", async () => {
    const store = new LiveStore()
    let deliver: (answer: unknown) => void = () => undefined
    let first = true
    const load = async () => {
      if (!first) return new Promise((resolve) => (deliver = resolve))
      first = false
      return { status: "open" }
    }
    store.keep("k", load, merging, () => undefined)
    await new Promise(setImmediate)
    store.reload("k")
    store.apply(event(1, { status: "done" }))
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
    deliver({ status: "open" })
    await new Promise(setImmediate)
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
  })

  it("tells a listener once about many events", async () => {
    const store = new LiveStore()
    let told = 0
    store.keep(
      "k",
      async () => ({}),
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
      async () => (fail ? Promise.reject(new Error("down")) : 7),
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
  const loads: { resolve(answer: unknown): void; reject(error: unknown): void }[] = []
  const load = () => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
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
    deliver: (at: number, answer: unknown) => (loads[at]?.resolve(answer), settled()),
    fail: (at: number) => (loads[at]?.reject(new Error("down")), settled()),
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
    store.keep("k", async () => 1, undefined, told)
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

  it("is gone at once when the person is, with what would have come later", async () => {
    const { store, loads, deliver } = storeByHand({ apply: () => undefined })
    await deliver(0, { secret: true })
    store.apply(event(1))
    store.forgetAll()
    expect(store.snapshot("k")).toEqual({ status: "loading", answer: undefined, error: undefined })
    vi.advanceTimersByTime(1000)
    expect(loads).toHaveLength(1)
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
  it("does nothing to what is not there, and nothing ever comes of it", async () => {
    const { store, deliver } = storeByHand()
    const early = store.amend("k", () => ({ amended: true }))
    const stranger = store.amend("other", () => ({ amended: true }))
    await deliver(0, { a: 1 })
    early.confirm()
    stranger.takeBack()
    expect(store.snapshot("k").answer).toEqual({ a: 1 })
  })

  it("piles up, and each change is taken back by itself", async () => {
    const { store, deliver } = storeByHand()
    await deliver(0, {})
    const one = store.amend("k", (answer) => ({ ...(answer as object), one: 1 }))
    const two = store.amend("k", (answer) => ({ ...(answer as object), two: 2 }))
    expect(store.snapshot("k").answer).toEqual({ one: 1, two: 2 })
    one.takeBack()
    expect(store.snapshot("k").answer).toEqual({ two: 2 })
    two.confirm()
    two.confirm()
    expect(store.snapshot("k").answer).toEqual({ two: 2 })
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
