import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { toolAnswer } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeKey, runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer

beforeAll(async () => {
  chorus = await runningServer()
})
afterAll(() => chorus.close())

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${chorus.url}/api/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  return client
}

/** One JSON-RPC request as a shell script with curl would send it. */
async function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${chorus.url}/api/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${chorus.key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  })
}

function firstDataLine(text: string): Record<string, never> {
  const line = text.split("\n").find((candidate) => candidate.startsWith("data: "))
  return JSON.parse(line === undefined ? text : line.slice("data: ".length)) as Record<string, never>
}

describe("the MCP door", () => {
  it("serves the official client: list, call, an answer once, as text in the revisions of 2025", async () => {
    const client = await connect(chorus.key)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain("chorus_admin_create_project")
    const result = await client.callTool({ name: "chorus_admin_create_project", arguments: { name: "From MCP" } })
    expect(result.structuredContent).toBeUndefined()
    expect(result.content).toHaveLength(1)
    expect(toolAnswer(result)).toMatchObject({ name: "From MCP", status: "active" })
    await client.close()
  })

  it("shows a key only what it may call, and refuses the rest by code", async () => {
    const client = await connect(await makeKey(chorus.server, "developer"))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).not.toContain("chorus_admin_create_project")
    const refusal = await client.callTool({ name: "chorus_admin_create_project", arguments: { name: "No" } })
    expect(refusal.isError).toBe(true)
    expect(toolAnswer(refusal)).toMatchObject({ error: { code: "forbidden", next: expect.any(String) } })
    await client.close()
  })

  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
    "speaks %s in three stateless posts, the answer in the first data line",
    async (protocolVersion) => {
      const initialize = await post({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion, capabilities: {}, clientInfo: { name: "curl", version: "1" } },
      })
      expect(firstDataLine(await initialize.text())["result"]).toMatchObject({
        protocolVersion,
        serverInfo: { name: "chorus" },
      })
      expect((await post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202)
      const call = await post({
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "chorus_list_projects", arguments: { pageSize: 500 } },
      })
      expect(toolAnswer(firstDataLine(await call.text())["result"] ?? {})).toMatchObject({ pageSize: 100 })
    },
  )

  it("speaks 2026-07-28: discovery says what is there", async () => {
    const response = await post(
      {
        jsonrpc: "2.0",
        id: 1,
        method: "server/discover",
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      },
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" },
    )
    expect(firstDataLine(await response.text())["result"]).toMatchObject({
      supportedVersions: expect.arrayContaining(["2026-07-28"]),
    })
  })

  it("answers a client of 2026-07-28 once, in structure, and says a refusal in words", async () => {
    const client = new Client({ name: "new", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${chorus.url}/api/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${chorus.key}` } },
      }),
    )
    const answer = await client.callTool({ name: "chorus_list_projects", arguments: {} })
    expect(answer).toMatchObject({ content: [], structuredContent: { page: 1 } })
    const refusal = await client.callTool({ name: "chorus_get_task", arguments: {} })
    expect(refusal).toMatchObject({ content: [{ text: expect.stringContaining("invalid_input") }], isError: true })
    expect(refusal).not.toHaveProperty("structuredContent")
    await client.close()
  })

  it("reads arrays that a client sent as JSON text", async () => {
    const client = await connect(chorus.key)
    const result = await client.callTool({ name: "chorus_list_projects", arguments: { page: "1" } })
    expect(result.isError).toBeFalsy()
    await client.close()
  })

  it("answers a repeated call with the same idempotency key once", async () => {
    const client = await connect(chorus.key)
    const call = () =>
      client.callTool({
        name: "chorus_admin_create_project",
        arguments: { name: "Once" },
        _meta: { "chorus/idempotencyKey": "k1" },
      })
    const [first, second] = [await call(), await call()]
    expect(toolAnswer(second)).toEqual(toolAnswer(first))
    await client.close()
  })

  it("asks for a key", async () => {
    const response = await fetch(`${chorus.url}/api/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code: "unauthenticated" } })
  })

  it("refuses other sites and other host names before routing", async () => {
    const evil = await post({ jsonrpc: "2.0", id: 1, method: "ping" }, { origin: "https://evil.example" })
    expect(evil.status).toBe(403)
    expect(await evil.json()).toMatchObject({ error: { code: "origin_refused" } })
  })
})
