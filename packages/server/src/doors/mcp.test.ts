import { toolAnswer } from "@chorus/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import type { Actor } from "../operation.ts"
import { operations } from "../operations/index.ts"
import { Registry } from "../registry.ts"
import { type McpDoor, mcpDoor } from "./mcp.ts"

const w = embeddedWorkspace()
const faults: [unknown, string][] = []
let door: McpDoor
beforeAll(() => {
  door = mcpDoor(w.registry, { onFault: (error, requestId) => faults.push([error, requestId]) })
})
afterAll(() => door.close())

interface Result {
  readonly isError?: boolean
  readonly content: { type: string; text: string }[]
  /** The answer, read from the one text. */
  readonly said: Record<string, unknown> & { error?: { code: string; next?: string } }
  readonly tools?: { name: string }[]
}

async function send(method: string, params: object, by: Actor, through: McpDoor = door): Promise<Result> {
  const body = { jsonrpc: "2.0", id: 1, method, params }
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const request = new Request("http://127.0.0.1/api/mcp", { method: "POST", headers, body: JSON.stringify(body) })
  const response = await through.handle(request, body, { actor: by, requestId: "r1" })
  const text = await response.text()
  const data = text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}")
  const { result } = JSON.parse(data) as { result: Result }
  return { ...result, said: toolAnswer(result) }
}
const call = (name: string, input: object = {}, by: Actor = w.developer, meta?: object) =>
  send("tools/call", { name, arguments: input, ...(meta && { _meta: meta }) }, by)

describe("calling a tool", () => {
  it("answers once", async () => {
    const answer = await call("chorus_list_projects")
    expect(answer.isError).toBeUndefined()
    expect(answer.said).toMatchObject({ total: 2 })
    expect(answer.content).toHaveLength(1)
    expect(answer).not.toHaveProperty("structuredContent")
  })

  it("that fails is a result, not a fault of the protocol: code and what to do next", async () => {
    const { isError, said } = await call("chorus_claim_task", {
      taskUuid: "00000000-0000-4000-8000-000000000000",
    })
    expect(isError).toBe(true)
    expect(said.error).toMatchObject({ code: "not_found", next: expect.any(String) })
  })

  it.each(["chorus_nothing", "chorus_create_key", "constructor"])(
    "%s, which is no tool, is answered as one that does not exist",
    async (name) => {
      expect((await call(name, {}, w.owner)).said.error).toMatchObject({
        code: "unknown_tool",
        next: expect.stringContaining("List the tools"),
      })
    },
  )

  it("that is hidden from the list still answers", async () => {
    const taskUuid = await w.newTask()
    expect((await call("chorus_get_task_history", { taskUuid })).said).toMatchObject({ checkins: [] })
  })

  it("reads lists that came as JSON text, and leaves other text alone", async () => {
    const taskUuid = await w.newTask({ title: "[1]" })
    const update = await call(
      "chorus_update_task",
      { taskUuid, title: "[2]", addDependsOn: JSON.stringify([await w.newTask()]) },
      w.pm,
    )
    expect(update.said).toMatchObject({ title: "[2]" })
    expect((await call("chorus_update_task", { taskUuid, addDependsOn: "not json" }, w.pm)).said.error).toMatchObject({
      code: "invalid_input",
    })
  })

  it("shows a file that stands in a text: pictures as pictures, texts as texts, and of the rest where it lies", async () => {
    const taskUuid = await w.newTask()
    const attach = async (name: string, bytes: Buffer) =>
      (
        await w.call<{ uuid: string }>(w.owner, "chorus_add_attachment", {
          targetType: "task",
          targetUuid: taskUuid,
          name,
          mediaType: "text/plain",
          contentBase64: bytes.toString("base64"),
        })
      ).uuid
    const read = async (attachmentUuid: string) => call("chorus_get_attachment", { attachmentUuid })
    const png = Buffer.from("\x89PNG\r\n\x1a\n rest", "latin1")
    expect((await read(await attach("lamp.txt", png))).content[1]).toEqual({
      type: "image",
      data: png.toString("base64"),
      mimeType: "image/png",
    })
    expect((await read(await attach("note.txt", Buffer.from("Grüße")))).said).toMatchObject({
      name: "note.txt",
      text: "Grüße",
    })
    const long = await read(await attach("long.txt", Buffer.from("x".repeat(70_000))))
    expect(long.said["text"]).toMatch(/x… \(cut: all of it is at \/api\/files\/[\w-]{36}\)$/)
    const zip = await attach("a.zip", Buffer.from([0x50, 0x4b, 0xff, 0x00]))
    expect((await read(zip)).said).toEqual({
      uuid: zip,
      name: "a.zip",
      mediaType: "text/plain",
      size: 4,
      bytes: `/api/files/${zip}`,
    })
    expect((await call("chorus_get_attachment", { attachmentUuid: zip }, w.stranger)).said.error).toMatchObject({
      code: "not_found",
    })
  })

  it("twice under one key happens once", async () => {
    const create = () =>
      call("chorus_pm_create_idea", { projectUuid: w.project, title: "once" }, w.pm, {
        "chorus/idempotencyKey": "mcp-1",
      })
    expect((await create()).said["uuid"]).toBe((await create()).said["uuid"])
    const plain = () =>
      call("chorus_pm_create_idea", { projectUuid: w.project, title: "twice" }, w.pm, { "chorus/idempotencyKey": 7 })
    expect((await plain()).said["uuid"]).not.toBe((await plain()).said["uuid"])
  })

  it("that fails by our own fault is told to the log, and to the caller only by the request's id", async () => {
    const broken = mcpDoor(
      new Registry({ ...w.store, write: () => Promise.reject(new Error("secret detail")) }, operations),
      { onFault: (error, requestId) => faults.push([error, requestId]) },
    )
    const { said } = await send("tools/call", { name: "chorus_checkin", arguments: {} }, w.developer, broken)
    expect(said.error).toMatchObject({ code: "internal", message: expect.stringContaining("r1") })
    expect(JSON.stringify(said)).not.toContain("secret detail")
    expect(faults.at(-1)).toMatchObject([{ message: "secret detail" }, "r1"])
    await broken.close()
  })
})

describe("listing tools", () => {
  const list = async (by: Actor) => ((await send("tools/list", {}, by)).tools ?? []).map(({ name }) => name)

  it("shows what the caller may use, and nothing that is hidden or for people alone", async () => {
    const [developer, admin] = [await list(w.developer), await list(w.admin)]
    expect(developer).toContain("chorus_claim_task")
    expect(developer).not.toContain("chorus_admin_verify_task")
    expect(admin).toContain("chorus_admin_verify_task")
    for (const name of ["chorus_get_task_history", "chorus_create_key", "chorus_move_task"])
      expect(admin).not.toContain(name)
    expect(developer.filter((name) => !admin.includes(name))).toEqual([])
  })
})
