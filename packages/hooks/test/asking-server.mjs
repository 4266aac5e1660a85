// An MCP server over standard input and output whose one tool asks the person at the client, if the client can do that.
import { createInterface } from "node:readline"

const QUESTION = {
  message: "Which shirt?",
  requestedSchema: {
    type: "object",
    properties: { size: { type: "string", title: "Size", enum: ["small", "large"] } },
    required: ["size"],
  },
}
let call
let canAsk = false
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const told = (text) => say({ id: call, result: { content: [{ type: "text", text }] } })

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (method === "initialize") {
    canAsk = params.capabilities.elicitation !== undefined
    const serverInfo = { name: "shop", version: "1.0.0" }
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } })
  } else if (method === "tools/list") {
    say({ id, result: { tools: [{ name: "ask", description: "Asks.", inputSchema: { type: "object" } }] } })
  } else if (method === "tools/call") {
    call = id
    if (canAsk) say({ id: "q1", method: "elicitation/create", params: QUESTION })
    else told("There is nobody to ask.")
  } else if (id === "q1") {
    told(`The shirt: ${JSON.stringify(result)}.`)
  } else if (id !== undefined) {
    say({ id, error: { code: -32601, message: "unknown" } })
  }
})
