import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly path: string
  readonly body: string
  readonly event: { id: number; kind: string; patch: Record<string, unknown> }
}

export interface Receiver {
  readonly port: number
  readonly received: Received[]
  close(): Promise<void>
}

/** A real server that takes webhooks. `answer` says how: a status, or where to send the sender. */
export async function startReceiver(
  answer: (count: number) => number | { redirect: string } | "silence" = () => 200,
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("utf8")
      const { event } = JSON.parse(body) as { event: Received["event"] }
      received.push({ headers: request.headers, path: request.url ?? "", body, event })
      const how = answer(received.length)
      if (how === "silence") return
      if (typeof how === "number") response.writeHead(how).end("thanks")
      else response.writeHead(302, { location: how.redirect }).end()
    })
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
