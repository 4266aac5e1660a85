import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

export type Between = Awaited<ReturnType<typeof startBetween>>

/** Stands between a process and the server, and lets some calls fail before they arrive. */
export async function startBetween(to: string) {
  let refused: RegExp | undefined
  let count = 0
  const paths: string[] = []
  const http = createServer((incoming, outgoing) => {
    const path = incoming.url ?? ""
    paths.push(path)
    if (refused?.test(path) === true) {
      count++
      return void incoming.socket.destroy()
    }
    const onward = request(new URL(path, to), { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on("error", () => outgoing.destroy())
    outgoing.on("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((ready) => http.listen(0, "127.0.0.1", ready))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    refuse: (which: RegExp | undefined) => void (refused = which),
    refused: () => count,
    seen: (which: RegExp) => paths.filter((path) => which.test(path)).length,
    close: async () => {
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
    },
  }
}
