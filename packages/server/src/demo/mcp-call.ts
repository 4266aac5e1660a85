import { ChorusError, type ErrorBody } from "@chorus/contracts"

export type McpCall = (tool: string, input: Record<string, unknown>) => Promise<Record<string, unknown>>

interface ToolAnswer {
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] }
  readonly error?: { readonly message: string }
}

/** Calls tools as any agent does: JSON-RPC over HTTP at the MCP door, with a key. */
export function mcpCaller(url: string, key: string, signal: AbortSignal): McpCall {
  let id = 0
  return async (tool, input) => {
    const response = await fetch(`${url}/api/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: ++id,
        method: "tools/call",
        params: { name: tool, arguments: input },
      }),
      signal,
    })
    const { result, error } = answerIn(await response.text())
    const text = result?.content[0]?.text
    if (result === undefined || text === undefined)
      throw new ChorusError("demo_failed", `${tool}: ${error?.message ?? response.statusText}`, { status: 502 })
    const content = JSON.parse(text) as Record<string, unknown>
    if (result.isError !== true) return content
    const fault = content["error"] as ErrorBody
    throw new ChorusError(fault.code, fault.message, { next: fault.next, status: 409 })
  }
}

/** The answer comes plain, or as the one event of a stream. */
function answerIn(text: string): ToolAnswer {
  const data = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}")
  return JSON.parse(data) as ToolAnswer
}
