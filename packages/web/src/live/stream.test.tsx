import { describe, expect, it, vi } from "vitest"
import { owner } from "../../test/stage.tsx"
import type { StreamMessage } from "./stream-host.ts"
import { joinStream } from "./stream.ts"

function join() {
  const told: StreamMessage[] = []
  const stream = joinStream((message) => told.push(message))
  return {
    stream,
    told,
    connected: () => told.some((message) => message.type === "connection" && message.connected),
    heard: (name: string) => told.filter((message) => message.type === "event" && message.event.patch["name"] === name).length,
  }
}

async function makeNamed(): Promise<string> {
  const name = `Worker ${crypto.randomUUID()}`
  await owner.call("chorus_admin_create_project", { name })
  return name
}

describe("the one stream of a browser", () => {
  it("is shared by all who join, each of whom hears every event once", async () => {
    const one = join()
    await expect.poll(one.connected, { timeout: 20_000 }).toBe(true)
    const two = join()
    await expect.poll(two.connected).toBe(true)
    const name = await makeNamed()
    await expect.poll(() => [one.heard(name), two.heard(name)]).toEqual([1, 1])
  })

  it("tells the others, and not who said it, that somebody signed in or out", async () => {
    const [one, two] = [join(), join()]
    await expect.poll(() => one.connected() && two.connected()).toBe(true)
    one.stream.identityChanged()
    await expect.poll(() => two.told.some(({ type }) => type === "identity")).toBe(true)
    expect(one.told.some(({ type }) => type === "identity")).toBe(false)
    const name = await makeNamed()
    await expect.poll(() => one.heard(name) > 0).toBe(true)
  })

  it("tells a page that comes back from the browser's memory that it missed something, once nothing more can be missed", async () => {
    const { told, heard, connected } = join()
    await expect.poll(connected).toBe(true)
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }))
    expect(told.some(({ type }) => type === "gap")).toBe(false)
    dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))
    told.length = 0
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
    await expect.poll(() => told.some(({ type }) => type === "gap")).toBe(true)
    const before = told.slice(0, told.findIndex(({ type }) => type === "gap"))
    expect(before.at(-1)).toMatchObject({ type: "connection", started: true })
    const name = await makeNamed()
    await expect.poll(() => heard(name)).toBe(1)
    expect(told.filter(({ type }) => type === "gap")).toHaveLength(1)
  })

  it("is held by one of the tabs where there are no shared workers", async () => {
    vi.stubGlobal("SharedWorker", undefined)
    try {
      const { connected, heard } = join()
      await expect.poll(connected).toBe(true)
      const name = await makeNamed()
      await expect.poll(() => heard(name)).toBe(1)
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
