import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const LEAN_FETCH = join(import.meta.dirname, "..", "src", "lean-fetch.ts")

it("calls a server without the fetch of the platform, which a process that only waits would keep for good", async () => {
  const server = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const program = `
    const { leanFetch } = await import(${JSON.stringify(LEAN_FETCH)})
    await (await leanFetch(${JSON.stringify(address)}, { signal: AbortSignal.timeout(60_000) })).json()
    console.log(process.moduleLoadList.filter((name) => name.includes("undici/undici")).length)`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program])
  server.close()
  expect(stdout.trim()).toBe("0")
})
