import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib"
import { connect } from "node:net"
import { once } from "node:events"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type ModelRequest, type ScriptedModel, startModel } from "@chorus/testing"

let model: ScriptedModel
beforeAll(async () => {
  model = await startModel(() => ({ text: "Hi." }))
})
afterAll(() => model.stop())
beforeEach(() => model.script(() => ({ text: "Hi." })))

const body = { model: "scripted", system: "you are", messages: [{ role: "user", content: "hello" }] }

async function send(
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<{ status: number; request: ModelRequest }> {
  const number = model.requests.length
  const { status } = await fetch(`${model.url}${path}`, { method: "POST", body: content, headers })
  const request = model.requests[number]
  if (request === undefined) throw new Error("the request was not recorded")
  return { status, request }
}

describe("a request to the scripted model", () => {
  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("is read also when it comes packed with %s", async (encoding, pack) => {
    const { request } = await send("/v1/messages", pack(Buffer.from(JSON.stringify(body))), {
      "content-encoding": encoding,
    })
    expect(request).toMatchObject({ api: "messages", prompt: "hello", system: "you are" })
  })

  test.each(["", "not json", "[1]", "null"])("with the body %j is one that says nothing", async (content) => {
    const { status, request } = await send("/v1/messages", content)
    expect([status, request.prompt, request.body]).toEqual([200, "", {}])
  })

  test.each([
    ["/v1/messages", "messages"],
    ["/v1/messages?beta=true", "messages"],
    ["/anthropic/v1/messages", "messages"],
    ["/v1/responses", "responses"],
    ["/v1/chat/completions", "chat"],
    ["/v1/messages/count_tokens", "other"],
    ["/v1/completions", "other"],
  ])("to %s is one in the format %s", async (path, api) => {
    expect((await send(path, JSON.stringify(body))).request.api).toBe(api)
  })

  test("is counted, timed and kept with its headers", async () => {
    const { request } = await send("/v1/messages", JSON.stringify(body), {
      "x-claude-code-session-id": "s1",
      "x-claude-code-agent-id": "a1",
    })
    expect(request).toMatchObject({
      number: model.requests.length,
      method: "POST",
      path: "/v1/messages",
      sessionId: "s1",
      agentId: "a1",
      purpose: "turn",
      turn: { text: "Hi." },
    })
    expect(request.headers["x-claude-code-session-id"]).toBe("s1")
    expect(Math.abs(Date.now() - request.at)).toBeLessThan(600_000)
  })

  test("is of no session where none is named", async () => {
    const { request } = await send("/v1/messages", JSON.stringify(body))
    expect([request.sessionId, request.agentId]).toEqual([undefined, undefined])
  })

  test("sees what was scripted last", async () => {
    model.script(({ prompt }) => ({ text: `You said ${prompt}.` }))
    expect((await send("/v1/messages", JSON.stringify(body))).request.turn).toEqual({ text: "You said hello." })
  })

  test("that is broken off while it is sent does no harm", async () => {
    const socket = connect(model.port, "127.0.0.1")
    await once(socket, "connect")
    socket.write("POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{")
    socket.destroy()
    expect((await send("/v1/messages", JSON.stringify(body))).status).toBe(200)
  })

  test("by GET asks for no turn, and models are listed", async () => {
    const listed = await fetch(`${model.url}/v1/models`)
    expect(await listed.json()).toMatchObject({ object: "list", data: [{ id: "scripted" }] })
    expect((await fetch(`${model.url}/v1/messages`)).status).toBe(404)
  })

  test("of the past can be waited for, and is given at once", async () => {
    await send("/v1/messages", JSON.stringify({ ...body, messages: [{ role: "user", content: "long ago" }] }))
    expect((await model.waitFor(({ prompt }) => prompt === "long ago", 0)).prompt).toBe("long ago")
  })
})

describe("requests that come together", () => {
  test("are numbered in order, and each gets the turn of its own scenario", async () => {
    model.script(({ prompt }) => ({ text: `to ${prompt}` }))
    const before = model.requests.length
    const prompts = Array.from({ length: 12 }, (_, n) => `prompt ${n}`)
    const answers = await Promise.all(
      prompts.map(async (content) => {
        const answer = await fetch(`${model.url}/v1/messages`, {
          method: "POST",
          body: JSON.stringify({ messages: [{ role: "user", content }] }),
        })
        return ((await answer.json()) as { content: { text: string }[] }).content[0]?.text
      }),
    )
    expect(answers).toEqual(prompts.map((prompt) => `to ${prompt}`))
    expect(model.requests.slice(before).map(({ number }) => number)).toEqual(prompts.map((_, n) => before + n + 1))
  })

  test("do not wait for one that hangs", async () => {
    model.script(({ prompt }) => (prompt === "hang" ? { hang: true } : { text: "Hi." }))
    const leave = new AbortController()
    const hanging = fetch(`${model.url}/v1/messages`, {
      method: "POST",
      body: JSON.stringify({ messages: [{ role: "user", content: "hang" }] }),
      signal: leave.signal,
    })
    await model.waitFor(({ prompt }) => prompt === "hang")
    expect((await send("/v1/messages", JSON.stringify(body))).status).toBe(200)
    leave.abort()
    await expect(hanging).rejects.toThrow(/abort/)
  })
})

describe("a model that was stopped", () => {
  test("answers nobody any more, keeps what it was asked, and may be stopped twice", async () => {
    const other = await startModel(() => ({ text: "Hi." }))
    await fetch(`${other.url}/v1/messages`, { method: "POST", body: JSON.stringify(body) })
    await other.stop()
    await other.stop()
    await expect(fetch(`${other.url}/v1/messages`, { method: "POST", body: "{}" })).rejects.toThrow("fetch failed")
    expect(other.requests.map(({ prompt }) => prompt)).toEqual(["hello"])
  })
})
