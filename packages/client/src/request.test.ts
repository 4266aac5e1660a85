import { ChorusError } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { type Answer, json, never, scripted } from "../test/scripted-network.ts"
import { refusal, sendJson } from "./request.ts"

const ADDRESS = "http://chorus.test:8637/api/v1/chorus_whoami"

function send(answer: Answer, { timeoutMs = 30_000, signal }: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  return sendJson(scripted([answer]).fetch, { address: ADDRESS, body: {}, headers: {}, timeoutMs, signal })
}

describe("a request", () => {
  it.each([[{ name: "Owner" }], [[]], ["text"], [null], [0]])("gives the answer %j as it came", async (answer) => {
    expect((await send(json(200, answer))).answer).toEqual(answer)
  })

  it("that nobody answers says where nobody did, and what to do", async () => {
    await expect(send(new TypeError("fetch failed"))).rejects.toMatchObject({
      code: "server_unreachable",
      status: 503,
      message: "Nothing answers at http://chorus.test:8637.",
      next: "Check the address, or start the server with `chorus start`.",
      cause: new TypeError("fetch failed"),
    })
  })

  it("gives up after its time", async () => {
    await expect(send(never, { timeoutMs: 1 })).rejects.toMatchObject({ code: "server_unreachable" })
  })

  it("gives up when its answer begins and does not end", async () => {
    const halfway: Answer = ({ signal }) =>
      new Response(
        new ReadableStream({ start: (body) => signal?.addEventListener("abort", () => body.error(signal.reason)) }),
      )
    await expect(send(halfway, { timeoutMs: 5 })).rejects.toMatchObject({ code: "server_unreachable" })
  })

  it("ends with the caller's reason when they no longer want it, before or during", async () => {
    const reason = new Error("left the page")
    await expect(send(never, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const leaving = new AbortController()
    const waiting = send(never, { signal: leaving.signal })
    leaving.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  it.each([
    ["a page instead of an answer", new Response("<html>", { status: 200 }), "HTTP 200", 502],
    ["nothing instead of an answer", new Response("", { status: 200 }), "HTTP 200", 502],
    ["a refusal that is not ours", json(404, { message: "no route" }), "HTTP 404", 502],
    ["a refusal without words", json(404, { error: { code: "not_found" } }), "HTTP 404", 502],
    ["a refusal with a code that is no text", json(400, { error: { code: 7, message: "x" } }), "HTTP 400", 502],
    ["a refusal that is nothing", json(401, null), "HTTP 401", 502],
    ["a proxy that cannot reach the server", new Response("Bad Gateway", { status: 502 }), "HTTP 502", 502],
    ["a proxy that waited too long", new Response("", { status: 504 }), "HTTP 504", 504],
  ])("that gets %s says that this is not Chorus", async (_, answer, shown, status) => {
    await expect(send(answer)).rejects.toMatchObject({
      code: "not_chorus",
      status,
      message: `What answers at http://chorus.test:8637 is not Chorus (${shown}).`,
    })
  })
})

describe("a refusal", () => {
  const refused = { code: "too_many", message: "Slow down." }

  it.each([
    ["in seconds", "3", { retryAfterSeconds: 3 }],
    ["not at all", undefined, undefined],
    ["by a date, which no server of ours says", "Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  ])("says %s when to come again", async (_, header, details) => {
    const error = await refusal(
      json(429, { error: refused }, header === undefined ? {} : { "retry-after": header }),
      ADDRESS,
    )
    expect(error).toBeInstanceOf(ChorusError)
    expect(error.details).toEqual(details)
    expect(error.status).toBe(429)
  })

  it("keeps its details beside that", async () => {
    const error = await refusal(
      json(409, { error: { ...refused, next: "Wait.", details: { holder: "bob" } } }, { "retry-after": "0" }),
      ADDRESS,
    )
    expect(error).toMatchObject({ next: "Wait.", details: { holder: "bob", retryAfterSeconds: 0 } })
  })

  it("speaks of the page's own server where the address has no host", async () => {
    const error = await refusal(new Response("", { status: 500 }), "/api/v1/chorus_whoami")
    expect(error).toMatchObject({
      code: "not_chorus",
      status: 500,
      message: "What answers at this page's server is not Chorus (HTTP 500).",
    })
  })
})
