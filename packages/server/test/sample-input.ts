import { randomUUID } from "node:crypto"
import type { Signature } from "@chorus/contracts"
import { z } from "zod"

export interface JsonSchema {
  type?: string
  format?: string
  pattern?: string
  minimum?: number
  minLength?: number
  minItems?: number
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
}

export function inputSchema(signature: Signature): JsonSchema {
  return z.toJSONSchema(signature.input, { io: "input", unrepresentable: "any" }) as JsonSchema
}

/** Every place in an input that names something by id: `taskUuid`, `proposalUuids[]`, `criteria[].uuid`. */
export function idPaths(schema: JsonSchema, path = ""): string[] {
  const inside = [
    ...(schema.anyOf ?? []).flatMap((choice) => idPaths(choice, path)),
    ...(schema.items === undefined ? [] : idPaths(schema.items, `${path}[]`)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      idPaths(property, path === "" ? name : `${path}.${name}`),
    ),
  ]
  const isId = schema.type === "string" && (schema.format === "uuid" || /uuids?(\[\])?$/i.test(path))
  return [...new Set(isId ? [path, ...inside] : inside)]
}

/** The least input that fits a schema; ids are told by `idAt`. */
export function sample(schema: JsonSchema, idAt: (path: string) => string | undefined, path = ""): unknown {
  const known = idAt(path)
  if (known !== undefined && schema.type !== "array" && schema.type !== "object") return known
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const choice = schema.anyOf?.find(({ type }) => type !== "null")
  if (choice !== undefined) return sample(choice, idAt, path)
  if (schema.type === "object") {
    const required = Object.entries(schema.properties ?? {}).filter(
      ([name]) => schema.required?.includes(name) === true,
    )
    return Object.fromEntries(
      required.map(([name, property]) => [name, sample(property, idAt, path === "" ? name : `${path}.${name}`)]),
    )
  }
  if (schema.type === "array")
    return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () =>
      sample(schema.items ?? {}, idAt, `${path}[]`),
    )
  if (schema.type === "number" || schema.type === "integer") return Math.max(1, schema.minimum ?? 1)
  if (schema.type === "boolean") return true
  return sampleText(schema)
}

/** The input with a value at a path, making what lies on the way from the schema. */
export function withAt(
  input: unknown,
  schema: JsonSchema,
  path: string,
  value: string,
  idAt: (path: string) => string | undefined,
): unknown {
  const [first = "", ...rest] = path.split(".")
  const name = first.replaceAll("[]", "")
  const property = schema.properties?.[name] ?? {}
  const fields = input as Record<string, unknown>
  if (rest.length === 0) return { ...fields, [name]: first.endsWith("[]") ? [value] : value }
  const items = property.items ?? property.anyOf?.find(({ items: found }) => found !== undefined)?.items ?? {}
  const [row] = (fields[name] as unknown[] | undefined) ?? [sample(items, (inner) => idAt(`${name}[].${inner}`))]
  return { ...fields, [name]: [withAt(row, items, rest.join("."), value, (inner) => idAt(`${name}[].${inner}`))] }
}

function sampleText({ format, pattern, minLength = 1 }: JsonSchema): string {
  if (format === "uuid") return randomUUID()
  if (format === "date") return "2026-03-01"
  if (format === "uri") return "https://example.test/"
  if (format === "email") return "somebody@example.test"
  if (format === "date-time") return "2026-01-01T00:00:00Z"
  const fitting = ["B1", "a".repeat(40), "a".repeat(64), "100644"].find((text) =>
    new RegExp(pattern ?? "$^").test(text),
  )
  if (fitting !== undefined) return fitting
  return "text".padEnd(minLength, ".")
}
