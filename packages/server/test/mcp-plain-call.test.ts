import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer

beforeAll(async () => {
  chorus = await runningServer()
})
afterAll(() => chorus.close())

const HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" }
/** Means nothing to a stateless server, but is unusual enough to send a request the long way, through the SDK. */
const LONG_WAY = { "last-event-id": "0" }

async function post(body: unknown, headers: Record<string, string>) {
  const response = await fetch(`${chorus.url}/api/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${chorus.key}`, ...HEADERS, ...headers },
    body: JSON.stringify(body),
  })
  const { date: _, "x-request-id": __, ...kept } = Object.fromEntries(response.headers)
  return { status: response.status, headers: kept, text: await response.text() }
}

const id = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.constant(null),
  fc.double({ noNaN: true }),
  fc.boolean(),
)
const name = fc.constantFrom("chorus_list_projects", "chorus_health", "nobody_knows_this", "", "__proto__")
const args = fc.constantFrom<unknown>(
  undefined,
  {},
  { pageSize: 2 },
  { pageSize: "two" },
  { unknown: 1 },
  [],
  "text",
  null,
  7,
)
const meta = fc.constantFrom<unknown>(
  undefined,
  {},
  { "chorus/idempotencyKey": "once" },
  { "chorus/idempotencyKey": 3 },
  { progressToken: 1 },
  { progressToken: {} },
  { "claudecode/toolUseId": "t" },
  { other: true },
  [],
  "x",
)
const extra = fc.constantFrom({}, { extra: 1 }, { params2: {} })
const version = fc.constantFrom<Record<string, string>>(
  {},
  { "mcp-protocol-version": "2025-11-25" },
  { "mcp-protocol-version": "2025-06-18" },
  { "mcp-protocol-version": "2025-03-26" },
  { "mcp-protocol-version": "1999-01-01" },
)

describe("the short way of a plain tool call", () => {
  it("gives the very answer that the SDK gives the long way, whatever the request", async () => {
    await fc.assert(
      fc.asyncProperty(id, name, args, meta, extra, version, async (requestId, tool, sent, notes, more, protocol) => {
        const body = {
          jsonrpc: "2.0",
          id: requestId,
          method: "tools/call",
          params: { name: tool, arguments: sent, _meta: notes },
          ...more,
        }
        expect(await post(body, protocol)).toEqual(await post(body, { ...protocol, ...LONG_WAY }))
      }),
      { numRuns: process.env["CHORUS_STRESS"] === "1" ? 5000 : 300 },
    )
  })

  it.each([
    { accept: "application/json" },
    { accept: "*/*" },
    { accept: "text/event-stream" },
    { "content-type": "text/plain" },
  ])("leaves what the SDK refuses to the SDK: %j", async (headers) => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "chorus_health", arguments: {} } }
    const answer = await post(body, headers)
    expect(answer).toEqual(await post(body, { ...LONG_WAY, ...headers }))
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })
})
