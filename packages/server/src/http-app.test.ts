import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pino } from "pino"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../test/embedded-workspace.ts"
import { Demo } from "./demo/demo.ts"
import { mcpDoor } from "./doors/mcp.ts"
import { EventHub } from "./event-hub.ts"
import { httpApp } from "./http-app.ts"
import { makeLocalCredential } from "./local-credential.ts"
import { metrics } from "./observe/metrics.ts"
import { Presence } from "./presence/presence.ts"
import { reception } from "./sign-in/reception.ts"
import { openSignIn } from "./sign-in/sign-ins.ts"

const w = embeddedWorkspace()
const HOST = "127.0.0.1:8637"
const PUBLIC = "chorus.example.com"
const local = makeLocalCredential()
let app: ReturnType<typeof httpApp>
let key: string
const undo: (() => unknown)[] = []

beforeAll(async () => {
  const log = pino({ level: "silent" })
  const hub = new EventHub(w.store)
  const presence = new Presence(w.store)
  const mcp = mcpDoor(w.registry, { onFault: () => undefined })
  const signIn = reception({
    store: w.store,
    workspaceUuid: w.workspaceUuid,
    secrets: { signing: Buffer.alloc(32) },
    outside: {},
    oidc: undefined,
    log,
  })
  app = httpApp({
    closing: new AbortController().signal,
    demo: new Demo(w.registry, log),
    machine: {
      name: "here",
      suggested: () => Promise.resolve("/shop"),
      look: () => Promise.reject(new Error("nobody looks")),
      allow: () => Promise.reject(new Error("nobody allows")),
      disallow: () => Promise.reject(new Error("nobody takes back")),
    },
    store: w.store,
    registry: w.registry,
    hub,
    presence,
    mcp,
    log,
    local,
    metrics: metrics(() => 0),
    signIn,
    guard: { hosts: [], pages: [PUBLIC] },
  })
  key = (await w.call<{ key: string }>(w.owner, "chorus_create_key", { agentUuid: w.developer.uuid })).key
  undo.push(
    () => hub.close(),
    () => presence.close(),
    () => mcp.close(),
    () => signIn.close(),
  )
})
afterAll(async () => {
  for (const run of undo) await run()
})

interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: object
  readonly from?: string
}

async function send(path: string, { method = "GET", headers = {}, body, from = "127.0.0.1" }: Sent = {}) {
  const sent = { host: HOST, ...(body && { "content-type": "application/json" }), ...headers }
  const incoming = Object.assign(Readable.from(body === undefined ? [] : [Buffer.from(JSON.stringify(body))]), {
    headers: sent,
    socket: { remoteAddress: from },
  }) as unknown as IncomingMessage
  const response = await app.request(path, { method, headers: sent }, { incoming, outgoing: {} as ServerResponse })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as Record<string, unknown> & { error?: { code: string } },
  }
}
const withKey = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${key}`, ...more })
const code = async (answer: ReturnType<typeof send>) => (await answer).json().error?.code

describe("every request", () => {
  it("gets an id of its own", async () => {
    const [one, two] = [await send("/api/health"), await send("/api/health")]
    expect(one.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/)
    expect(one.headers.get("x-request-id")).not.toBe(two.headers.get("x-request-id"))
  })

  it.each([
    ["an operation", "/api/v1/chorus_whoami", {}, 200],
    ["one that is refused", "/api/v1/chorus_nothing", {}, 404],
    ["a tool", "/api/mcp", { method: "POST", body: { jsonrpc: "2.0", id: 1, method: "ping" } }, 200],
    ["what is no call of a tool", "/api/mcp", { method: "POST", body: {} }, 400],
    ["the health", "/api/health", {}, 200],
    ["the description", "/api/openapi.json", {}, 200],
    ["the documentation", "/api/docs", {}, 200],
    ["its style", "/api/docs.css", {}, 200],
    ["what names no file", "/api/files/none", {}, 400],
    ["the figures", "/metrics", {}, 200],
    ["nothing", "/api/nothing", {}, 404],
    ["another host", "/api/health", { headers: { host: "evil.example" } }, 403],
  ] as const)("answered by %s is taken for what it says it is", async (_, path, sent: Sent, status) => {
    const accept = "application/json, text/event-stream"
    const answer = await send(path, { ...sent, headers: withKey({ accept, ...sent.headers }) })
    expect([answer.status, answer.headers.get("x-content-type-options")]).toEqual([status, "nosniff"])
  })

  it("for another host or from another site is refused before anything else", async () => {
    expect(await code(send("/api/health", { headers: { host: "evil.example" } }))).toBe("host_refused")
    expect(await code(send("/nothing", { headers: { origin: "https://evil.example" } }))).toBe("origin_refused")
    expect((await send("/api/health", { headers: { origin: `http://${HOST}` } })).status).toBe(200)
  })

  it("for what is not there is told where to look", async () => {
    const answer = await send("/api/nothing")
    expect(answer.status).toBe(404)
    expect(answer.json().error).toMatchObject({ code: "not_found", next: expect.stringContaining("/api/docs") })
  })

  it("that needs somebody says how to say who one is", async () => {
    for (const path of ["/api/events", "/api/events/notifications", "/api/mcp"]) {
      const answer = await send(path)
      expect(answer.status).toBe(401)
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="chorus"')
    }
  })

  it("with a key that does not hold is refused by name, wherever it goes", async () => {
    for (const path of ["/api/health", "/api/v1/chorus_whoami", "/metrics"]) {
      expect(await code(send(path, { headers: { authorization: "Bearer cho_nope" } }))).toBe("key_malformed")
    }
  })
})

