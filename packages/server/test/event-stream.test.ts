import { request } from "node:http"
import { waitFor } from "@chorus/testing"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { makeKey, runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer

beforeEach(async () => {
  chorus = await runningServer()
})
afterEach(() => chorus.close())

interface Listener {
  readonly ids: number[]
  readonly text: () => string
  readonly ended: () => boolean
  close(): void
}

function listen(headers: Record<string, string> = {}, query = "", key = chorus.key): Listener {
  let text = ""
  let ended = false
  const ids: number[] = []
  const call = request(
    `${chorus.url}/api/events${query}`,
    { headers: { authorization: `Bearer ${key}`, ...headers } },
    (response) => {
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        const whole = text.lastIndexOf("\n\n") + 1
        text += chunk
        // A piece may end in the middle of a frame: only what a blank line closes is read.
        for (const match of text.slice(whole, text.lastIndexOf("\n\n") + 1).matchAll(/^id: (\d+)$/gm))
          ids.push(Number(match[1]))
      })
      response.on("close", () => (ended = true))
    },
  )
  call.on("error", () => (ended = true))
  call.end()
  return { ids, text: () => text, ended: () => ended, close: () => call.destroy() }
}

async function makeProjects(count: number): Promise<string[]> {
  const made = await Promise.all(
    Array.from({ length: count }, (_, n) => chorus.post("chorus_admin_create_project", { name: `p${n}` })),
  )
  return made.map(({ body }) => String(body["uuid"]))
}

describe("the event stream", () => {
  it("delivers live events once and in order", async () => {
    const listener = listen()
    await waitFor(() => listener.text().includes(": connected"))
    await makeProjects(40)
    await waitFor(() => listener.ids.length >= 40)
    expect(listener.ids).toEqual([...listener.ids].sort((a, b) => a - b))
    expect(new Set(listener.ids).size).toBe(40)
    listener.close()
  })

  it("resumes from the last event id without gaps or repeats, while more is written", async () => {
    const first = listen()
    await waitFor(() => first.text().includes(": connected"))
    await makeProjects(5)
    await waitFor(() => first.ids.length >= 5)
    const seen = [...first.ids]
    first.close()
    // Not all at once: a busy machine turns away a thousand connections that knock together.
    for (let wave = 0; wave < 12; wave++) await makeProjects(100)
    const writing = makeProjects(50)
    const second = listen({ "last-event-id": String(seen.at(-1)) })
    await writing
    await waitFor(() => seen.length + second.ids.length >= 1255)
    const all = [...seen, ...second.ids]
    const from = all[0] ?? 0
    expect(all).toEqual(Array.from({ length: 1255 }, (_, n) => from + n))
    second.close()
  })

  it("filters by project and by kind", async () => {
    const [wanted] = await makeProjects(2)
    const byProject = listen({}, `?projectUuid=${wanted}`)
    const byKind = listen({}, "?kind=project.updated")
    await waitFor(() => byProject.text().includes("connected") && byKind.text().includes("connected"))
    await makeProjects(3)
    await chorus.post("chorus_update_project", { projectUuid: wanted, name: "renamed" })
    await waitFor(() => byProject.ids.length === 1 && byKind.ids.length === 1)
    expect(byKind.text()).toContain('"name":"renamed"')
    byProject.close()
    byKind.close()
  })

  it("shows an agent only its projects", async () => {
    const [mine] = await makeProjects(2)
    const listener = listen({ "last-event-id": "0" }, "", await makeKey(chorus.server, "developer", [String(mine)]))
    await waitFor(() => listener.ids.length === 1)
    expect(listener.text()).toContain(String(mine))
    listener.close()
  })

  it("says so when the log no longer reaches back, or was restored to an earlier state", async () => {
    await makeProjects(3)
    await chorus.server.store.write(({ db }) => db.deleteFrom("events").where("id", "<", 5).execute())
    const old = listen({ "last-event-id": "1" })
    const ahead = listen({ "last-event-id": "999999" })
    await waitFor(() => old.text().includes("event: gap") && ahead.text().includes("event: gap"))
    old.close()
    ahead.close()
  })

  it("cuts off a reader that does not read, instead of keeping its events", async () => {
    const idle = request(
      `${chorus.url}/api/events`,
      { headers: { authorization: `Bearer ${chorus.key}` } },
      (response) => response.pause(),
    )
    idle.on("error", () => undefined)
    idle.end()
    const attentive = listen()
    await waitFor(() => chorus.server.readers() === 2)
    const description = "x".repeat(19_000)
    let made = 0
    const more = async () => {
      for (; made < 2000 && chorus.server.readers() > 1; made++)
        await chorus.post("chorus_admin_create_project", { name: "big", description })
    }
    await Promise.all([more(), more(), more(), more()])
    expect(chorus.server.readers()).toBe(1)
    await waitFor(() => attentive.ids.length >= made)
    attentive.close()
    idle.destroy()
  })

  it("refuses strangers and nonsense", async () => {
    expect((await fetch(`${chorus.url}/api/events`)).status).toBe(401)
    const odd = await fetch(`${chorus.url}/api/events`, {
      headers: { authorization: `Bearer ${chorus.key}`, "last-event-id": "abc" },
    })
    expect(odd.status).toBe(400)
  })
})
