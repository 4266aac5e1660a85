import { runningServer } from "@chorus/server/data-directory"

/** Where a server listens that was told nothing else. */
export const DEFAULT_URL = "http://127.0.0.1:8637"

/** Where the server of this data is reached: what it wrote down when it began to listen. */
export function serverAddress(data: string): string {
  const url = runningServer(data)?.url
  return url === undefined || url === "" ? DEFAULT_URL : url
}

/** Where any MCP client finds the short list of tools. */
export function mcpAddress(url: string): string {
  return `${url.replace(/\/+$/, "")}/api/mcp?tools=lean`
}
