// An MCP server on its standard streams whose only tool always fails.
import { createInterface } from "node:readline"

const ANSWERS: Readonly<Record<string, (params: { protocolVersion?: string }) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "faulty", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [{ name: "fail", description: "Fails.", inputSchema: { type: "object", properties: {} } }],
  }),
  "tools/call": () => ({ isError: true, content: [{ type: "text", text: "The shop is closed." }] }),
}

for await (const text of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(text) as { id?: number; method: string; params?: object }
  if (id === undefined) continue
  const result = ANSWERS[method]?.(params)
  const answer = result === undefined ? { error: { code: -32_601, message: "No such method." } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`)
}
