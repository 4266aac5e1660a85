import { ChorusError, type Signature } from "@chorus/contracts"
import { Hono } from "hono"
import type { DoorEnv } from "./door-env.ts"
import { focusOf } from "../focus.ts"
import { readJson } from "./json-body.ts"
import type { Registry } from "../registry.ts"

/** `POST /api/v1/<operation>`, and GET with query parameters for reads. */
export function restDoor(registry: Registry): Hono<DoorEnv> {
  const door = new Hono<DoorEnv>()
  door.post("/:name", async (c) => {
    const input = await readJson(c.env.incoming)
    const call = { actor: c.get("actor"), requestId: c.get("requestId"), idempotencyKey: c.req.header("idempotency-key"), focus: focusOf((name) => c.req.header(name)) }
    return c.body(bytesOf((await registry.execute(c.req.param("name"), input, call)) as object), 200, JSON_TYPE)
  })
  door.get("/:name", async (c) => {
    const signature = registry.find(c.req.param("name"))
    if (signature?.kind === "write") {
      throw new ChorusError("method_not_allowed", `${signature.name} changes things.`, { status: 405, next: "Use POST with a JSON body." })
    }
    const input = signature === undefined ? {} : queryInput(signature, new URL(c.req.url).searchParams)
    const call = { actor: c.get("actor"), requestId: c.get("requestId"), focus: focusOf((name) => c.req.header(name)) }
    return c.body(bytesOf((await registry.execute(c.req.param("name"), input, call)) as object), 200, JSON_TYPE)
  })
  return door
}

const JSON_TYPE = { "content-type": "application/json" }
const written = new WeakMap<object, Buffer<ArrayBuffer>>()

/** The same answer may be given many times; it is put into bytes once. */
function bytesOf(answer: object): Buffer<ArrayBuffer> {
  const known = written.get(answer)
  if (known !== undefined) return known
  const bytes = Buffer.from(JSON.stringify(answer))
  written.set(answer, bytes)
  return bytes
}

/** Query parameters are text; where the schema wants something else, they are read as JSON. */
function queryInput(signature: Signature, parameters: URLSearchParams): unknown {
  const asText: Record<string, unknown> = {}
  const asJson: Record<string, unknown> = {}
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name)
    asText[name] = values.length > 1 ? values : values[0]
    asJson[name] = values.length > 1 ? values : parsed(values[0] ?? "")
  }
  return signature.input.safeParse(asText).success ? asText : asJson
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
