import { connect, type Socket } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer

beforeAll(async () => {
  chorus = await runningServer()
})
afterAll(() => chorus.close())
afterEach(async () => {
  expect((await fetch(`${chorus.url}/api/health`)).status, "the process is healthy after").toBe(200)
})

function raw(): Socket {
  return connect(Number(new URL(chorus.url).port), "127.0.0.1")
}

/** Sends bytes as they are and gives the status line back. */
function statusOf(send: (socket: Socket) => void, timeout = 15_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = raw()
    let text = ""
    const timer = setTimeout(() => (socket.destroy(), reject(new Error(`no answer: ${text}`))), timeout)
    socket.setEncoding("latin1")
    socket.on("data", (chunk: string) => (text += chunk))
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearTimeout(timer)
      resolve(text.split("\r\n")[0] ?? "")
    })
    send(socket)
  })
}

function post(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${chorus.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${chorus.key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  })
}

describe("bad HTTP", () => {
  it.each(["/api/v1/chorus_list_projects", "/api/mcp"])("malformed JSON at %s", async (path) => {
    const response = await post(path, '{"jsonrpc": "2.0", ')
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toMatch(/invalid_json|-32700/)
  })

  it.each([
    [[]],
    [{ jsonrpc: "1.0", id: 1, method: "tools/list" }],
    [{ jsonrpc: "2.0", id: {}, method: 7 }],
    ["text"],
    [null],
  ])("malformed JSON-RPC %j", async (message) => {
    const response = await post("/api/mcp", JSON.stringify(message))
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
  })

  it("wrong content type", async () => {
    expect(
      (await post("/api/v1/chorus_list_projects", "a=b", { "content-type": "application/x-www-form-urlencoded" }))
        .status,
    ).toBe(415)
    expect((await post("/api/mcp", "{}", { "content-type": "text/plain" })).status).toBe(415)
  })

  it.each(["/api/v1/chorus_list_projects", "/api/mcp"])("a body of 20 MB at %s", async (path) => {
    const status = await post(path, `"${"x".repeat(20 * 1024 * 1024)}"`).then(
      (response) => response.status,
      // The server may hang up while the rest is still being sent.
      () => 413,
    )
    expect(status).toBe(413)
  })

  it("bad UTF-8", async () => {
    const response = await post(
      "/api/v1/chorus_admin_create_project",
      new Uint8Array([0x7b, 0x22, 0x6e, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: "invalid_json" } })
  })

  it("ten thousand headers", async () => {
    const headers = Array.from({ length: 10_000 }, (_, n) => `x-h${n}: v`).join("\r\n")
    expect(
      await statusOf((socket) => socket.write(`GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n\r\n`)),
    ).toContain("431")
  })

  it("a client that never finishes its headers is cut off", async () => {
    expect(
      await statusOf((socket) => socket.write("GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "), 45_000),
    ).toMatch(/408|^$/)
  }, 60_000)

  it("nonsense instead of HTTP", async () => {
    expect(await statusOf((socket) => socket.write("\u0000\u0001nonsense\r\n\r\n"))).toContain("400")
  })

  it("a foreign Host", async () => {
    expect(
      await statusOf((socket) =>
        socket.write("GET /api/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
      ),
    ).toContain("403")
  })

  it("an operation that does not exist, and a write by GET", async () => {
    expect((await post("/api/v1/chorus_nonsense", "{}")).status).toBe(404)
    const response = await fetch(`${chorus.url}/api/v1/chorus_admin_create_project?name=x`, {
      headers: { authorization: `Bearer ${chorus.key}` },
    })
    expect(response.status).toBe(405)
  })

  it("prototype tricks and wrong types change nothing", async () => {
    const before = await chorus.post("chorus_list_projects")
    for (const body of [
      '{"__proto__":{"name":"x"}}',
      '{"name":{"$gt":""}}',
      '{"name":["a"]}',
      '{"name":"a\\u0000b"}',
      `{"name":"${"n".repeat(5000)}"}`,
    ]) {
      const response = await post("/api/v1/chorus_admin_create_project", body)
      expect(response.status).toBe(400)
      const code = body.includes("__proto__") ? "unknown_field" : "invalid_input"
      expect(await response.json()).toMatchObject({ error: { code, next: expect.any(String) } })
    }
    expect((await chorus.post("chorus_list_projects")).body["total"]).toBe(before.body["total"])
  })
})
