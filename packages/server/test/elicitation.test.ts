import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeKey, runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer
beforeAll(async () => {
  chorus = await runningServer()
})
afterAll(() => chorus.close())

type Said = { action: "accept"; content: { answer: string } } | { action: "decline" }

/** A client at whose window somebody sits. */
async function clientWith(key: string, say: (message: string) => Promise<Said>): Promise<Client> {
  const client = new Client(
    { name: "window", version: "1" },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  )
  client.setRequestHandler("elicitation/create", async ({ params }) => say(params.message))
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${chorus.url}/api/mcp?ask=window`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
  return client
}

const ask = async (client: Client, title: string) =>
  JSON.parse(
    (
      (await client.callTool({ name: "chorus_create_attention", arguments: { title } })).content as { text: string }[]
    )[0]?.text ?? "",
  ) as { uuid: string; state: string; answer: { text: string } | null }

/** What a person on the page does. */
async function asOwner<T>(name: string, input: object): Promise<T> {
  const owner = await chorus.server.store.db.selectFrom("users").selectAll().executeTakeFirstOrThrow()
  const actor = { ...owner, type: "user", permissions: new Set<never>(), projectUuids: null, ownerUuid: null } as const
  return (await chorus.server.registry.execute(name, input, { actor, requestId: "test" })) as T
}
const waiting = async () =>
  (await asOwner<{ items: { uuid: string; title: string }[] }>("chorus_needs_you", {})).items.map(({ title }) => title)

describe("a question of an agent whose client can ask at its window", () => {
  it("is answered there, in the same call, and waits for nobody then", async () => {
    const key = await makeKey(chorus.server, "developer")
    const client = await clientWith(key, async (message) => {
      expect(message).toBe("Tea or coffee?")
      expect(await waiting()).toContain("Tea or coffee?")
      return { action: "accept", content: { answer: "tea" } }
    })
    expect(await ask(client, "Tea or coffee?")).toMatchObject({ state: "delivered", answer: { text: "tea" } })
    expect(await waiting()).not.toContain("Tea or coffee?")
    await client.close()
  })

  it("is answered once: who was faster on the page is heard", async () => {
    const key = await makeKey(chorus.server, "developer")
    const client = await clientWith(key, async () => {
      const { items } = await asOwner<{ items: { uuid: string; title: string }[] }>("chorus_needs_you", {})
      const attentionUuid = items.find(({ title }) => title === "Left or right?")?.uuid
      await asOwner("chorus_answer_attention", { attentionUuid, answer: { text: "right" } })
      return { action: "accept", content: { answer: "left" } }
    })
    expect(await ask(client, "Left or right?")).toMatchObject({ state: "delivered", answer: { text: "right" } })
    await client.close()
  })

  it("stays open on the page where nobody wants to answer there", async () => {
    const client = await clientWith(await makeKey(chorus.server, "developer"), async () => ({ action: "decline" }))
    expect(await ask(client, "Now or later?")).toMatchObject({ state: "open", answer: null })
    expect(await waiting()).toContain("Now or later?")
    await client.close()
  })
})
