import type { LogEvent } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { type Follow, LiveStore } from "./live-store.ts"

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
    store.keep("k", async () => (loads++, { status: "open" }), merging, () => undefined)
    await Promise.resolve()
    await Promise.resolve()
    store.apply(event(1, { status: "assigned" }))
    expect(store.snapshot("k").answer).toEqual({ status: "assigned" })
    expect(loads).toBe(1)
  })

  it("does not lose events that come while the answer is on its way", async () => {
    const store = new LiveStore()
    let deliver: (answer: unknown) => void = () => undefined
    store.keep("k", () => new Promise((resolve) => (deliver = resolve)), merging, () => undefined)
    store.apply(event(1, { status: "done" }))
    deliver({ status: "open" })
    await new Promise(setImmediate)
    expect(store.snapshot("k").answer).toEqual({ status: "done" })
  })

  it("tells only the listeners of answers that changed", async () => {
    const store = new LiveStore()
    let told = 0
    store.keep("still", async () => 1, { apply: (answer) => answer }, () => told++)
    await new Promise(setImmediate)
    const before = told
    store.apply(event(1))
    expect(told).toBe(before)
  })

  it("takes an amendment back without losing what happened meanwhile", async () => {
    const store = new LiveStore()
    store.keep("k", async () => ({ status: "open", title: "a" }), merging, () => undefined)
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
    store.keep("k", async () => ({ status: "open" }), merging, () => undefined)
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
    store.keep("k", async () => ({}), merging, () => told++)
    await new Promise(setImmediate)
    const before = told
    store.apply(event(1, { a: 1 }), event(2, { b: 2 }), event(3, { c: 3 }))
    expect(told - before).toBe(1)
    expect(store.snapshot("k").answer).toEqual({ a: 1, b: 2, c: 3 })
  })

  it("keeps showing the last good answer when a reload fails", async () => {
    const store = new LiveStore()
    let fail = false
    store.keep("k", async () => (fail ? Promise.reject(new Error("down")) : 7), undefined, () => undefined)
    await new Promise(setImmediate)
    fail = true
    store.reload("k")
    await new Promise(setImmediate)
    expect(store.snapshot("k")).toMatchObject({ status: "ready", answer: 7, error: new Error("down") })
  })
})
