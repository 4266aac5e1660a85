import { operations } from "@chorus/server"
import * as fc from "fast-check"
import { inputSchema, type JsonSchema } from "../../packages/server/test/sample-input.ts"
import { hostileJson, hostileText } from "./hostile.ts"

export interface DoorCall {
  readonly name: string
  readonly input: unknown
}

/** Not tried: they would take away the key that the test itself lives on. */
const LEFT_OUT = new Set([
  "chorus_revoke_key",
  "chorus_rotate_key",
  "chorus_update_agent",
  "chorus_archive_agent",
  "chorus_delete_agent",
])

/**
 * Calls of real operations whose input is right in most places and hostile in some: what is wrong everywhere is refused at the first
 * look and tries nothing further in.
 */
export function doorCalls(knownIds: readonly string[]): fc.Arbitrary<DoorCall> {
  const all = operations.map(({ signature }) => signature).filter(({ name }) => !LEFT_OUT.has(name))
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc.constantFrom(...all).chain((signature) =>
        fc.record({
          name: fc.constant(signature.name as string),
          input: fc.oneof(
            { weight: 9, arbitrary: fitting(inputSchema(signature), knownIds) },
            { weight: 1, arbitrary: hostileJson },
          ),
        }),
      ),
    },
    { weight: 1, arbitrary: fc.record({ name: hostileText, input: hostileJson }) },
  )
}

function fitting(schema: JsonSchema, ids: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: right(schema, ids) }, { weight: 1, arbitrary: hostileJson })
}

/** Who waits for what never happens holds up the test, and is no more than a call that takes its time. */
const NO_WAIT = fc.constantFrom(0, 0.05, -1, "1", null)

function right(schema: JsonSchema, ids: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((choice) => right(choice, ids)))
  if (schema.type === "object" && schema.properties !== undefined) {
    const fields = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        name === "wait_seconds" ? NO_WAIT : fitting(property, ids),
      ]),
    )
    return fc.record(fields, { requiredKeys: schema.required ?? [] })
  }
  if (schema.type === "array")
    return fc.array(fitting(schema.items ?? {}, ids), { minLength: schema.minItems ?? 0, maxLength: 3 })
  if (schema.type === "number" || schema.type === "integer") return fc.integer({ min: schema.minimum ?? 0, max: 200 })
  if (schema.type === "boolean") return fc.boolean()
  if (schema.type === "null") return fc.constant(null)
  if (schema.format === "uuid")
    return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: fc.uuid() })
  if (schema.format === "date-time")
    return fc.constantFrom("2026-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z")
  if (schema.format === "uri")
    return fc.constantFrom("https://example.test/", "http://127.0.0.1:1/", "javascript:1", "https://[::1]/")
  if (schema.format === "email") return fc.constantFrom("somebody@example.test", "a@b", "é@é.example")
  return schema.type === "string"
    ? fc.oneof(hostileText, fc.string({ minLength: schema.minLength ?? 1, maxLength: 60 }))
    : hostileJson
}
