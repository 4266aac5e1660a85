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

test("gives ports to many who ask at once", async () => {
  const ports = await Promise.all(Array.from({ length: 8 }, () => freePort()))
  expect(ports.every((port) => Number.isInteger(port) && port > 1023 && port < 65_536)).toBe(true)
})
