import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { temporaryDirectory } from "@chorus/testing"
import { expect, it } from "vitest"
import { startServer } from "../src/index.ts"

it("sends a span per operation to a collector when asked to", async () => {
  const received: string[] = []
  const collector = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (chunk: string) => received.push(chunk))
    request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
  })
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve))
  const traceTo = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`
  const server = await startServer({ dataDirectory: temporaryDirectory().path, port: 0, traceTo })
  await fetch(`${server.url}/api/health`)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  await server.close()
  collector.close()
  expect(metrics).toContain('chorus_operation_seconds_count{operation="chorus_health",outcome="ok"} 1')
  expect(received.join("")).toContain("chorus_health")
})
