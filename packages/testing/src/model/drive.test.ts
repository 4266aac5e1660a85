import { array, assert, constantFrom, dictionary, oneof, property, record, string } from "fast-check"
import { expect, test } from "vitest"
import { conversationView } from "./conversation.ts"
import { directives, drive } from "./drive.ts"
import type { ModelRequest } from "./turn.ts"

const bash = { name: "Bash", input: { command: "echo ]" } }

test("takes one inner array for each turn, then is done", () => {
  const prompt = `Please DO: ${JSON.stringify([[bash], { text: "half way" }])} and report.`
  const turn = (...model: object[]): unknown => drive(messages({ role: "user", content: prompt }, ...model))
  const said = [
    { role: "assistant", content: "x" },
    { role: "user", content: [{ type: "tool_result", content: "ok" }] },
  ]
  expect(turn()).toEqual({ tools: [bash] })
  expect(turn(...said)).toEqual({ text: "half way" })
  expect(turn(...said, ...said)).toEqual({ text: "Done." })
})

test("leaves a directive inside another's input for the one it is meant for", () => {
  const inner = `DO: ${JSON.stringify([[bash]])}`
  const outer = [[{ name: "Agent", input: { prompt: inner } }]]
  expect(directives(`DO: ${JSON.stringify(outer)}`)).toEqual(outer)
})

test("obeys all directives of one prompt in order", () => {
  expect(directives("DO: [[1]]\nDO:[[2],[3]]")).toEqual([[1], [2], [3]])
})

test("says so when there is nothing to do, and when the directive cannot be read", () => {
  expect(drive(messages({ role: "user", content: "hello" }))).toEqual({ text: "Noted." })
  expect(drive(messages({ role: "user", content: "DO: [[{]]" })).error).toMatchObject({ status: 400 })
})

test("answers a request to shut down in the form the client's tool takes", () => {
  const request =
    '<teammate-message teammate_id="team-lead">{"type":"shutdown_request","requestId":"shutdown-1@bob"}</teammate-message>'
  const today = drive(messages({ role: "user", content: "MODE:reject" }, { role: "user", content: request }))
  expect(today.tools?.[0]?.input).toMatchObject({
    to: "team-lead",
    message: { request_id: "shutdown-1@bob", approve: false },
  })
  const february = messages({ role: "user", content: request })
  february.body["tools"] = [{ name: "SendMessage", input_schema: { properties: { recipient: {} } } }]
  expect(drive(february).tools?.[0]?.input).toEqual({
    type: "shutdown_response",
    request_id: "shutdown-1@bob",
    approve: true,
  })
})

test("puts in the newest request id", () => {
  const asked = { role: "user", content: '{"requestId":"plan-7"}' }
  const told = { role: "user", content: 'DO: [[{"name":"SendMessage","input":{"id":"{{reqid}}"}}]]' }
  expect(drive(messages(asked, told)).tools).toEqual([{ name: "SendMessage", input: { id: "plan-7" } }])
})

function messages(...all: object[]): ModelRequest {
  const body: Record<string, unknown> = { model: "scripted", messages: all }
  const frame = { number: 1, at: 0, method: "POST", path: "/v1/messages", headers: {}, purpose: "turn" } as const
  return {
    ...frame,
    api: "messages",
    body,
    ...conversationView("messages", body),
    sessionId: undefined,
    agentId: undefined,
    turn: undefined,
  }
}

test("takes an object in place of a list for a turn as it stands", () => {
  expect(drive(messages({ role: "user", content: 'DO: [{"error": {"status": 529}}]' }))).toEqual({
    error: { status: 529 },
  })
  expect(drive(messages({ role: "user", content: 'DO: [{"hang": true}]' }))).toEqual({ hang: true })
})

test("finds no directive in words that only look like one", () => {
  for (const prompt of ["", "do: [[1]]", "UNDO: [[1]]", "DO: it", "DO:"])
    expect(directives(prompt), prompt).toBeUndefined()
})

test("reads brackets and quotes inside of strings as text", () => {
  const turns = [[{ name: "Bash", input: { command: "echo \"]]\" \\ [[ 'x'" } }]]
  expect(directives(`before DO: ${JSON.stringify(turns)} after ] [ "`)).toEqual(turns)
})

test("agrees to shut down unless the last mode named says otherwise, and then has answered", () => {
  const request = {
    role: "user",
    content:
      '<teammate-message teammate_id="team-lead">{"type":"shutdown_request","requestId":"s1"}</teammate-message>',
  }
  const answer = (...before: string[]) =>
    drive(messages(...before.map((content) => ({ role: "user", content })), request)).tools?.[0]?.input
  expect(answer("MODE:reject", "MODE:approve")).toMatchObject({ message: { approve: true } })
  expect(answer("MODE:approve", "MODE:reject")).toMatchObject({ message: { approve: false } })
  expect(drive(messages(request, { role: "assistant", content: "…" }))).toEqual({ text: "Answered." })
})

test("reads back every directive that can be written, wherever it stands in a prompt", () => {
  const call = record({
    name: constantFrom("Bash", "Agent"),
    input: dictionary(string({ maxLength: 3 }), string({ unit: constantFrom(...'ab[]"\\{} \nDO:é'), maxLength: 8 }), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  })
  const turn = oneof(array(call, { maxLength: 2 }), record({ text: string({ maxLength: 5 }) }))
  const words = constantFrom("", "Please ", "first, ", "] [ ", '"quoted" ')
  assert(
    property(array(turn, { minLength: 1, maxLength: 3 }), words, words, (turns, before, after) => {
      expect(directives(`${before}DO: ${JSON.stringify(turns)} ${after}`)).toEqual(turns)
    }),
  )
})
