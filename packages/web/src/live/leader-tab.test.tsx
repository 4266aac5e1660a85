import { describe, expect, it } from "vitest"
import { happen, listener } from "../../test/happening.ts"
import { electLeader } from "./leader-tab.ts"

/** Stands for a tab: in one page several can vie for the lock, as tabs of one browser do. */
function openTab() {
  const tab = listener()
  return { ...tab, port: electLeader(tab.hear) }
}

describe("tabs without a shared worker", () => {
  it("elect one to read for all, tell newcomers how it stands, and each event once", async () => {
    const first = openTab()
    await expect.poll(first.connected).toBe(true)
    // Whoever begins to lead cannot know what was read before; it says so when it reads.
    await expect.poll(() => first.told.map(({ type }) => type).slice(0, 2)).toEqual(["connection", "gap"])
    const second = openTab()
    await expect.poll(second.connected).toBe(true)
    const name = await happen()
    await expect.poll(() => [first.heard(name), second.heard(name)]).toEqual([1, 1])
    expect(second.count("gap")).toBe(0)
  })

  it("begin anew for all when somebody signs in or out in any of them", async () => {
    const tabs = [openTab(), openTab()]
    const [one, two] = tabs
    await expect.poll(() => tabs.every((tab) => tab.connected())).toBe(true)
    const before = two?.count("identity") ?? 0
    one?.port.post("identity")
    await expect.poll(() => (two?.count("identity") ?? 0) > before).toBe(true)
    const name = await happen()
    await expect.poll(() => tabs.map((tab) => tab.heard(name))).toEqual([1, 1])
  })

  it("do not mind a tab that leaves", async () => {
    const [stays, leaves] = [openTab(), openTab()]
    await expect.poll(() => stays.connected() && leaves.connected()).toBe(true)
    leaves.port.post("leave")
    const name = await happen()
    await expect.poll(() => stays.heard(name)).toBe(1)
  })
})
