import { ChorusError, type Signature } from "@chorus/contracts"
import { type Context, Hono } from "hono"
import type { DoorEnv } from "./door-env.ts"
import { focusOf } from "../operation.ts"
import { goneSignal } from "../patience.ts"
import { readJson } from "./json-body.ts"
import { jsonText } from "./json-text.ts"
import type { Call, Registry } from "../registry.ts"

/** `POST /api/v1/<operation>`, and GET with query parameters for reads. */
export function restDoor(registry: Registry): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.post("/:name", async (c) => {
    const input = await readJson(c.env.incoming)
    const call = { ...callOf(c), idempotencyKey: c.req.header("idempotency-key") }
    return c.body(await bytesOf((await registry.execute(c.req.param("name"), input, call)) as object), 200, JSON_TYPE)
  })
  door.get("/:name", async (c) => {
    const signature = registry.find(c.req.param("name"))
    if (signature?.kind === "write") {
      throw new ChorusError("method_not_allowed", `${signature.name} changes things.`, {
        status: 405,
        next: "Use POST with a JSON body.",
      })
    }
    const input = signature === undefined ? {} : queryInput(signature, new URL(c.req.url).searchParams)
    return c.body(
      await bytesOf((await registry.execute(c.req.param("name"), input, callOf(c))) as object),
      200,
      JSON_TYPE,
    )
  })
  return door
}

function callOf(c: Context<DoorEnv>): Call {
  return {
    actor: c.get("actor"),
    requestId: c.get("requestId"),
    focus: focusOf((name) => c.req.header(name)),
    gone: () => goneSignal(c.env.outgoing),
    onPosition: (position) => c.header("chorus-position", String(position)),
  }
}

const JSON_TYPE = { "content-type": "application/json" }
const written = new WeakMap<object, Promise<Buffer<ArrayBuffer>>>()

/** The same answer may be given many times; it is put into bytes once. */
function bytesOf(answer: object): Promise<Buffer<ArrayBuffer>> {
  const known = written.get(answer)
  if (known !== undefined) return known
  const bytes = jsonText(answer).then((text) => Buffer.from(text))
  written.set(answer, bytes)
  return bytes
}

/** Query parameters are text. Each field that the schema does not take as text is read as JSON, and one that may be several as a list of one. */
function queryInput(signature: Signature, parameters: URLSearchParams): unknown {
  const input = Object.fromEntries(
    [...new Set(parameters.keys())].map((name): [string, unknown] => [name, one(parameters.getAll(name))]),
  )
  const read = signature.input.safeParse(input)
  if (read.success) return input
  const wanted = new Map(
    read.error.issues
      .filter(({ path }) => path.length === 1)
      .map((issue) => [String(issue.path[0]), "expected" in issue ? issue.expected : undefined]),
  )
  const again = Object.entries(input).map(([name, value]): [string, unknown] => [
    name,
    wanted.has(name) && typeof value === "string" ? otherwise(value, wanted.get(name)) : value,
  ])
  return Object.fromEntries(again)
}

function one(values: readonly string[]): unknown {
  return values.length > 1 ? values : values[0]
}

function otherwise(text: string, wanted: unknown): unknown {
  const value = parsed(text)
  return wanted === "array" && !Array.isArray(value) ? [text] : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
