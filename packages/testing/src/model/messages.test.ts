import { describe, expect, test } from "vitest"
import { openWire } from "../../test/wire.ts"
import { refuseMessage, replyWithMessage } from "./messages.ts"
import type { Turn } from "./turn.ts"

async function said(turn: Turn, body: Record<string, unknown> = { model: "scripted" }) {
  const wire = openWire()
  await replyWithMessage(wire.reply, turn, body)
  return wire
}

const streamed = async (turn: Turn) => (await said(turn, { model: "scripted", stream: true })).events()
const types = (events: readonly Record<string, unknown>[]) =>
  events.map((event) => String(event["type"]).replace("content_block_", ""))

describe("a turn in Anthropic's format", () => {
  test("is one message of the model that was asked for", async () => {
    const answer = (await said({ text: "Hi." })).json()
    expect(answer).toMatchObject({
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [{ type: "text", text: "Hi." }],
      stop_reason: "end_turn",
      stop_sequence: null,
    })
    expect(answer["id"]).toMatch(/^msg_/)
  })

  test("thinks before it speaks and calls after it spoke", async () => {
    const { content, stop_reason: stop } = (
      await said({ tools: [{ name: "Bash", input: { command: "ls" }, id: "c1" }], text: "Hi.", thinking: "hm" })
    ).json()
    expect(content).toEqual([
      { type: "thinking", thinking: "hm", signature: "scripted" },
      { type: "text", text: "Hi." },
      { type: "tool_use", id: "c1", name: "Bash", input: { command: "ls" } },
    ])
    expect(stop).toBe("tool_use")
  })

  test("says an empty text where there is nothing to say", async () =>
    expect((await said({})).json()["content"]).toEqual([{ type: "text", text: "" }]))

  test("gives calls without an id and an input what they lack", async () => {
    const [call] = (await said({ tools: [{ name: "Stop" }] })).json()["content"] as Record<string, unknown>[]
    expect(call).toMatchObject({ name: "Stop", input: {} })
    expect(call?.["id"]).toMatch(/^toolu_/)
  })

  test("counts tokens as the turn says, or as it usually does", async () => {
    expect((await said({ inputTokens: 7, outputTokens: 3 })).json()["usage"]).toMatchObject({
      input_tokens: 7,
      output_tokens: 3,
    })
    expect((await said({})).json()["usage"]).toMatchObject({ input_tokens: 100, output_tokens: 20 })
  })

  test("stops for the reason that the turn names", async () =>
    expect((await said({ text: "…", stopReason: "max_tokens" })).json()["stop_reason"]).toBe("max_tokens"))
})

describe("a turn as a stream", () => {
  test("opens, fills and closes each block, and then the message", async () => {
    const events = await streamed({ text: "Hi.", tools: [{ name: "Bash", input: { command: "ls" }, id: "c1" }] })
    expect(types(events)).toEqual([
      "message_start",
      "start",
      "delta",
      "stop",
      "start",
      "delta",
      "stop",
      "message_delta",
      "message_stop",
    ])
    expect(events.map((event) => event["index"])).toEqual([undefined, 0, 0, 0, 1, 1, 1, undefined, undefined])
  })

  test("opens a block without what it will hold", async () => {
    const events = await streamed({
      thinking: "hm",
      text: "Hi.",
      tools: [{ name: "Bash", input: { command: "ls" }, id: "c1" }],
    })
    expect(
      events.filter((event) => event["type"] === "content_block_start").map((event) => event["content_block"]),
    ).toEqual([
      { type: "thinking", thinking: "", signature: "" },
      { type: "text", text: "" },
      { type: "tool_use", id: "c1", name: "Bash", input: {} },
    ])
  })

  test("gives the input of a call as JSON text", async () => {
    const events = await streamed({ tools: [{ name: "Bash", input: { command: "ls" } }] })
    expect(events[2]).toMatchObject({ delta: { type: "input_json_delta", partial_json: '{"command":"ls"}' } })
  })

  test("says a long text in pieces", async () => {
    const events = await streamed({ text: "x".repeat(900) })
    const pieces = events
      .map((event) => (event["delta"] as { text?: string } | undefined)?.text)
      .filter((text) => text !== undefined)
    expect(pieces.map((piece) => piece.length)).toEqual([400, 400, 100])
  })

  test("that is dropped has no end", async () => {
    const wire = await said({ text: "half", drop: true }, { stream: true })
    expect(types(wire.events())).not.toContain("message_stop")
    expect(wire.isOver()).toBe(true)
  })
})

describe("a refusal", () => {
  test("is the error that was scripted", () => {
    const wire = openWire()
    refuseMessage(wire.reply, {
      status: 429,
      type: "rate_limit_error",
      message: "slow down",
      headers: { "retry-after": "1" },
    })
    expect(wire.head()).toMatch(/429[\s\S]*retry-after: 1/)
    expect(wire.json()).toEqual({ type: "error", error: { type: "rate_limit_error", message: "slow down" } })
  })

  test("says something also where nothing was scripted", () => {
    const wire = openWire()
    refuseMessage(wire.reply, { status: 500 })
    expect(wire.json()).toEqual({ type: "error", error: { type: "api_error", message: "scripted error" } })
  })
})
