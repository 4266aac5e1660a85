import type { Server, ServerResponse } from "node:http"

const PATIENCE_MS = 5000
const LOOK_MS = 50

/**
 * How a server closes while others go on in its place: it takes nobody new, ends streams, whose readers then resume elsewhere, and lets
 * what it is doing come to its end, for a while.
 */
export function drainOnClose(http: Server, patienceMs = PATIENCE_MS): () => Promise<void> {
  const open = new Set<ServerResponse>()
  http.on("request", (_request, response) => {
    open.add(response)
    response.once("close", () => open.delete(response))
  })
  return async () => {
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    for (const response of open) finish(response)
    const idle = setInterval(() => http.closeIdleConnections(), LOOK_MS)
    const timer = setTimeout(() => http.closeAllConnections(), patienceMs)
    await closed
    clearInterval(idle)
    clearTimeout(timer)
  }
}

/** Answers go out whole, so what has begun and not ended is a stream. */
function finish(response: ServerResponse): void {
  if (!response.headersSent) return void response.setHeader("connection", "close")
  const { socket } = response
  if (!response.writableEnded) response.end(() => socket?.end())
}
