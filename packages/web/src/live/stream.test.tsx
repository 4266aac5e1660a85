import { describe, expect, it, vi } from "vitest"
import { happen, listener } from "../../test/happening.ts"
import { joinStream } from "./stream.ts"

function join() {
  const tab = listener()
  return { ...tab, stream: joinStream(tab.hear) }
}

describe("the one stream of a browser", () => {
  it("is shared by all who join, each of whom hears every event once", async () => {
    const one = join()
    await expect.poll(one.connected, { timeout: 20_000 }).toBe(true)
    const two = join()
    await expect.poll(two.connected).toBe(true)
    const name = await happen()
    await expect.poll(() => [one.heard(name), two.heard(name)]).toEqual([1, 1])
  })

  it("tells the others, and not who said it, that somebody signed in or out", async () => {
    const [one, two] = [join(), join()]
    await expect.poll(() => one.connected() && two.connected()).toBe(true)
    one.stream.identityChanged()
    await expect.poll(() => two.count("identity")).toBe(1)
    expect(one.count("identity")).toBe(0)
    const name = await happen()
    await expect.poll(() => one.heard(name) > 0).toBe(true)
  })

  it("tells a page that comes back from the browser's memory that it missed something, once nothing more can be missed", async () => {
    const { told, heard, count, connected } = join()
    await expect.poll(connected).toBe(true)
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }))
    expect(count("gap")).toBe(0)
    dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))
    told.length = 0
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
    await expect.poll(() => count("gap")).toBe(1)
    const before = told.slice(
      0,
      told.findIndex(({ type }) => type === "gap"),
    )
    expect(before.at(-1)).toMatchObject({ type: "connection", started: true })
    const name = await happen()
    await expect.poll(() => heard(name)).toBe(1)
    expect(count("gap")).toBe(1)
  })

  it("is held by one of the tabs where there are no shared workers", async () => {
    vi.stubGlobal("SharedWorker", undefined)
    try {
      const { connected, heard } = join()
      await expect.poll(connected).toBe(true)
      const name = await happen()
      await expect.poll(() => heard(name)).toBe(1)
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
