import { ChorusError } from "@chorus/contracts"
import { expect, test } from "vitest"
import { json, scripted, type SentRequest } from "../test/scripted-network.ts"
import { createClient } from "./client.ts"

const keyOf = (request: SentRequest | undefined) => request?.headers.get("idempotency-key")

test("repeats a call nobody answered, under the same idempotency key", async () => {
  const { fetch, sent } = scripted([
    new TypeError("fetch failed"),
    json(503, { error: { code: "store_unavailable", message: "away" } }),
    json(200, { agents: [] }),
  ])
  const client = createClient({ url: "http://chorus.test/", key: "cho_x", fetch })
  expect(await client.call("chorus_list_agents", {})).toEqual({ agents: [] })
  expect(sent.map(({ address }) => address)).toEqual(
    Array.from({ length: 3 }, () => "http://chorus.test/api/v1/chorus_list_agents"),
  )
  expect(keyOf(sent[0])).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set(sent.map(keyOf)).size).toBe(1)
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer cho_x")
})

test("makes a new idempotency key for each call, unless the caller brings one", async () => {
  const { fetch, sent } = scripted([json(200, {}), json(200, {}), json(200, {})])
  const client = createClient({ url: "", fetch })
  await client.call("chorus_whoami", {})
  await client.call("chorus_whoami", {})
  await client.call("chorus_whoami", {}, { idempotencyKey: "mine" })
  expect(new Set(sent.map(keyOf)).size).toBe(3)
  expect(keyOf(sent[2])).toBe("mine")
})

test("does not repeat a refusal and passes it on whole", async () => {
  const error = { code: "not_found", message: "There is no project.", next: "List them.", details: { a: 1 } }
  const { fetch, sent } = scripted([json(404, { error })])
  const failed = createClient({ url: "http://chorus.test", fetch }).send("chorus_get_project", {})
  await expect(failed).rejects.toMatchObject({ ...error, status: 404 })
  await expect(failed).rejects.toBeInstanceOf(ChorusError)
  expect(sent).toHaveLength(1)
})

test("sends once and without a key when told not to repeat", async () => {
  const { fetch, sent } = scripted([new TypeError("fetch failed")])
  const failed = createClient({ url: "http://chorus.test", fetch }).call("chorus_whoami", {}, { retry: false })
  await expect(failed).rejects.toMatchObject({ code: "server_unreachable", status: 503 })
  expect(sent.map((one) => [one.address, keyOf(one), one.headers.get("authorization")])).toEqual([
    ["http://chorus.test/api/v1/chorus_whoami", null, null],
  ])
})

test("does not wait longer than a caller would: a far retry-after is an error", async () => {
  const { fetch, sent } = scripted([
    json(429, { error: { code: "too_many", message: "slow down" } }, { "retry-after": "60" }),
  ])
  await expect(createClient({ url: "", fetch }).call("chorus_whoami", {})).rejects.toMatchObject({
    code: "too_many",
    details: { retryAfterSeconds: 60 },
  })
  expect(sent).toHaveLength(1)
})

test("names a program that is not Chorus", async () => {
  const { fetch } = scripted([new Response("<html>", { status: 200 })])
  await expect(
    createClient({ url: "http://chorus.test", fetch }).call("chorus_whoami", {}, { retry: false }),
  ).rejects.toMatchObject({ code: "not_chorus" })
})

test("an abort comes back as the caller's own reason and stops the repeating", async () => {
  const abort = new AbortController()
  const reason = new Error("closed the page")
  const failing = () => {
    abort.abort(reason)
    throw new TypeError("fetch failed")
  }
  const { fetch, sent } = scripted([failing, json(200, {})])
  await expect(createClient({ url: "", fetch }).call("chorus_whoami", {}, { signal: abort.signal })).rejects.toBe(
    reason,
  )
  expect(sent).toHaveLength(1)
})

test("sends its input as it is, and an operation's name as part of the address only", async () => {
  const { fetch, sent } = scripted([json(200, {}), json(200, {})])
  const { send } = createClient({ url: "http://chorus.test//", fetch })
  await send("chorus_whoami", undefined)
  await send("../../admin?x=1", { text: "größer" })
  expect(sent.map(({ address, body }) => [address, body])).toEqual([
    ["http://chorus.test/api/v1/chorus_whoami", "{}"],
    ["http://chorus.test/api/v1/..%2F..%2Fadmin%3Fx%3D1", '{"text":"größer"}'],
  ])
  expect(sent[0]?.headers.get("content-type")).toBe("application/json")
})

test("a key that the caller brings is sent also when nothing is repeated", async () => {
  const { fetch, sent } = scripted([json(200, {})])
  await createClient({ url: "", fetch }).call("chorus_whoami", {}, { retry: false, idempotencyKey: "mine, in words" })
  expect(keyOf(sent[0])).toBe("mine, in words")
})

test.each([
  [
    "a key with the sign that a list puts behind it",
    () => createClient({ url: "http://chorus.test", key: "cho_abc…" }),
    "key_malformed",
  ],
  ["a key in two lines", () => createClient({ url: "http://chorus.test", key: "cho_abc\n" }), "key_malformed"],
  ["no key where one is given", () => createClient({ url: "http://chorus.test", key: "" }), "key_malformed"],
])("refuses %s before anything is sent, instead of finding nobody there", (_, make, code) => {
  expect(make).toThrow(expect.objectContaining({ code, next: expect.any(String) }))
})

test.each(["设计", "", " mine", "mine "])(
  "refuses the idempotency key %j: no header carries it as it is",
  async (idempotencyKey) => {
    const { fetch, sent } = scripted([json(200, {})])
    await expect(createClient({ url: "", fetch }).call("chorus_whoami", {}, { idempotencyKey })).rejects.toMatchObject({
      code: "invalid_input",
      next: "Use a UUID.",
    })
    expect(sent).toEqual([])
  },
)

test("says where in the log an answer stands, if the server does", async () => {
  const { fetch } = scripted([json(200, { agents: [] }, { "chorus-position": "17" }), json(200, {})])
  const client = createClient({ url: "", fetch })
  expect(await client.callWithPosition("chorus_list_agents", {})).toEqual({ answer: { agents: [] }, position: 17 })
  expect(await client.callWithPosition("chorus_list_agents", {})).toEqual({ answer: {}, position: undefined })
})

test("asks beside the operations by method and address, once, and passes a refusal on whole", async () => {
  const error = { code: "link_used", message: "This sign-in link was used already.", next: "Get a new one." }
  const { fetch, sent } = scripted([
    json(200, { person: null }),
    json(410, { error }),
    json(503, { error: { code: "store_unavailable", message: "away" } }),
  ])
  const { ask } = createClient({ url: "http://chorus.test/", key: "cho_x", fetch })
  expect(await ask("GET /api/auth/sign-in", {})).toEqual({ person: null })
  await expect(ask("POST /api/auth/link", { token: "t" })).rejects.toMatchObject({ ...error, status: 410 })
  await expect(ask("POST /api/demo", {})).rejects.toMatchObject({ code: "store_unavailable", status: 503 })
  expect(sent.map(({ address, body, headers }) => [address, body, headers.get("authorization")])).toEqual([
    ["http://chorus.test/api/auth/sign-in", "", "Bearer cho_x"],
    ["http://chorus.test/api/auth/link", `{"token":"t"}`, "Bearer cho_x"],
    ["http://chorus.test/api/demo", "{}", "Bearer cho_x"],
  ])
})
