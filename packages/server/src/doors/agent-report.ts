import { ChorusError } from "@chorus/contracts"
import { Hono } from "hono"
import { z } from "zod"
import type { Registry } from "../registry.ts"
import type { DoorEnv } from "./door-env.ts"
import { readJson } from "./json-body.ts"

const count = z.number().int().min(0).optional()

/** As programs of either spelling count what they used. */
const Used = z.object({
  model: z.string().optional(),
  input_tokens: count,
  inputTokens: count,
  output_tokens: count,
  outputTokens: count,
  cache_read_input_tokens: count,
  cacheReadTokens: count,
  cache_creation_input_tokens: count,
  cacheCreationTokens: count,
})

const Report = z.object({
  sessionUuid: z.string().optional(),
  usage: Used.optional(),
  turns: z
    .array(Used.extend({ usage: Used.optional() }))
    .max(1000)
    .optional(),
})

/** `POST /api/agent-report/token-usage`: what hook scripts of other plugins report; each turn counts once with its idempotency key. */
export function agentReportDoor(registry: Registry): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.post("/token-usage", async (c) => {
    const report = Report.safeParse(await readJson(c.env.incoming))
    if (!report.success)
      throw new ChorusError("invalid_input", "This is no report of tokens.", {
        status: 400,
        next: "Send {sessionUuid, usage} or {sessionUuid, turns} with whole numbers of tokens.",
      })
    const { sessionUuid, usage, turns = [] } = report.data
    const spent = [...(usage === undefined ? [] : [usage]), ...turns.map((turn) => turn.usage ?? turn)]
    const key = c.req.header("idempotency-key")
    let recorded = 0
    for (const [n, used] of spent.entries()) {
      const input = {
        ...(sessionUuid === undefined ? {} : { sessionUuid }),
        ...(key === undefined ? {} : { key: `${key}#${n}` }),
        ...(used.model === undefined ? {} : { model: used.model }),
        inputTokens: used.input_tokens ?? used.inputTokens ?? 0,
        outputTokens: used.output_tokens ?? used.outputTokens ?? 0,
        cacheReadTokens: used.cache_read_input_tokens ?? used.cacheReadTokens ?? 0,
        cacheCreationTokens: used.cache_creation_input_tokens ?? used.cacheCreationTokens ?? 0,
        source: "hook",
      }
      const call = { actor: c.get("actor"), requestId: c.get("requestId") }
      const answer = (await registry.execute("chorus_report_usage", input, call)) as { recorded: boolean }
      if (answer.recorded) recorded += 1
    }
    return c.json({ recorded })
  })
  return door
}
