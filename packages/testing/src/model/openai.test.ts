import { describe, expect, test } from "vitest"
import { openWire, type Wire } from "../../test/wire.ts"
import { replyWithChat } from "./chat.ts"
import { refuseOpenAi, replyWithResponse } from "./responses.ts"
import type { Turn } from "./turn.ts"

const call = { name: "exec", input: { command: "ls" }, id: "c1" }

async function asked(write: typeof replyWithChat, turn: Turn, stream = false): Promise<Wire> {
  const wire = openWire()
  await write(wire.reply, turn, { model: "scripted", stream })
  return wire
}

describe("a turn in OpenAI's Responses format", () => {
  test("is a list of thought, text and calls", async () => {
    const answer = (await asked(replyWithResponse, { thinking: "hm", text: "Hi.", tools: [call] })).json()
    expect(answer).toMatchObject({
      object: "response",
      model: "scripted",
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] },
        { type: "function_call", call_id: "c1", name: "exec", arguments: '{"command":"ls"}' },
      ],
      usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
    })
  })

  test("makes a free-form call of an input that is a text, and names a namespace where there is one", async () => {
    const { output } = (
      await asked(replyWithResponse, {
        tools: [{ name: "exec", input: "text(1)" }, { ...call, namespace: "mcp" }, { name: "stop" }],
      })
    ).json()
    expect(output).toMatchObject([
      { type: "custom_tool_call", input: "text(1)" },
      { type: "function_call", namespace: "mcp" },
      { type: "function_call", arguments: "{}" },
    ])
    expect((output as object[])[2]).not.toHaveProperty("namespace")
  })

  test("streams each item as it is added, filled and done, and the whole at the end", async () => {
    const events = (await asked(replyWithResponse, { text: "Hi.", tools: [call] }, true)).events()
    expect(events.map((event) => String(event["type"]).replace("response.", ""))).toEqual([
      "created",
      "output_item.added",
      "output_text.delta",
      "output_item.done",
      "output_item.added",
      "output_item.done",
      "completed",
    ])
    expect(events[1]?.["item"]).toMatchObject({ status: "in_progress", content: [] })
    expect(events.at(-1)?.["response"]).toMatchObject({ output: [{ type: "message" }, { type: "function_call" }] })
  })

  test("says nothing at all in an empty turn", async () =>
    expect((await asked(replyWithResponse, {})).json()["output"]).toEqual([]))

  test("that is dropped is never completed", async () => {
    const events = (await asked(replyWithResponse, { text: "half", drop: true }, true)).events()
    expect(events.map((event) => event["type"])).not.toContain("response.completed")
  })
})

describe("a turn in OpenAI's Chat Completions format", () => {
  test("is one choice with its message and its calls", async () => {
    expect(
      (await asked(replyWithChat, { text: "Hi.", tools: [call], inputTokens: 1, outputTokens: 2 })).json(),
    ).toMatchObject({
      object: "chat.completion",
      model: "scripted",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Hi.",
            tool_calls: [
              { index: 0, id: "c1", type: "function", function: { name: "exec", arguments: '{"command":"ls"}' } },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    })
  })

  test("has no calls where there are none, and null where it says nothing", async () => {
    const [choice] = (await asked(replyWithChat, {})).json()["choices"] as { message: object; finish_reason: string }[]
    expect(choice).toEqual({ index: 0, message: { role: "assistant", content: null }, finish_reason: "stop" })
  })

  test("streams its role, its thought, its words, its calls and why it stopped", async () => {
    const wire = await asked(replyWithChat, { thinking: "hm", text: "Hi.", tools: [call] }, true)
    const deltas = wire.events().flatMap((event) =>
      (event["choices"] as { delta: object; finish_reason: string | null }[]).map(({ delta, finish_reason }) => ({
        ...delta,
        finish_reason,
      })),
    )
    expect(deltas).toMatchObject([
      { role: "assistant" },
      { reasoning_content: "hm" },
      { content: "Hi." },
      { tool_calls: [{ id: "c1" }] },
      { finish_reason: "tool_calls" },
    ])
    expect(wire.body()).toMatch(/data: \[DONE\]\n\n$/)
  })

  test("counts its tokens last", async () => {
    const events = (await asked(replyWithChat, { text: "Hi." }, true)).events()
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 120 } })
  })

  test("that is dropped is never done", async () => {
    const wire = await asked(replyWithChat, { text: "half", drop: true }, true)
    expect(wire.body()).not.toContain("[DONE]")
    expect(wire.isOver()).toBe(true)
  })

  test("gives a free-form input as it is", async () => {
    const [choice] = (await asked(replyWithChat, { tools: [{ name: "exec", input: "text(1)" }] })).json()[
      "choices"
    ] as { message: object }[]
    expect(choice?.message).toMatchObject({ tool_calls: [{ function: { name: "exec", arguments: "text(1)" } }] })
  })
})

describe("a refusal in OpenAI's format", () => {
  test("is the error that was scripted, or a plain one", () => {
    const [scripted, plain] = [openWire(), openWire()]
    refuseOpenAi(scripted.reply, { status: 429, type: "rate_limit", message: "slow down" })
    refuseOpenAi(plain.reply, { status: 503 })
    expect(scripted.json()).toEqual({ error: { message: "slow down", type: "rate_limit", code: null } })
    expect(plain.json()).toEqual({ error: { message: "scripted error", type: "server_error", code: null } })
  })
})
