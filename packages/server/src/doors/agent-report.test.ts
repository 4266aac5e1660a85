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
    await session("chorus_close_session")
    for (const recorded of [1, 0]) expect(await report(told)).toEqual({ status: 200, body: { recorded } })
    expect((await counted()).total).toMatchObject({ inputTokens: 7, cacheReadTokens: 90 })
  })

  it("count once though the whole transcript is told at each turn, for the task that was spoken of last", async () => {
    const [first, second] = [await w.newTask(), await w.newTask()]
    const at = (minute: number) => new Date(Date.UTC(2026, 3, 20, 1, minute)).toISOString()
    const spoken = (minute: number, entity_uuid: string, entity_type = "task") => ({
      ts: at(minute),
      entity_type,
      entity_uuid,
    })
    const turn = (minute: number, cache = 0) => ({
      ts: at(minute),
      input_tokens: 10,
      output_tokens: 1,
      cache_read_input_tokens: cache,
    })
    // The later call stands first: a transcript may be written by several.
    const timeline = [spoken(4, second), spoken(1, first), spoken(7, "no such task"), spoken(8, w.project, "idea")]
    const turns = [turn(0), turn(2, 500), turn(3, 40), turn(5, -400), turn(7), turn(9)]
    const tell = (upTo: number) =>
      report({ sourceSessionId: "s-1", turns: turns.slice(0, upTo), timeline, isReviewer: false })
    const before = await spent()
    for (const upTo of [1, 2, 3, 3, 5, 6]) expect((await tell(upTo)).status).toBe(200)
    expect((await tell(6)).body).toEqual({ recorded: 0 })
    const of = async (taskUuid: string) =>
      (await w.call<OutputOf<typeof usage.getUsage>>(w.owner, "chorus_get_usage", { taskUuid })).total
    expect(await of(first)).toMatchObject({ inputTokens: 20, outputTokens: 2, cacheReadTokens: 540 })
    expect(await of(second)).toMatchObject({ inputTokens: 10, outputTokens: 1, cacheReadTokens: 0 })
    expect((await spent()).inputTokens - before.inputTokens).toBe(60)
  })

  it("of a session that was opened again count beside those of its first time, each time once", async () => {
    const [taskUuid, sessionUuid] = [await w.newTask(), await w.newSession()]
    const tell = async (minutes: readonly number[], input_tokens: number) => {
      const at = (minute: number) => new Date(Date.UTC(2026, 3, 21, 1, minute)).toISOString()
      const turns = minutes.map((minute) => ({ ts: at(minute), input_tokens, cache_read_input_tokens: 50 }))
      const timeline = [{ ts: at(0), entity_type: "task", entity_uuid: taskUuid }]
      expect((await report({ sessionUuid, sourceSessionId: sessionUuid, turns, timeline })).status).toBe(200)
      const { total } = await w.call<OutputOf<typeof usage.getUsage>>(w.owner, "chorus_get_usage", { taskUuid })
      return [total.inputTokens, total.cacheReadTokens]
    }
    expect(await tell([1], 70)).toEqual([70, 50])
    expect(await tell([1], 70)).toEqual([70, 50])
    expect(await tell([31], 20)).toEqual([90, 100])
    expect(await tell([32, 31], 20)).toEqual([110, 150])
  })

  it("of a sub-agent count for its task, whatever else it looked at, and of a long day in one report", async () => {
    const [taskUuid, sessionUuid] = [await w.newTask(), await w.newSession()]
    const ts = new Date(Date.UTC(2026, 3, 20)).toISOString()
    const timeline = [
      { ts, entity_type: "idea", entity_uuid: w.project },
      { ts, entity_type: "task", entity_uuid: taskUuid },
    ]
    const turns = Array.from({ length: 20_000 }, () => ({ ts, input_tokens: 1, output_tokens: 1 }))
    expect((await report({ sessionUuid, sourceSessionId: sessionUuid, turns, timeline })).body).toEqual({ recorded: 1 })
    const { total } = await w.call<OutputOf<typeof usage.getUsage>>(w.owner, "chorus_get_usage", { taskUuid })
    expect(total).toMatchObject({ inputTokens: 20_000, outputTokens: 20_000 })
  })

  it("are refused where they are no numbers, or nobody's session", async () => {
    expect(await report({ usage: { input_tokens: "many" } })).toEqual({ status: 400, body: { code: "invalid_input" } })
    const sessionUuid = "0199c0de-0000-7000-8000-000000000009"
    expect((await report({ sessionUuid, usage: { input_tokens: 1 } })).status).toBe(404)
    expect((await report({ usage: { input_tokens: 1 } }, undefined, w.owner)).status).toBe(403)
  })
})
