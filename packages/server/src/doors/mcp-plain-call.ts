/**
 * The call that agents make all day, a `tools/call` of the 2025 revisions, recognised without the SDK: building its server
 * object, streams and schemas costs several times what the tool itself does. Whatever is unusual about a request is left to
 * the SDK, whose answers these are, byte for byte (mcp-plain-call.test.ts holds the two beside each other).
 */
export interface PlainCall {
  readonly id: string | number
  readonly params: {
    readonly name: string
    readonly arguments?: Record<string, unknown>
    readonly _meta?: Record<string, unknown>
  }
}

const PLAIN_VERSIONS: readonly (string | null)[] = [null, "2025-11-25", "2025-06-18", "2025-03-26"]
const UNUSUAL_HEADERS = ["mcp-session-id", "mcp-method", "mcp-name", "last-event-id"]
const REQUEST_FIELDS = new Set(["jsonrpc", "id", "method", "params"])
const PARAM_FIELDS = new Set(["name", "arguments", "_meta"])
const META_FIELDS = new Set(["chorus/idempotencyKey", "claudecode/toolUseId"])

/** The call in this request, or undefined when the SDK must look at it. */
export function plainCall(headers: Headers, body: unknown): PlainCall | undefined {
  if (!isRecord(body) || body["method"] !== "tools/call" || body["jsonrpc"] !== "2.0" || !hasOnly(body, REQUEST_FIELDS))
    return undefined
  const { id, params } = body
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined
  if (!isRecord(params) || typeof params["name"] !== "string" || !hasOnly(params, PARAM_FIELDS)) return undefined
  if (params["arguments"] !== undefined && !isRecord(params["arguments"])) return undefined
  if (params["_meta"] !== undefined && !(isRecord(params["_meta"]) && hasOnly(params["_meta"], META_FIELDS)))
    return undefined
  return hasPlainHeaders(headers) ? ({ id, params } as PlainCall) : undefined
}

export function plainAnswer(id: string | number, result: object): Response {
  return new Response(`event: message\ndata: ${JSON.stringify({ result, jsonrpc: "2.0", id })}\n\n`, {
    status: 200,
    headers: STREAM_HEADERS,
  })
}

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "x-accel-buffering": "no",
}

function hasPlainHeaders(headers: Headers): boolean {
  const accept = headers.get("accept") ?? ""
  return (
    accept.includes("application/json") &&
    accept.includes("text/event-stream") &&
    PLAIN_VERSIONS.includes(headers.get("mcp-protocol-version")) &&
    UNUSUAL_HEADERS.every((name) => !headers.has(name))
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function hasOnly(record: Record<string, unknown>, fields: ReadonlySet<string>): boolean {
  return Object.keys(record).every((field) => fields.has(field))
}
