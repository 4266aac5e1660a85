import { randomUUID } from "node:crypto"
import { toolAnswer } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runningServer, type TestServer } from "./running-server.ts"

let chorus: TestServer
let projectUuid: string
let strangersProject: string

beforeAll(async () => {
  chorus = await runningServer()
  projectUuid = String((await chorus.post("chorus_admin_create_project", { name: "Mine" })).body["uuid"])
  strangersProject = await addStrangersProject()
})
afterAll(() => chorus.close())

interface Refusal {
  status: number
  error: { code?: string; message?: string; next?: string }
}

type Door = (operation: string, input: unknown) => Promise<Refusal>

const DOORS: Record<string, Door> = {
  REST: async (operation, input) => {
    const { status, body } = await chorus.post(operation, input)
    return { status, error: (body["error"] ?? {}) as Refusal["error"] }
  },
  MCP: async (operation, input) => {
    const response = await fetch(`${chorus.url}/api/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${chorus.key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: operation, arguments: input },
      }),
    })
    const text = await response.text()
    const line =
      text
        .split("\n")
        .find((each) => each.startsWith("data: "))
        ?.slice("data: ".length) ?? text
    const { result, error } = JSON.parse(line) as {
      result?: { isError?: boolean; content: { text: string }[] }
      error?: { code: string | number; message: string }
    }
    return {
      status: response.status,
      error: (result && (toolAnswer(result)["error"] as Refusal["error"])) ?? {
        ...error,
        code: String(error?.code ?? ""),
        next: "",
      },
    }
  },
}

const CRITERIA = [{ description: "works" }]

/** What is wrong, the call, and the code it is refused with. */
const FAULTS: readonly (readonly [string, () => readonly [string, unknown], string])[] = [
  [
    "a number for a title",
    () => ["chorus_create_tasks", { projectUuid, tasks: [{ title: 7, acceptanceCriteriaItems: CRITERIA }] }],
    "invalid_input",
  ],
  ["a text for a list", () => ["chorus_create_tasks", { projectUuid, tasks: "many" }], "invalid_input"],
  [
    "one bad task among good ones",
    () => [
      "chorus_create_tasks",
      { projectUuid, tasks: [{ title: "Good", acceptanceCriteriaItems: CRITERIA }, { title: "" }] },
    ],
    "invalid_input",
  ],
  ["a huge text", () => ["chorus_pm_create_idea", { projectUuid, title: "x".repeat(100_000) }], "invalid_input"],
  ["control characters", () => ["chorus_pm_create_idea", { projectUuid, title: "a\u0000b" }], "invalid_input"],
  [
    "control characters in prose",
    () => ["chorus_pm_create_idea", { projectUuid, title: "a", content: "\u001b[2J" }],
    "invalid_input",
  ],
  [
    "an id that is none",
    () => ["chorus_pm_create_idea", { projectUuid: "../../etc/passwd", title: "a" }],
    "invalid_input",
  ],
  ["an unknown id", () => ["chorus_pm_create_idea", { projectUuid: randomUUID(), title: "a" }], "not_found"],
  ["another tenant's id", () => ["chorus_pm_create_idea", { projectUuid: strangersProject, title: "a" }], "not_found"],
  [
    "an unknown dependency",
    () => [
      "chorus_create_tasks",
      { projectUuid, tasks: [{ title: "T", acceptanceCriteriaItems: CRITERIA, dependsOnTaskUuids: [randomUUID()] }] },
    ],
    "not_found",
  ],
  ["a person's business", () => ["chorus_create_agent", { name: "Robot" }], "forbidden"],
]

describe.each(Object.entries(DOORS))("at the %s door", (doorName, door) => {
  it.each(FAULTS)("%s is refused by code and changes nothing", async (_, call, code) => {
    const before = await position()
    const [operation, input] = call()
    const { status, error } = await door(operation, input)
    // An operation that is no tool is unknown at the MCP door, whoever asks.
    const expected = doorName === "MCP" && code === "forbidden" ? "unknown_tool" : code
    expect(error).toMatchObject({ code: expected, message: expect.any(String), next: expect.stringMatching(/\w/) })
    expect(status).toBeLessThan(500)
    expect(await position()).toBe(before)
  })

  it("a body of 10 MB is refused and changes nothing", async () => {
    const before = await position()
    const refusal = await door("chorus_pm_create_idea", {
      projectUuid,
      title: "big",
      content: "x".repeat(10 * 1024 * 1024),
    }).catch(() => undefined)
    // The server may hang up while the rest is still being sent.
    if (refusal !== undefined) expect(refusal.status).toBe(413)
    expect(await position()).toBe(before)
  })

  it("names of things that every object has are no operations", async () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"])
      expect((await door(name, {})).error.code).toMatch(/unknown/)
  })
})

describe("at the event door", () => {
  it.each(["-1", "1.5", "abc", "1e99"])("the position %j is refused", async (lastEventId) => {
    const response = await fetch(`${chorus.url}/api/events?lastEventId=${encodeURIComponent(lastEventId)}`, {
      headers: { authorization: `Bearer ${chorus.key}` },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: "invalid_input" } })
  })

  it.each(["/api/events", "/api/events/notifications"])("%s is closed to those without a key", async (path) => {
    for (const authorization of [undefined, "Bearer", "Bearer cho_wrong", `Bearer cho_${"x".repeat(43)}`]) {
      const response = await fetch(`${chorus.url}${path}`, {
        headers: authorization === undefined ? {} : { authorization },
      })
      expect(response.status, authorization).toBe(401)
      expect(await response.json()).toMatchObject({ error: { code: expect.any(String), next: expect.any(String) } })
    }
  })
})

async function position(): Promise<number> {
  const { body } = await chorus.post("chorus_list_events", { limit: 1 })
  return Number(body["last"])
}

async function addStrangersProject(): Promise<string> {
  const now = new Date().toISOString()
  const [workspaceUuid, uuid] = [randomUUID(), randomUUID()]
  await chorus.server.store.write(async ({ db }) => {
    await db
      .insertInto("workspaces")
      .values({ uuid: workspaceUuid, name: "Elsewhere", lastEvent: 0, settings: "{}", createdAt: now })
      .execute()
    await db
      .insertInto("projects")
      .values({
        uuid,
        workspaceUuid,
        groupUuid: null,
        name: "Theirs",
        description: null,
        status: "active",
        settings: "{}",
        createdAt: now,
        updatedAt: now,
      })
      .execute()
  })
  return uuid
}
