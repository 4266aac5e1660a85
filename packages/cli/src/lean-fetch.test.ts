import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { createClient } from "@chorus/client"
import { afterEach, describe, expect, it } from "vitest"
import { leanFetch } from "./lean-fetch.ts"

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

async function served(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  open.push(close)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: createClient({ url, key: "k", fetch: leanFetch, timeoutMs: 2000 }), close }
}

describe("the client over node:http", () => {
  it("sends what it says and reads answers and errors, in any language", async () => {
    const { client } = await served((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => (body += text))
      request.on("end", () => {
        const refused = body.includes("nein")
        const said = { method: request.method, key: request.headers.authorization, body: JSON.parse(body) as unknown }
        response.writeHead(refused ? 409 : 200, { "content-type": "application/json", "chorus-position": "7" })
        response.end(JSON.stringify(refused ? { error: { code: "no", message: "Nein.", next: "Warte." } } : said))
      })
    })
    expect(await client.send("any", { word: "門は赤い" })).toEqual({
      method: "POST",
      key: "Bearer k",
      body: { word: "門は赤い" },
    })
    await expect(client.send("any", "nein", { retry: false })).rejects.toMatchObject({ code: "no", status: 409 })
  })

  it("says where nobody answers, and an abort stays the caller's own reason", async () => {
    const { client, close } = await served(() => undefined)
    const asking = new AbortController()
    const asked = client.send("any", {}, { retry: false, signal: asking.signal })
    asking.abort(new Error("enough"))
    await expect(asked).rejects.toThrow("enough")
    close()
    await expect(client.send("any", {}, { retry: false })).rejects.toMatchObject({ code: "server_unreachable" })
  })

  it("follows the log, and connects again where a connection breaks off", async () => {
    let connections = 0
    const { client } = await served((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      connections++
      response.write(`id: ${connections}\nevent: task.claimed\ndata: {"id":${connections}}\n\n`, () => {
        if (connections === 1) response.destroy()
      })
    })
    const seen: number[] = []
    for await (const item of client.events({ lastEventId: 0 })) {
      if (item.type === "event") seen.push(item.event.id)
      if (seen.length === 2) break
    }
    expect(seen).toEqual([1, 2])
  })
})
