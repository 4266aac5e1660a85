import { toolAnswer } from "@chorus/testing"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

export type Answer = Record<string, never>

/** A real MCP client with a key: what any agent program is to the server. */
export interface Agent {
  call(tool: string, input?: Record<string, unknown>): Promise<Answer>
  close(): Promise<void>
}

export async function connectAgent(url: string, key: string): Promise<Agent> {
  const client = new Client({ name: "e2e", version: "1" })
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/api/mcp", url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  return {
    async call(tool, input = {}) {
      const result = await client.callTool({ name: tool, arguments: input })
      if (result.isError === true) throw new Error(`${tool}: ${JSON.stringify(toolAnswer(result))}`)
      return toolAnswer(result) as Answer
    },
    close: () => client.close(),
  }
}
