import { existsSync, statSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server } from "node:net"
import { join } from "node:path"
import { temporaryDirectory, type TemporaryDirectory } from "@chorus/testing"
import { afterEach, beforeEach, expect, test } from "vitest"
import { chorus, startChorus } from "./chorus-process.ts"

let directory: TemporaryDirectory
let data: string

beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory.path, "data")
})

afterEach(() => directory.remove())

test("a sign-in link is printed until somebody has signed in; a signal ends it in good order", async () => {
  const first = await startChorus(["--data", data])
  expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(first.signIn).toMatch(new RegExp(`^${first.url}/sign-in#[\\w-]{43}$`))
  expect(await (await fetch(`${first.url}/api/health`)).json()).toMatchObject({ status: "ok", engine: "sqlite" })
  expect(statSync(data).mode & 0o777).toBe(0o700)
  expect(statSync(join(data, "server.json")).mode & 0o777).toBe(0o600)
  const signedIn = await fetch(`${first.url}/api/auth/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: first.url },
    body: JSON.stringify({ token: first.signIn?.split("#")[1] }),
  })
  expect(signedIn.status).toBe(200)
  expect(await first.end("SIGINT")).toBe(0)
  expect(existsSync(join(data, "server.json"))).toBe(false)
  const second = await startChorus(["--data", data])
  expect(second.signIn).toBeNull()
  expect(await second.end("SIGTERM")).toBe(0)
})

test("a second server on the same data ends at once and names the first", async () => {
  const first = await startChorus(["--data", data])
  const second = await chorus(["start", "--port", "0", "--data", data])
  expect(second.code).toBe(1)
  expect(second.stderr).toContain(`Process ${first.pid} (${first.url}) already runs Chorus on ${data}`)
  expect(await (await fetch(`${first.url}/api/health`)).json()).toMatchObject({ status: "ok" })
  await first.end()
})

test("a killed server leaves nothing that keeps the next from starting", async () => {
  const first = await startChorus(["--data", data])
  expect(await first.end("SIGKILL")).toBe("SIGKILL")
  const second = await startChorus(["--data", data])
  expect(second.pid).not.toBe(first.pid)
  await second.end()
})

test("another Chorus on the port is named as such", async () => {
  const first = await startChorus(["--data", data])
  const second = await chorus(["start", "--port", new URL(first.url).port, "--data", `${data}2`])
  expect(second.code).toBe(1)
  expect(second.stderr).toMatch(/Another Chorus \(\d+\.\d+\.\d+\) listens on 127\.0\.0\.1:\d+/)
  expect(second.stderr).toContain("port_in_use")
  await first.end()
})

test.each([
  [
    "a web server",
    () => createHttpServer((_, response) => response.setHeader("server", "Elsewhere/1\u00e9").end("hello")),
    /not Chorus: a web server \(Elsewhere\/1\?+\) answers there/,
  ],
  [
    "a program that greets",
    () => createServer((socket) => socket.end("220 mail\u001b[2J here\r\n")),
    /not Chorus: it says "220 mail\?\[2J here"/,
  ],
  [
    "a program that is silent",
    () => createServer((socket) => void socket.on("error", () => undefined)),
    /not Chorus: it does not speak HTTP/,
  ],
])("%s on the port is named, with its process", async (_, make, message) => {
  const foreign = make()
  const port = await listening(foreign)
  const refused = await chorus(["start", "--port", String(port), "--data", data])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(message)
  if (process.platform === "linux") expect(refused.stderr).toContain(`process ${process.pid} (`)
  expect(existsSync(join(data, "server.json"))).toBe(false)
  foreign.close()
})

test("what cannot be a port is refused before anything is made", async () => {
  const refused = await chorus(["start", "--port", "99999", "--data", data])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain("A port is a number from 0 to 65535.")
  expect(existsSync(data)).toBe(false)
})

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))
}
