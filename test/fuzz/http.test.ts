import { once } from "node:events"
import { connect } from "node:net"
import * as fc from "fast-check"
import { waitFor } from "@chorus/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { runningServer, type TestServer } from "../../packages/server/test/running-server.ts"
import { cuts, everythingIn, hostileText, mutated, runs, STABLE_CODE } from "./hostile.ts"

let chorus: TestServer
let before: string

beforeAll(async () => {
  chorus = await runningServer()
  await chorus.post("chorus_admin_create_project", { name: "Kept" })
  before = await everythingIn(chorus.directory)
})

afterAll(async () => {
  expect(await everythingIn(chorus.directory), "nothing was changed by any of it").toBe(before)
  await chorus.close()
})

it("bytes that are almost a request are answered below 500 or not at all, and the next caller is served", async () => {
  const requests = [
    `GET /api/health HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`,
    `POST /api/v1/chorus_list_projects HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${chorus.key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    `POST /api/mcp HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${chorus.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `GET /api/events HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${chorus.key}\r\nLast-Event-ID: 1\r\n\r\n`,
    `GET /../../etc/passwd HTTP/1.1\r\nHost: ${host()}\r\nCookie: chorus=x\r\nConnection: close\r\n\r\n`,
    `GET /api/events HTTP/1.1\r\nHost: ${host()}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  ]
  let answered = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...requests), cuts, async (request, changes) => {
      const answer = await said(mutated(Buffer.from(request), changes))
      expect(answer).toMatch(/^$|^HTTP\/1\.[01] [1-4]\d\d /)
      if (answer !== "") answered++
    }),
    runs(150, 10_000),
  )
  expect(answered).toBeGreaterThan(50)
  await healthy()
})

it("the event stream takes a position or refuses it by code, whatever the header and the query say", async () => {
  // Longer headers never reach us: Node itself answers 431 to them.
  const positions = fc.oneof(
    hostileText.map((text) => text.slice(0, 4000)),
    fc.integer().map(String),
    fc.double().map(String),
    fc.constantFrom("0", "1", "0x1", "1e3", " 1 ", "+1", "٣", "9007199254740993"),
  )
  const filters = fc.array(
    fc.tuple(fc.constantFrom("kind", "projectUuid", "lastEventId", "presence", "unknown"), hostileText),
    { maxLength: 3 },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.option(positions, { nil: undefined }),
      filters,
      fc.constantFrom("/api/events", "/api/events/notifications"),
      async (position, pairs, path) => {
        const end = new AbortController()
        const query = new URLSearchParams(pairs.map(([name, value]) => [name, value.slice(0, 2000).toWellFormed()]))
        const headers = {
          authorization: `Bearer ${chorus.key}`,
          ...(position === undefined || !isHeader(position) ? {} : { "last-event-id": position }),
        }
        const response = await fetch(`${chorus.url}${path}?${query}`, { headers, signal: end.signal })
        if (response.status === 200) expect(response.headers.get("content-type")).toContain("text/event-stream")
        else
          expect((await response.json()) as object, String(response.status)).toMatchObject({
            error: { code: expect.stringMatching(STABLE_CODE) },
          })
        expect(response.status).toBeLessThan(500)
        end.abort()
      },
    ),
    runs(120, 10_000),
  )
  await waitFor(
    async () => /chorus_event_readers 0\b/.test(await (await fetch(`${chorus.url}/metrics`)).text()),
    60_000,
    "every reader to be gone again",
  )
  await healthy()
})

it("headers of any content are no fault of ours, and open nothing to those without a key", async () => {
  const names = fc.constantFrom(
    "host",
    "origin",
    "cookie",
    "authorization",
    "x-forwarded-for",
    "forwarded",
    "x-forwarded-host",
    "sec-fetch-site",
    "idempotency-key",
    "x-chorus-project",
    "content-type",
    "accept",
    "if-none-match",
    "range",
    "expect",
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          names,
          fc.oneof(
            hostileText,
            fc.constantFrom(
              "Bearer cho_x",
              "Bearer ",
              "http://127.0.0.1",
              "null",
              "127.0.0.1",
              "localhost",
              "100-continue",
            ),
          ),
        ),
        { maxLength: 4 },
      ),
      async (pairs) => {
        const lines = pairs
          .filter(([, value]) => isHeader(value) && value.length < 4000)
          .map(([name, value]) => `${name}: ${value}\r\n`)
        const answer = await said(
          Buffer.from(
            `POST /api/v1/chorus_list_projects HTTP/1.1\r\nHost: ${host()}\r\n${lines.join("")}Content-Length: 2\r\nConnection: close\r\n\r\n{}`,
            "latin1",
          ),
        )
        expect(answer, lines.join("")).toMatch(/^$|^HTTP\/1\.1 (100 |4\d\d )/)
      },
    ),
    runs(150, 10_000),
  )
  await healthy()
})

function host(): string {
  return new URL(chorus.url).host
}

async function healthy(): Promise<void> {
  expect((await fetch(`${chorus.url}/api/health`)).status).toBe(200)
}

/** What a header may hold at all; everything else is refused by the client that we test with. */
function isHeader(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}

/** Sends bytes, ends, and gives the status line back; streams are left as soon as they begin. */
async function said(bytes: Uint8Array): Promise<string> {
  const socket = connect(Number(new URL(chorus.url).port), "127.0.0.1")
  let text = ""
  socket.on("error", () => undefined)
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk
    if (text.includes("text/event-stream")) socket.destroy()
  })
  const closed = once(socket, "close")
  socket.end(bytes)
  // A request that was cut off in its body waits for the rest; a caller that leaves is enough.
  const timer = setTimeout(() => socket.destroy(), 400)
  await closed
  clearTimeout(timer)
  return text.split("\r\n")[0] ?? ""
}
