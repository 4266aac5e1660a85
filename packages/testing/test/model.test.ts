import { describe, expect, onTestFinished, test } from "vitest"
import { drive, startModel, waitFor, type Scenario, type ScriptedModel } from "@chorus/testing"

const message = { model: "scripted", messages: [{ role: "user", content: "hello" }] }
const call = { name: "Bash", input: { command: "ls" }, id: "call-1" }

describe("Messages", () => {
  test("streams thought, text and calls", async () => {
    const model = await start(() => ({ thinking: "hm", text: "Hi.", tools: [call] }))
    const events = await stream(model, "/v1/messages?beta=true", message)
    expect(events.map((event) => String(event["type"]).replace("content_block_", "")).join(" ")).toBe(
      "message_start start delta delta stop start delta stop start delta stop message_delta message_stop",
    )
    expect(events[8]).toMatchObject({ content_block: { type: "tool_use", id: "call-1", name: "Bash" } })
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } })
  })

  test("answers as one piece of JSON when no stream is asked for", async () => {
    const model = await start(() => ({ text: "Hi.", inputTokens: 7 }))
    const answer = await post(model, "/v1/messages", message)
    expect(await answer.json()).toMatchObject({
      content: [{ type: "text", text: "Hi." }],
      stop_reason: "end_turn",
      usage: { input_tokens: 7 },
    })
  })

  test("counts tokens, answers HEAD, and refuses what is not scripted", async () => {
    const model = await start(drive)
    expect(await (await post(model, "/v1/messages/count_tokens", message)).json()).toEqual({
      input_tokens: expect.any(Number),
    })
    expect((await fetch(model.url, { method: "HEAD" })).status).toBe(200)
    expect((await fetch(`${model.url}/v1/nothing`)).status).toBe(404)
    expect(model.requests.map((request) => request.api)).toEqual(["other", "other", "other"])
  })
})

test("Responses: streams items, and free-form calls where the input is a string", async () => {
  const model = await start(() => ({ text: "Hi.", tools: [call, { name: "exec", input: "text(1)" }] }))
  const events = await stream(model, "/v1/responses", { model: "scripted", input: "hello" })
  const done = events.filter((event) => event["type"] === "response.output_item.done").map((event) => event["item"])
  expect(done).toMatchObject([
    { type: "message" },
    { type: "function_call", arguments: '{"command":"ls"}' },
    { type: "custom_tool_call", input: "text(1)" },
  ])
  expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { usage: { total_tokens: 120 } } })
})

test("Chat Completions: streams pieces and calls", async () => {
  const model = await start(() => ({ text: "Hi.", tools: [call] }))
  const events = await stream(model, "/v1/chat/completions", message)
  expect(events.map((event) => event["choices"])).toMatchObject([
    [{ delta: { role: "assistant" } }],
    [{ delta: { content: "Hi." } }],
    [{ delta: { tool_calls: [{ id: "call-1", function: { name: "Bash", arguments: '{"command":"ls"}' } }] } }],
    [{ finish_reason: "tool_calls" }],
    [],
  ])
})

test("refuses with the scripted error, and with the scenario's own fault", async () => {
  const model = await start(() => ({
    error: { status: 529, type: "overloaded_error", message: "busy", headers: { "retry-after": "3" } },
  }))
  const busy = await post(model, "/v1/messages", message)
  expect([busy.status, busy.headers.get("retry-after")]).toEqual([529, "3"])
  expect(await busy.json()).toEqual({ type: "error", error: { type: "overloaded_error", message: "busy" } })
  model.script(() => {
    throw new Error("no such case")
  })
  const fault = await post(model, "/v1/responses", { input: "hello" })
  expect(fault.status).toBe(400)
  expect(await fault.text()).toContain("no such case")
})

test("waits for a fact when the scenario is asynchronous", async () => {
  const gate = Promise.withResolvers<void>()
  const model = await start(async () => {
    await gate.promise
    return { text: "Now." }
  })
  const answer = post(model, "/v1/messages", message)
  const asked = await model.waitFor((request) => request.prompt === "hello")
  expect(asked.turn).toBeUndefined()
  gate.resolve()
  expect(await (await answer).text()).toContain("Now.")
  expect(asked.turn).toEqual({ text: "Now." })
})

test("says its text and hangs, until the agent leaves", async () => {
  const model = await start(() => ({ text: "Let me", hang: true }))
  const leave = new AbortController()
  const answer = await post(model, "/v1/messages", { ...message, stream: true }, leave.signal)
  let heard = ""
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) heard += Buffer.from(chunk).toString()
  })()
  await waitFor(() => heard.includes("Let me"))
  expect(heard).not.toContain("message_stop")
  leave.abort()
  await expect(reading).rejects.toThrow(/abort/i)
})

test("breaks the connection", async () => {
  const model = await start(() => ({ text: "half", drop: true }))
  const answer = await post(model, "/v1/messages", { ...message, stream: true })
  await expect(answer.text()).rejects.toThrow("terminated")
})

test("stopping ends a request that hangs", async () => {
  const model = await start(() => ({ hang: true }))
  const answer = post(model, "/v1/messages", message)
  await model.waitFor(() => true)
  await Promise.all([expect(answer).rejects.toThrow("fetch failed"), model.stop()])
})

test("answers requests for a title itself", async () => {
  const model = await start(() => ({ text: "not a title" }), "Fix the door")
  const codex = await post(model, "/v1/responses", { input: "Generate a concise, single-line task title for: x" })
  expect(await codex.text()).toContain(JSON.stringify(JSON.stringify({ title: "Fix the door" })))
  const opencode = await post(model, "/v1/chat/completions", {
    messages: [{ role: "system", content: "You are a title generator." }],
  })
  expect(await opencode.json()).toMatchObject({ choices: [{ message: { content: "Fix the door" } }] })
  expect(model.requests.map((request) => request.purpose)).toEqual(["title", "title"])
})

test("a request that never comes is reported with those that did", async () => {
  const model = await start(drive)
  await post(model, "/v1/messages", message)
  await expect(model.waitFor((request) => request.prompt === "bye", 50)).rejects.toThrow(
    'there were 1: POST /v1/messages "hello"',
  )
})

async function start(scenario: Scenario, title?: string): Promise<ScriptedModel> {
  const model = await startModel(scenario, title === undefined ? {} : { title })
  onTestFinished(model.stop)
  return model
}

function post(model: ScriptedModel, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify(body), ...(signal ? { signal } : {}) })
}

async function stream(model: ScriptedModel, path: string, body: object): Promise<Record<string, unknown>[]> {
  const answer = await post(model, path, { ...body, stream: true })
  expect(answer.headers.get("content-type")).toContain("text/event-stream")
  const data = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map((match) => match[1] ?? "")
  return data.filter((text) => text !== "[DONE]").map((text) => JSON.parse(text) as Record<string, unknown>)
}
