import { describe, expect, it } from "vitest"
import { plainAnswer, plainCall } from "./mcp-plain-call.ts"

const HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" }
const BODY = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "chorus_checkin", arguments: {} } }
const look = (body: unknown, headers: Record<string, string> = {}) =>
  plainCall(new Headers({ ...HEADERS, ...headers }), body)

describe("a plain call", () => {
  it.each([
    ["with arguments", BODY],
    ["without", { ...BODY, params: { name: "x" } }],
    ["with a text as its id", { ...BODY, id: "abc" }],
    [
      "with a key to be repeated under",
      { ...BODY, params: { ...BODY.params, _meta: { "chorus/idempotencyKey": "k" } } },
    ],
    ["as Claude Code sends it", { ...BODY, params: { ...BODY.params, _meta: { "claudecode/toolUseId": "toolu_1" } } }],
  ])("is recognised: %s", (_, body) => {
    expect(look(body)).toEqual({ id: body.id, params: body.params })
  })

  it.each(["2025-11-25", "2025-06-18", "2025-03-26"])("is recognised in revision %s", (version) => {
    expect(look(BODY, { "mcp-protocol-version": version })).toBeDefined()
  })

  it.each<[string, unknown, Record<string, string>?]>([
    ["a batch", [BODY]],
    ["no object", "text"],
    ["nothing", undefined],
    ["null", null],
    ["another method", { ...BODY, method: "tools/list" }],
    ["a notification", { jsonrpc: "2.0", method: "tools/call", params: BODY.params }],
    ["an id that is null", { ...BODY, id: null }],
    ["an id that is no whole number", { ...BODY, id: 1.5 }],
    ["an id beyond what is exact", { ...BODY, id: 2 ** 60 }],
    ["another version of JSON-RPC", { ...BODY, jsonrpc: "1.0" }],
    ["a field nobody knows", { ...BODY, extra: 1 }],
    ["no params", { ...BODY, params: undefined }],
    ["a name that is no text", { ...BODY, params: { name: 7 } }],
    ["arguments that are a list", { ...BODY, params: { name: "x", arguments: [] } }],
    ["a param nobody knows", { ...BODY, params: { ...BODY.params, task: {} } }],
    ["meta that asks for progress", { ...BODY, params: { ...BODY.params, _meta: { progressToken: 1 } } }],
    ["meta that is no object", { ...BODY, params: { ...BODY.params, _meta: "x" } }],
    ["an unknown revision", BODY, { "mcp-protocol-version": "2024-11-05" }],
    ["a revision to come", BODY, { "mcp-protocol-version": "2026-07-28" }],
    ["a session", BODY, { "mcp-session-id": "s" }],
    ["a stream to resume", BODY, { "last-event-id": "1" }],
    ["who takes no stream", BODY, { accept: "application/json" }],
    ["who takes no JSON", BODY, { accept: "text/event-stream" }],
    ["who takes anything", BODY, { accept: "*/*" }],
  ])("is left to the SDK: %s", (_, body, headers) => {
    expect(look(body, headers)).toBeUndefined()
  })
})

describe("the answer to one", () => {
  it("is one event of a stream that nobody keeps", async () => {
    const response = plainAnswer("abc", { content: [], note: "two\nlines" })
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
    })
    expect(await response.text()).toBe(
      'event: message\ndata: {"result":{"content":[],"note":"two\\nlines"},"jsonrpc":"2.0","id":"abc"}\n\n',
    )
  })
})
