import { ChorusError } from "@chorus/contracts"
import { Hono } from "hono"
import { z } from "zod"
import type { Registry } from "../registry.ts"
import type { DoorEnv } from "./door-env.ts"
import { readJson } from "./json-body.ts"

/** Told as what came on top of the turn before, it may be less than nothing. */
const count = z.number().int().optional()

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

const Turn = Used.extend({ usage: Used.optional(), ts: z.string().nullish() })
const Mention = z.object({ ts: z.string().nullish(), entity_type: z.string(), entity_uuid: z.string() })

const Report = z.object({
  sessionUuid: z.string().optional(),
  /** Whose turns these are, from the first one on. */
  sourceSessionId: z.string().min(1).nullish(),
  usage: Used.optional(),
  turns: z.array(Turn).optional(),
  /** What the tool calls between the turns were about. */
  timeline: z.array(Mention).optional(),
})
type Report = z.infer<typeof Report>

/** Tokens on their way to the board: whether they are all of somebody's up to now, and of which task. */
interface Spent {
  readonly used: z.infer<typeof Used>
  readonly key?: string
  readonly of?: string
  readonly taskUuid?: string | undefined
}

/**
 * `POST /api/agent-report/token-usage`: what hook scripts of other plugins report. Those that say whose turns they are
 * tell them all each time, and each counts once, for the task that was last spoken of; of others each turn counts once
 * with its idempotency key.
 */
export function agentReportDoor(registry: Registry): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.post("/token-usage", async (c) => {
    const report = Report.safeParse(await readJson(c.env.incoming))
    if (!report.success)
      throw new ChorusError("invalid_input", "This is no report of tokens.", {
        status: 400,
        next: "Send {sessionUuid, usage} or {sessionUuid, turns} with whole numbers of tokens.",
      })
    const { sessionUuid, sourceSessionId } = report.data
    const call = { actor: c.get("actor"), requestId: c.get("requestId") }
    const tell = async ({ used, key, of, taskUuid }: Spent) => {
      const input = {
        ...(sessionUuid === undefined ? {} : { sessionUuid }),
        ...(key === undefined ? {} : { key }),
        ...(of === undefined ? {} : { of }),
        ...(taskUuid === undefined ? {} : { taskUuid }),
        ...(used.model === undefined ? {} : { model: used.model }),
        ...tokensOf(used),
        source: "hook",
      }
      const answer = await registry.execute("chorus_report_usage", input, call)
      return (answer as { recorded: boolean }).recorded
    }
    const all = sourceSessionId
      ? upToNow(report.data, sourceSessionId)
      : oneByOne(report.data, c.req.header("idempotency-key"))
    let recorded = 0
    for (const spent of all) {
      // What a tool was called with need not be a task that there is.
      const told = await tell(spent).catch((error: unknown) => {
        if (spent.taskUuid === undefined || !(error instanceof ChorusError)) throw error
        return tell({ ...spent, taskUuid: undefined })
      })
      if (told) recorded += 1
    }
    return c.json({ recorded })
  })
  return door
}

function oneByOne({ usage, turns = [] }: Report, key: string | undefined): Spent[] {
  const spent = [...(usage === undefined ? [] : [usage]), ...turns.map((turn) => turn.usage ?? turn)]
  return spent.map((used, n) => ({ used, ...(key === undefined ? {} : { key: `${key}#${n}` }) }))
}

/**
 * All of them by task and model; a sub-agent's are for the one task that it was there for. Its session may be opened
 * again for another one, whose turns begin later.
 */
function upToNow({ sessionUuid, usage, turns = [], timeline = [] }: Report, source: string): Spent[] {
  const mentions = timeline.toSorted((one, other) => timeOf(one) - timeOf(other))
  const only = sessionUuid === undefined ? undefined : mentions.find(isTask)
  const taskAt = (turn: z.infer<typeof Turn>) => {
    const last = only ?? mentions.findLast((mention) => timeOf(mention) <= timeOf(turn))
    return last !== undefined && isTask(last) ? last.entity_uuid : undefined
  }
  const spent = [...(usage === undefined ? [] : [{ usage }]), ...turns].map((turn) => ({
    used: turn.usage ?? turn,
    taskUuid: taskAt(turn),
  }))
  const [begun] = turns
    .map(timeOf)
    .filter((ts) => ts > 0)
    .toSorted((one, other) => one - other)
  const time = sessionUuid === undefined || begun === undefined ? "" : `/${begun}`
  const groups = Map.groupBy(spent, ({ used, taskUuid = "" }) => JSON.stringify([taskUuid, used.model]))
  return [...groups.values()].map((group) => ({
    used: group.map(({ used }) => used).reduce(sumOf),
    taskUuid: group[0]?.taskUuid,
    of: `${source.slice(-100)}/${group[0]?.taskUuid ?? ""}${time}`,
  }))
}

function isTask({ entity_type }: z.infer<typeof Mention>): boolean {
  return entity_type === "task"
}

function timeOf({ ts }: { readonly ts?: string | null | undefined }): number {
  return Date.parse(ts ?? "") || 0
}

function sumOf(one: z.infer<typeof Used>, other: z.infer<typeof Used>): z.infer<typeof Used> {
  const [a, b] = [figuresOf(one), figuresOf(other)]
  return {
    model: one.model,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  }
}

function figuresOf(used: z.infer<typeof Used>) {
  return {
    inputTokens: used.input_tokens ?? used.inputTokens ?? 0,
    outputTokens: used.output_tokens ?? used.outputTokens ?? 0,
    cacheReadTokens: used.cache_read_input_tokens ?? used.cacheReadTokens ?? 0,
    cacheCreationTokens: used.cache_creation_input_tokens ?? used.cacheCreationTokens ?? 0,
  }
}

function tokensOf(used: z.infer<typeof Used>) {
  const figures = Object.entries(figuresOf(used))
  return Object.fromEntries(figures.map(([kind, tokens]) => [kind, Math.max(0, tokens)]))
}
