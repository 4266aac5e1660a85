import { afterEach, describe, expect, it } from "vitest"
import { happen, listener } from "../../test/happening.ts"
import { takeLine } from "../../test/line.ts"
import { StreamHost } from "./stream-host.ts"

const hosts: StreamHost[] = []
afterEach(() => {
  for (const host of hosts.splice(0)) host.stop()
})

function makeHost() {
  const tab = listener()
  const host = new StreamHost(tab.hear)
  hosts.push(host)
  return { ...tab, host }
}

describe("the holder of the stream", () => {
  it("knows nothing before it starts, then its place in the log, and tells what happens from there", async () => {
    const { host, connected, heard } = makeHost()
    expect(host.state).toEqual({ type: "connection", connected: false, started: false })
    host.start()
    await expect.poll(connected).toBe(true)
    expect(host.state).toEqual({ type: "connection", connected: true, started: true })
    const name = await happen()
    await expect.poll(() => heard(name)).toBe(1)
  })

  it("reads once, however often it is started", async () => {
    const { host, connected, heard } = makeHost()
    host.start()
    host.start()
    await expect.poll(connected).toBe(true)
    const name = await happen()
    await expect.poll(() => heard(name)).toBe(1)
    const last = await happen()
    await expect.poll(() => heard(last)).toBe(1)
    expect(heard(name)).toBe(1)
  })

  it("is silent after it was stopped, and says so when asked", async () => {
    const { host, told, connected } = makeHost()
    host.start()
    await expect.poll(connected).toBe(true)
    host.stop()
    expect(host.state).toEqual({ type: "connection", connected: false, started: false })
    const count = told.length
    const other = makeHost()
    other.host.start()
    await expect.poll(other.connected).toBe(true)
    const name = await happen()
    await expect.poll(() => other.heard(name)).toBe(1)
    expect(told).toHaveLength(count)
  })

  it("begins anew for somebody else and goes on telling", async () => {
    const { host, told, count, connected, heard } = makeHost()
    host.start()
    await expect.poll(connected).toBe(true)
    told.length = 0
    host.restart()
    await expect.poll(connected).toBe(true)
    const name = await happen()
    await expect.poll(() => heard(name)).toBe(1)
    expect(count("identity")).toBe(0)
  })

  it("waits for a server that does not answer yet, and takes that for no sign-out", async () => {
    const line = takeLine()
    line.cut()
    const { host, count, connected, heard } = makeHost()
    host.start()
    expect(host.state).toEqual({ type: "connection", connected: false, started: false })
    line.release()
    await expect.poll(connected, { timeout: 20_000 }).toBe(true)
    const name = await happen()
    await expect.poll(() => heard(name)).toBe(1)
    expect(count("identity")).toBe(0)
  })
})