describe("who calls", () => {
  it("with a key is its agent", async () => {
    expect((await send("/api/v1/chorus_whoami", { headers: withKey() })).json()).toMatchObject({
      type: "agent",
      name: "Dev",
    })
  })

  it("with a cookie is a person, whose changes must come from our own page", async () => {
    const token = await w.store.write(({ db }) => openSignIn(db, w.member.uuid, "Test", new Date().toISOString()))
    const cookie = { cookie: `chorus_sign_in=${token}` }
    const create = (headers: Record<string, string>) =>
      send("/api/v1/chorus_admin_create_project", {
        method: "POST",
        body: { name: "P" },
        headers: { ...cookie, ...headers },
      })
    expect((await send("/api/v1/chorus_whoami", { headers: cookie })).json()).toMatchObject({ name: "Mia" })
    expect(await code(create({}))).toBe("origin_missing")
    expect(await code(create({ "sec-fetch-site": "same-site" }))).toBe("origin_missing")
    expect((await create({ "sec-fetch-site": "same-origin" })).status).toBe(200)
    expect((await create({ origin: `http://${HOST}` })).status).toBe(200)
  })

  it("with the command's own token is the owner, from this machine and from no page", async () => {
    const headers = { authorization: `Bearer ${local.token}` }
    const whoami = (more: Record<string, string> = {}, from?: string) =>
      send("/api/v1/chorus_whoami", { headers: { ...headers, ...more }, ...(from && { from }) })
    expect((await whoami()).json()).toMatchObject({ type: "user", role: "owner" })
    expect(await code(whoami({}, "192.0.2.7"))).toBe("key_malformed")
    expect(await code(whoami({ origin: `http://${HOST}` }))).toBe("key_malformed")
    expect(await code(whoami({ "sec-fetch-site": "same-origin" }))).toBe("key_malformed")
  })
})

describe("the figures", () => {
  it("are open on this machine, and elsewhere or through a proxy to whoever has a key", async () => {
    expect((await send("/metrics")).text).toContain("chorus_event_readers 0")
    expect((await send("/metrics", { from: "192.0.2.7" })).status).toBe(401)
    expect((await send("/metrics", { headers: { "x-forwarded-for": "192.0.2.7" } })).status).toBe(401)
    expect((await send("/metrics", { from: "192.0.2.7", headers: withKey() })).status).toBe(200)
  })
})

describe("pages for who builds on it", () => {
  it("are there without a key", async () => {
    expect((await send("/api/openapi.json")).json()).toMatchObject({ openapi: "3.1.0" })
    expect((await send("/api/docs")).headers.get("content-type")).toContain("text/html")
    expect((await send("/api/docs.css")).headers.get("content-type")).toContain("text/css")
  })
})

describe("the server's own machine", () => {
  it("is offered to its owner in a browser on it, at its own address, and to no browser elsewhere", async () => {
    const token = await w.store.write(({ db }) => openSignIn(db, w.owner.uuid, "Test", new Date().toISOString()))
    const asked = async (more: Record<string, string> = {}, from = "127.0.0.1") => {
      const headers = { cookie: `chorus_sign_in=${token}`, origin: `http://${HOST}`, ...more }
      return (await send("/api/machine", { method: "POST", body: {}, headers, from })).json()["machine"]
    }
    expect(await asked()).toEqual({ name: "here", suggested: "/shop" })
    expect(await asked({}, "192.0.2.7")).toBeNull()
    // A proxy that says nothing of itself, and rewrites the host.
    expect(await asked({ origin: `http://${PUBLIC}` })).toBeNull()
    expect(await asked({ via: "1.1 proxy" })).toBeNull()
  })
})

describe("the demo", () => {
  it("is a person's wish", async () => {
    expect((await send("/api/demo", { method: "POST", body: {} })).status).toBe(401)
    expect(await code(send("/api/demo", { method: "POST", body: {}, headers: withKey() }))).toBe("forbidden")
  })
})
