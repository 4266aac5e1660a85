import { get } from "node:http"
import { temporaryDirectory, waitFor } from "@chorus/testing"
import { sharedDatabase } from "@chorus/testing/shared-database"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type ChorusServer, startServer } from "../src/index.ts"
import { Browser } from "./browser.ts"

/** Between two questions whether the reader may still listen; the server, which runs in this process, lets them pass at once. */
const KEEP_ALIVE_MS = 15_000
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }))
afterEach(() => void vi.useRealTimers())

describe("an event stream that a browser holds open", () => {
  it("outlives the replacing of its cookie, and ends soon after the person was signed out", async () => {
    await using directory = temporaryDirectory()
    const chorus = await startServer({ dataDirectory: directory.path, port: 0 })
    const owner = new Browser(chorus)
    await owner.open(chorus.firstSignIn ?? "")
    let text = ""
    let ended = false
    get(
      `${chorus.url}/api/events`,
      { headers: { cookie: `chorus_sign_in=${owner.cookies.get("chorus_sign_in")}` } },
      (response) => {
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        response.on("close", () => (ended = true))
      },
    )
    await waitFor(() => text.includes(": connected"))

    const old = new Date(Date.now() - 2 * 3_600_000).toISOString()
    await chorus.store.write(({ db }) => db.updateTable("signIns").set({ rotatedAt: old, lastUsedAt: old }).execute())
    const before = owner.cookies.get("chorus_sign_in")
    await owner.call("chorus_get_me")
    expect(owner.cookies.get("chorus_sign_in")).not.toBe(before)
    await chorus.store.write(({ db }) => db.updateTable("signIns").set({ rotatedAt: old }).execute())
    await vi.advanceTimersByTimeAsync(KEEP_ALIVE_MS)
    await waitFor(() => text.includes(": alive"))

    // From here on the keep-alive stands still: the word of the log ends the stream.
    await owner.call("chorus_end_sign_ins")
    await waitFor(() => ended)
    await chorus.close()
  })
})

const STREAMS = ["the log", "its notifications", "its list of tools"] as const

const TAKEN: [what: string, takeAway: (owner: Browser, mia: Mia) => Promise<{ status: number }>][] = [
  ["its key is revoked", (owner, { keyUuid }) => owner.call("chorus_revoke_key", { keyUuid })],
  [
    "it is confined to other projects",
    (owner, { agentUuid, projectUuid }) =>
      owner.call("chorus_update_agent", { agentUuid, projectUuids: [projectUuid] }),
  ],
  ["it is archived", (owner, { agentUuid }) => owner.call("chorus_update_agent", { agentUuid, archived: true })],
  ["its person is disabled", (owner, { userUuid }) => owner.call("chorus_update_member", { userUuid, disabled: true })],
]

/** The keep-alive stands still here, so only the word of the log can end a stream. */
describe.each(["on the embedded store", "told by another server, on PostgreSQL"])(
  "what an agent holds open, %s,",
  (where) => {
    it.each(TAKEN)("ends within a second when %s", async (what, takeAway) => {
      await using stage = await openStage(where.includes("PostgreSQL"))
      const { owner, chorus, elsewhere } = stage
      const mia = await miaAndHerAgent(chorus, owner)
      const streams = await Promise.all(STREAMS.map((stream) => listen(chorus.url, mia.key, stream)))
      const began = performance.now()
      expect((await takeAway(elsewhere, mia)).status).toBe(200)
      for (const [at, stream] of STREAMS.entries()) {
        // What tools there are is no matter of projects.
        if (stream === "its list of tools" && what.includes("confined")) continue
        expect((await streams[at]?.ended) ?? Infinity, stream).toBeLessThan(began + 1000)
      }
      if (what.includes("confined")) {
        await owner.call("chorus_revoke_key", { keyUuid: mia.keyUuid })
        await Promise.all(streams.map(({ ended }) => ended))
      }
    })
  },
)

interface Mia {
  readonly userUuid: string
  readonly agentUuid: string
  readonly keyUuid: string
  readonly key: string
  readonly projectUuid: string
}

/** A server, and where the change is made: the same one, or another on its PostgreSQL. */
async function openStage(onPostgres: boolean) {
  const stack = new AsyncDisposableStack()
  const start = async (database?: string) => {
    const directory = stack.use(temporaryDirectory())
    const server = await startServer({ dataDirectory: directory.path, port: 0, database })
    stack.defer(() => server.close())
    return server
  }
  const database = onPostgres ? await sharedDatabase() : undefined
  const chorus = await start(database)
  const owner = new Browser(chorus)
  await owner.open(chorus.firstSignIn ?? "")
  const elsewhere = database === undefined ? owner : owner.copy(await start(database))
  return { chorus, owner, elsewhere, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const SUBSCRIPTION = {
  jsonrpc: "2.0",
  id: 1,
  method: "subscriptions/listen",
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
}

/** Resolves once the stream is open; `ended` says when it was no more. */
async function listen(url: string, key: string, stream: (typeof STREAMS)[number]): Promise<{ ended: Promise<number> }> {
  const authorization = `Bearer ${key}`
  const mcp = {
    method: "POST",
    headers: {
      authorization,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": SUBSCRIPTION.method,
    },
    body: JSON.stringify(SUBSCRIPTION),
  }
  const path = stream === "the log" ? "/api/events" : "/api/events/notifications"
  const response =
    stream === "its list of tools"
      ? await fetch(`${url}/api/mcp`, mcp)
      : await fetch(`${url}${path}`, { headers: { authorization } })
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    expect.stringContaining("event-stream"),
  ])
  const reader = response.body?.getReader()
  await reader?.read()
  const drained = async () => {
    while ((await reader?.read())?.done === false);
    return performance.now()
  }
  return { ended: drained() }
}

async function miaAndHerAgent(chorus: ChorusServer, owner: Browser): Promise<Mia> {
  const project = await owner.call("chorus_admin_create_project", { name: "Another" })
  const invited = await owner.call("chorus_invite_member", { name: "Mia" })
  const mia = new Browser(chorus)
  await mia.open(String(invited.body["signInPath"]))
  const agent = await mia.call("chorus_create_agent", { name: "Agent", presets: ["pm"] })
  const made = await mia.call("chorus_create_key", { agentUuid: agent.body["uuid"] })
  return {
    userUuid: (invited.body["member"] as { uuid: string }).uuid,
    agentUuid: String(agent.body["uuid"]),
    keyUuid: String(made.body["uuid"]),
    key: String(made.body["key"]),
    projectUuid: String(project.body["uuid"]),
  }
}
