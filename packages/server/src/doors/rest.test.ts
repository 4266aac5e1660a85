import { Readable } from "node:stream"
import type { IncomingMessage } from "node:http"
import { lastPosition } from "@chorus/store"
import { Hono } from "hono"
import { beforeAll, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { type Actor, asChorusError } from "../operation.ts"
import type { DoorEnv } from "./door-env.ts"
import { restDoor } from "./rest.ts"

const w = embeddedWorkspace()
let app: Hono<DoorEnv>
let caller: Actor | undefined
beforeAll(() => {
  caller = w.owner
  app = new Hono<DoorEnv>()
  app.use(async (c, next) => {
    c.set("actor", caller)
    c.set("requestId", "r1")
    await next()
  })
  app.route("/", restDoor(w.registry))
  app.onError((error, c) => {
    const fault = asChorusError(error, "r1")
    return c.json({ error: fault.toBody() }, fault.status as 400)
  })
})

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown> & { error?: { code: string } }
  readonly position: string | null
}

async function request(
  method: "GET" | "POST",
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = { "content-type": "application/json", ...headers }
  const incoming = Object.assign(Readable.from(body === undefined ? [] : [Buffer.from(body)]), {
    headers: sent,
  }) as unknown as IncomingMessage
  const response = await app.request(path, { method, headers: sent }, { incoming })
  const position = response.headers.get("chorus-position")
  return { status: response.status, body: (await response.json()) as Answer["body"], position }
}
const get = (name: string, query: Record<string, string | string[]> = {}) => {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => [value].flat().map((each) => [key, each])),
  )
  return request("GET", `/${name}?${parameters.toString()}`)
}
const post = (name: string, input: unknown, headers: Record<string, string> = {}) =>
  request("POST", `/${name}`, JSON.stringify(input), headers)

describe("POST", () => {
  it("calls an operation with the body as its input, an empty one for none", async () => {
    expect(await post("chorus_admin_create_project", { name: "By REST" })).toMatchObject({
      status: 200,
      body: { name: "By REST" },
    })
    expect(await request("POST", "/chorus_whoami")).toMatchObject({ status: 200, body: { name: "Olive" } })
  })

  it("says where in the log the answer stands", async () => {
    const { position } = await post("chorus_admin_create_project", { name: "Placed" })
    expect(Number(position)).toBe(await lastPosition(w.store.db, w.workspaceUuid))
    expect((await post("chorus_whoami", {})).position).toBe(position)
    expect((await get("chorus_whoami")).position).toBe(position)
    expect((await post("chorus_get_task", { taskUuid: "x" })).position).toBeNull()
  })

  it("answers faults with their status and what to do next", async () => {
    expect(await post("chorus_nothing", {})).toMatchObject({
      status: 404,
      body: { error: { code: "unknown_operation" } },
    })
    expect(await post("chorus_get_task", { taskUuid: "x" })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_input", next: expect.any(String) } },
    })
    expect(await request("POST", "/chorus_whoami", "{")).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_json" } },
    })
    expect(
      await request("POST", "/chorus_whoami", "a=b", { "content-type": "application/x-www-form-urlencoded" }),
    ).toMatchObject({ status: 415 })
  })

  it("answers a retry under the same key with the first answer", async () => {
    const create = () => post("chorus_admin_create_project", { name: "Once" }, { "idempotency-key": "k1" })
    expect((await create()).body).toEqual((await create()).body)
  })

  it("is narrowed by headers where an operation heeds them", async () => {
    const { body } = await post("chorus_checkin", {}, { "x-chorus-project": w.otherProject })
    expect(body["activeProjects"]).toMatchObject([{ uuid: w.otherProject }])
  })

  it("without a caller asks for one", async () => {
    caller = undefined
    expect(await post("chorus_whoami", {})).toMatchObject({ status: 401, body: { error: { code: "unauthenticated" } } })
    expect(await post("chorus_health", {})).toMatchObject({ status: 200, body: { status: "ok" } })
    caller = w.owner
  })
})

describe("GET", () => {
  it("reads, and changes nothing", async () => {
    expect(await get("chorus_get_project", { projectUuid: w.project })).toMatchObject({
      status: 200,
      body: { name: "First" },
    })
    expect(await get("chorus_admin_create_project", { name: "x" })).toMatchObject({
      status: 405,
      body: { error: { code: "method_not_allowed", next: expect.stringContaining("POST") } },
    })
    expect(await get("chorus_nothing")).toMatchObject({ status: 404 })
  })

  it("reads numbers and truth values where the operation wants them, and text as text beside them", async () => {
    const { uuid } = (await post("chorus_create_agent", { name: "404" })).body
    expect(await get("chorus_list_agents", { pageSize: "1", includeArchived: "true" })).toMatchObject({
      status: 200,
      body: { pageSize: 1 },
    })
    expect((await get("chorus_search_mentionables", { query: "404", limit: "5" })).body).toMatchObject({
      results: [{ uuid, name: "404" }],
    })
    expect((await get("chorus_search", { query: "true" })).status).toBe(200)
  })

  it("reads a list given once, several times, or as JSON", async () => {
    await w.newTask()
    const plan = await post("chorus_pm_create_proposal", {
      projectUuid: w.project,
      title: "P",
      inputType: "idea",
      inputUuids: [],
    })
    const proposal = String(plan.body["uuid"])
    for (const proposalUuids of [proposal, [proposal, proposal], JSON.stringify([proposal])]) {
      expect(await get("chorus_list_tasks", { projectUuid: w.project, proposalUuids })).toMatchObject({
        status: 200,
        body: { total: 0 },
      })
    }
    expect((await get("chorus_list_tasks", { projectUuid: w.project })).body["total"]).toBe(1)
  })

  it("says what is wrong with a parameter that nothing fits", async () => {
    expect(await get("chorus_list_agents", { includeArchived: "maybe" })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_input", message: expect.stringContaining("includeArchived") } },
    })
  })
})
