import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import type { OutputOf, usage } from "@chorus/contracts"
import { Hono } from "hono"
import { describe, expect, it } from "vitest"
import { embeddedWorkspace } from "../../test/embedded-workspace.ts"
import { type Actor, asChorusError } from "../operation.ts"
import { agentReportDoor } from "./agent-report.ts"
import type { DoorEnv } from "./door-env.ts"

const w = embeddedWorkspace()

async function report(body: object, key?: string, actor: Actor = w.developer) {
  const app = new Hono<DoorEnv>()
  app.use(async (c, next) => {
    c.set("actor", actor)
    c.set("requestId", "r1")
    await next()
  })
  app.route("/", agentReportDoor(w.registry))
  app.onError((error, c) => c.json({ code: asChorusError(error, "r1").code }, asChorusError(error, "r1").status as 400))
  const headers = { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) }
  const incoming = Object.assign(Readable.from([Buffer.from(JSON.stringify(body))]), { headers }) as IncomingMessage
  const answer = await app.request("/token-usage", { method: "POST", headers }, { incoming })
  return { status: answer.status, body: await answer.json() }
}

const spent = async () => (await w.call<OutputOf<typeof usage.getUsage>>(w.owner, "chorus_get_usage")).total

describe("tokens that another plugin's hooks report", () => {
  it("count for the session's task, in either spelling, once for one key", async () => {
    const before = await spent()
    const usage = { model: "m", input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 100 }
    const turns = [{ inputTokens: 1, outputTokens: 2 }, { usage: { input_tokens: 4 } }]
    expect(await report({ usage, turns }, "k1")).toEqual({ status: 200, body: { recorded: 3 } })
    expect(await report({ usage, turns }, "k1")).toEqual({ status: 200, body: { recorded: 0 } })
    const after = await spent()
    expect(after.inputTokens - before.inputTokens).toBe(15)
    expect(after.outputTokens - before.outputTokens).toBe(5)
    expect(after.cacheReadTokens - before.cacheReadTokens).toBe(100)
  })

  it("count for the task of a session that they were told to have ended before", async () => {
    const [sessionUuid, taskUuid] = [await w.newSession(), await w.taskAt("assigned")]
    const session = (name: string, more: object = {}) => w.call(w.developer, name, { sessionUuid, ...more })
    await session("chorus_session_checkin_task", { taskUuid })
    await session("chorus_session_checkout_task", { taskUuid })
    const turns = [{ ts: null, input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 90 }]
    const timeline = [{ ts: null, entity_type: "task", entity_uuid: taskUuid }]
    const told = { sessionUuid, sourceSessionId: sessionUuid, isReviewer: false, turns, timeline }
    const counted = () => w.call<OutputOf<typeof usage.getUsage>>(w.owner, "chorus_get_usage", { taskUuid })
    await report(told)
    expect((await counted()).total.totalTokens).toBe(0)
    await session("chorus_close_session")
    expect(await report(told)).toEqual({ status: 200, body: { recorded: 1 } })
    expect((await counted()).total).toMatchObject({ inputTokens: 7, cacheReadTokens: 90 })
  })

  it("are refused where they are no numbers, or nobody's session", async () => {
    expect(await report({ usage: { input_tokens: "many" } })).toEqual({ status: 400, body: { code: "invalid_input" } })
    const sessionUuid = "0199c0de-0000-7000-8000-000000000009"
    expect((await report({ sessionUuid, usage: { input_tokens: 1 } })).status).toBe(404)
    expect((await report({ usage: { input_tokens: 1 } }, undefined, w.owner)).status).toBe(403)
  })
})
