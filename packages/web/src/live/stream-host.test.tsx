import { afterEach, describe, expect, it } from "vitest"
import { takeLine } from "../../test/line.ts"
import { owner } from "../../test/stage.tsx"
import { StreamHost, type StreamMessage } from "./stream-host.ts"

const hosts: StreamHost[] = []
afterEach(() => {
  for (const host of hosts.splice(0)) host.stop()
})

function makeHost() {
  const told: StreamMessage[] = []
  const host = new StreamHost((message) => told.push(message))
  hosts.push(host)
  const connected = () => told.some((message) => message.type === "connection" && message.connected)
  const namesOfProjects = () => told.flatMap((message) => (message.type === "event" && message.event.kind === "project.created" ? [message.event.patch["name"]] : []))
  return { host, told, connected, namesOfProjects }
}

async function makeNamed(): Promise<string> {
  const name = `Stream ${crypto.randomUUID()}`
  await owner.call("chorus_admin_create_project", { name })
  return name
}

describe("the holder of the stream", () => {
  it("knows nothing before it starts, then its place in the log, and tells what happens from there", async () => {
    const { host, connected, namesOfProjects } = makeHost()
    expect(host.state).toEqual({ type: "connection", connected: false, started: false })
    host.start()
    await expect.poll(connected).toBe(true)
    expect(host.state).toEqual({ type: "connection", connected: true, started: true })
    const name = await makeNamed()
    await expect.poll(namesOfProjects).toContain(name)
  })

  it("reads once, however often it is started", async () => {
    const { host, connected, namesOfProjects } = makeHost()
    host.start()
    host.start()
    await expect.poll(connected).toBe(true)
    const name = await makeNamed()
    await expect.poll(namesOfProjects).toContain(name)
    const last = await makeNamed()
    await expect.poll(namesOfProjects).toContain(last)
    expect(namesOfProjects().filter((each) => each === name)).toHaveLength(1)
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
    const name = await makeNamed()
    await expect.poll(other.namesOfProjects).toContain(name)
    expect(told).toHaveLength(count)
  })

  it("begins anew for somebody else and goes on telling", async () => {
    const { host, told, connected, namesOfProjects } = makeHost()
    host.start()
    await expect.poll(connected).toBe(true)
    told.length = 0
    host.restart()
    await expect.poll(connected).toBe(true)
    const name = await makeNamed()
    await expect.poll(namesOfProjects).toContain(name)
    expect(told.some(({ type }) => type === "identity")).toBe(false)
  })

  it("waits for a server that does not answer yet, and takes that for no sign-out", async () => {
    const line = takeLine()
    line.cut()
    const { host, told, connected, namesOfProjects } = makeHost()
    host.start()
    expect(host.state).toEqual({ type: "connection", connected: false, started: false })
    line.release()
    await expect.poll(connected, { timeout: 20_000 }).toBe(true)
    const name = await makeNamed()
    await expect.poll(namesOfProjects).toContain(name)
    expect(told.some(({ type }) => type === "identity")).toBe(false)
  })
})
