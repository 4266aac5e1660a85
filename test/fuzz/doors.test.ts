import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { toolAnswer } from "@chorus/testing"
import * as fc from "fast-check"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { runningServer, type TestServer } from "../../packages/server/test/running-server.ts"
import { type DoorCall, doorCalls } from "./door-input.ts"
import { everythingIn, hostileJson, runs, STABLE_CODE } from "./hostile.ts"

let chorus: TestServer
let ids: string[]
let store: DatabaseSync
/** The store after the last call that was taken. */
let kept: { version: number; content: string }

beforeAll(async () => {
  chorus = await runningServer()
  ids = await furnished()
  store = new DatabaseSync(join(chorus.directory, "chorus.sqlite"), { readOnly: true })
  kept = { version: dataVersion(), content: await everythingIn(chorus.directory) }
})

afterAll(async () => {
  store.close()
  await chorus.close()
})

afterEach(async () => {
  expect((await fetch(`${chorus.url}/api/health`)).status, "the process is healthy after").toBe(200)
})

describe("whatever is said", () => {
  it("at the REST door is answered without a fault of ours; what is refused has a code and changed nothing", async () => {
    const tally = { taken: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(doorCalls(ids), async ({ name, input }) => {
        const response = await post(`/api/v1/${encodeURIComponent(name)}`, input)
        const body = (await response.json()) as Answer
        await judge(response.status, body.error, tally)
      }),
      runs(400, 50_000),
    )
    console.log(`REST: ${tally.taken} taken, ${tally.refused} refused, none failed`)
    expect(tally.taken).toBeGreaterThan(20)
    expect(tally.refused).toBeGreaterThan(100)
  })

  it("at the MCP door as a call of a tool, likewise", async () => {
    const tally = { taken: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(doorCalls(ids), async ({ name, input }: DoorCall) => {
        const response = await post("/api/mcp", {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: input },
        })
        const { result, error } = messageIn(await response.text())
        expect(response.status, name).toBeLessThan(500)
        if (error !== undefined) {
          // The protocol's own refusals have numbers; -32603 would be a fault of ours.
          expect([-32600, -32601, -32602, -32700], JSON.stringify(error)).toContain(error.code)
          return unchanged()
        }
        await judge(
          200,
          result?.isError === true ? ((toolAnswer(result) as Answer).error ?? { code: "" }) : undefined,
          tally,
        )
      }),
      runs(400, 50_000),
    )
    console.log(`MCP: ${tally.taken} taken, ${tally.refused} refused, none failed`)
    expect(tally.taken).toBeGreaterThan(10)
    expect(tally.refused).toBeGreaterThan(100)
  })

  it("at the MCP door as a message of any shape is no fault of ours and changes nothing", async () => {
    const shaped = fc.record(
      {
        jsonrpc: fc.constantFrom<unknown>("2.0", "1.0", 2),
        id: fc.oneof(fc.integer(), hostileJson),
        method: fc.constantFrom<unknown>(
          "initialize",
          "tools/list",
          "ping",
          "server/discover",
          "resources/list",
          "notifications/cancelled",
          "",
          7,
        ),
        params: hostileJson,
      },
      { requiredKeys: [] },
    )
    const message = fc.oneof(shaped, fc.array(shaped, { maxLength: 3 }), hostileJson)
    const headers = fc.record(
      {
        "mcp-protocol-version": fc.constantFrom(
          "2025-03-26",
          "2025-06-18",
          "2026-07-28",
          "",
          "9999-99-99",
          "x".repeat(500),
        ),
        "mcp-session-id": fc.constantFrom("", "x", "../..", "x".repeat(2000)),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(message, headers, async (body, more) => {
        const response = await post("/api/mcp", body, more)
        const text = await response.text()
        expect(response.status, `${JSON.stringify(body)} ${text}`).toBeLessThan(500)
        await unchanged()
      }),
      runs(250, 20_000),
    )
  })

  it("as a GET of an operation is a read or a refusal", async () => {
    const names = fc.constantFrom(
      "chorus_list_projects",
      "chorus_get_task",
      "chorus_search",
      "chorus_list_tasks",
      "chorus_get_activity",
      "chorus_admin_create_project",
      "chorus_list_events",
      "nonsense",
    )
    const parameters = fc.array(
      fc.tuple(
        fc.constantFrom(
          "projectUuid",
          "taskUuid",
          "query",
          "limit",
          "page",
          "pageSize",
          "types",
          "__proto__",
          "status",
        ),
        fc.oneof(
          fc.constantFrom(...ids),
          fc.string({ unit: "binary", maxLength: 30 }),
          fc.constantFrom("-1", "1e9", "[]", "{}", "null", "%"),
        ),
      ),
      { maxLength: 4 },
    )
    await fc.assert(
      fc.asyncProperty(names, parameters, async (name, pairs) => {
        const query = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`).join("&")
        const response = await fetch(`${chorus.url}/api/v1/${name}?${query}`, {
          headers: { authorization: `Bearer ${chorus.key}` },
        })
        const body = (await response.json()) as Answer
        expect(response.status, `${query} ${JSON.stringify(body)}`).toBeLessThan(500)
        if (response.status >= 400) expect(body.error?.code).toMatch(STABLE_CODE)
        await unchanged()
      }),
      runs(200, 20_000),
    )
  })
})

interface Answer {
  readonly error?: { readonly code: string; readonly message?: string; readonly next?: string }
}

async function judge(status: number, error: Answer["error"], tally: { taken: number; refused: number }): Promise<void> {
  expect(status, JSON.stringify(error)).toBeLessThan(500)
  if (error === undefined) {
    tally.taken++
    kept = { version: dataVersion(), content: await everythingIn(chorus.directory) }
    return
  }
  tally.refused++
  expect(error.code, JSON.stringify(error)).toMatch(STABLE_CODE)
  expect(error.code, JSON.stringify(error)).not.toBe("internal")
  expect(error.next, JSON.stringify(error)).toMatch(/\S/)
  await unchanged()
}

/** Asks the file itself whether anybody wrote to it, and only then what. */
async function unchanged(): Promise<void> {
  const version = dataVersion()
  if (version === kept.version) return
  const content = await everythingIn(chorus.directory)
  expect(content).toBe(kept.content)
  kept = { version: dataVersion(), content }
}

function dataVersion(): number {
  return Number(store.prepare("pragma data_version").get()?.["data_version"])
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${chorus.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${chorus.key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body) ?? "null",
  })
}

interface Message {
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] }
  readonly error?: { readonly code: number }
}

function messageIn(text: string): Message {
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Message
}

/** Something of most kinds, so that inputs can name what is there. */
async function furnished(): Promise<string[]> {
  const call = async (name: string, input: object) =>
    (await chorus.post(name, input)).body as { uuid: string; tasks?: { uuid: string }[] }
  const project = await call("chorus_admin_create_project", { name: "Fuzzed" })
  const projectUuid = project.uuid
  const idea = await call("chorus_pm_create_idea", { projectUuid, title: "An idea", content: "Words." })
  const proposal = await call("chorus_pm_create_proposal", {
    projectUuid,
    title: "A plan",
    inputType: "idea",
    inputUuids: [idea.uuid],
  })
  const document = await call("chorus_pm_create_document", {
    projectUuid,
    type: "adr",
    title: "A document",
    content: "Words.",
  })
  const { tasks = [] } = await call("chorus_create_tasks", {
    projectUuid,
    tasks: ["one", "two", "three"].map((title) => ({
      title,
      description: "",
      acceptanceCriteriaItems: [{ description: "works" }],
    })),
  })
  const session = await call("chorus_create_session", { name: "worker" })
  return [project, idea, proposal, document, ...tasks, session]
    .map(({ uuid }) => uuid)
    .filter((uuid) => uuid !== undefined)
}
