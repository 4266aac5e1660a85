import { createServer, request, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { once } from "node:events"
import { expect, it } from "vitest"
import { drainOnClose } from "./drain.ts"

async function serving(answer: (response: ServerResponse) => void, patienceMs?: number) {
  const http = createServer((_request, response) => answer(response))
  const drain = drainOnClose(http, patienceMs)
  await new Promise<void>((ready) => http.listen(0, "127.0.0.1", ready))
  return { http, drain, port: (http.address() as AddressInfo).port }
}

async function ask(port: number): Promise<{ body: Promise<string>; connection: string | undefined }> {
  const [response] = (await once(
    request({ port, host: "127.0.0.1", headers: { connection: "keep-alive" } }).end(),
    "response",
  )) as [AsyncIterable<Buffer> & { headers: { connection?: string } }]
  return { body: textOf(response), connection: response.headers.connection }
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = ""
  for await (const chunk of chunks) text += chunk.toString()
  return text
}

it("answers what it has begun, takes nobody new, and is then closed", async () => {
  const arrived = Promise.withResolvers<ServerResponse>()
  const { http, drain, port } = await serving((response) => arrived.resolve(response))
  const asked = ask(port)
  const response = await arrived.promise
  const drained = drain()
  expect(http.listening).toBe(false)
  response.end("done")
  const answer = await asked
  expect(await answer.body).toBe("done")
  expect(answer.connection).toBe("close")
  await drained
  await expect(ask(port)).rejects.toMatchObject({ code: "ECONNREFUSED" })
})

it("ends streams at once, so that their readers go elsewhere", async () => {
  const { drain, port } = await serving((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write("id: 1\n\n")
  })
  const stream = await ask(port)
  await drain()
  expect(await stream.body).toBe("id: 1\n\n")
})

it("does not wait for ever for what never ends", async () => {
  const arrived = Promise.withResolvers<void>()
  const { drain, port } = await serving(() => arrived.resolve(), 50)
  const refused = expect(ask(port)).rejects.toMatchObject({ code: "ECONNRESET" })
  await arrived.promise
  await drain()
  await refused
})
