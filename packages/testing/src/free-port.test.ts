import { once } from "node:events"
import { createServer } from "node:net"
import { expect, test } from "vitest"
import { freePort } from "./free-port.ts"

test("gives a port that can be listened on", async () => {
  const port = await freePort()
  const server = createServer().listen(port, "127.0.0.1")
  await once(server, "listening")
  expect(server.address()).toMatchObject({ port })
  server.close()
})
