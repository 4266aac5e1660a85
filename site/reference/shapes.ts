import * as contracts from "@chorus/contracts"
import { z } from "zod"

interface Named {
  readonly name: string
  readonly schema: z.ZodType
}

export interface Field {
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly note: string
}

type Json = Readonly<Record<string, unknown>>

/** Shapes that have a name in the contracts are named in tables instead of being spelt out again. */
const named: readonly Named[] = namedShapes()
const registry = z.registry<{ id: string }>()
for (const { name, schema } of named) registry.add(schema, { id: name })

export function shapeNames(): readonly string[] {
  return named.map(({ name }) => name)
}

/** The fields of a shape; `own` spells out a named shape instead of pointing to it. */
export function fieldsOf(schema: z.ZodType, io: "input" | "output"): Field[] {
  return rows(resolved(jsonOf(schema, io)), "")
}

/** What the whole is, for answers that are no object. */
export function typeOf(schema: z.ZodType, io: "input" | "output"): string {
  return typeText(jsonOf(schema, io))
}

export function shapeFields(name: string): Field[] {
  const shape = named.find((one) => one.name === name)
  return shape === undefined ? [] : fieldsOf(shape.schema, "output")
}

export function shapeType(name: string): string {
  const shape = named.find((one) => one.name === name)
  if (shape === undefined) return ""
  return typeText(resolved(jsonOf(shape.schema, "output")))
}

function namedShapes(): Named[] {
  const found = new Map<z.ZodType, string>()
  const all = Object.entries(contracts).flatMap(([name, value]): [string, unknown][] =>
    value instanceof z.ZodType ? [[name, value]] : isNamespace(value) ? Object.entries(value) : [],
  )
  for (const [name, value] of all)
    if (value instanceof z.ZodType && !name.endsWith("Id") && /^[A-Z]/.test(name) && isSpelt(value))
      found.set(value, found.get(value) ?? name)
  const used = new Set<string>()
  return [...found]
    .map(([schema, name]) => ({ schema, name }))
    .filter(({ name }) => !used.has(name) && used.add(name))
    .sort((a, b) => a.name.localeCompare(b.name))
}

function isNamespace(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.prototype.toString.call(value) === "[object Module]"
}

function isSpelt(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject || schema instanceof z.ZodEnum || schema instanceof z.ZodUnion
}

function jsonOf(schema: z.ZodType, io: "input" | "output"): Json {
  return z.toJSONSchema(schema, { io, unrepresentable: "any", metadata: registry, override: dropId })
}

/** The outermost shape carries its own name; only those within are to be pointed to. */
function dropId({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  delete jsonSchema["id"]
}

/** A named shape arrives as a pointer to itself. */
function resolved(schema: Json): Json {
  const name = pointedTo(schema)
  const definitions = schema["$defs"] as Record<string, Json> | undefined
  return name !== undefined && definitions?.[name] !== undefined ? definitions[name] : schema
}

function rows(schema: Json, prefix: string): Field[] {
  const properties = (schema["properties"] ?? {}) as Record<string, Json>
  const required = new Set((schema["required"] ?? []) as string[])
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`
    const own: Field = { path, type: typeText(property), required: required.has(name), note: noteOf(property) }
    return [own, ...rows(inner(property), isList(property) ? `${path}[]` : path)]
  })
}

function inner(schema: Json): Json {
  if (isList(schema)) return inner((schema["items"] ?? {}) as Json)
  const object = alternatives(schema).filter((one) => one["properties"] !== undefined)
  return schema["properties"] === undefined ? (object.length === 1 ? (object[0] ?? {}) : {}) : schema
}

function isList(schema: Json): boolean {
  return schema["type"] === "array"
}

function alternatives(schema: Json): readonly Json[] {
  return (schema["anyOf"] ?? schema["oneOf"] ?? []) as readonly Json[]
}

function pointedTo(schema: Json): string | undefined {
  return /^#\/\$defs\/(.+)$/.exec(String(schema["$ref"] ?? ""))?.[1]
}

function typeText(schema: Json): string {
  const pointed = pointedTo(schema)
  if (pointed !== undefined) return pointed
  const choices = alternatives(schema)
  if (choices.length > 0) return [...new Set(choices.map(typeText))].join(" or ")
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => `\`${String(value)}\``).join(", ")
  if (schema["const"] !== undefined) return `\`${JSON.stringify(schema["const"])}\``
  if (isList(schema)) return `list of ${typeText((schema["items"] ?? {}) as Json)}`
  if (schema["format"] === "uuid") return "uuid"
  if (schema["type"] === "object" && schema["properties"] === undefined) return "map"
  if (Array.isArray(schema["type"])) return schema["type"].join(" or ")
  return String(schema["type"] ?? "anything")
}

function noteOf(schema: Json): string {
  const said = (keyword: string, text: (value: unknown) => string) =>
    schema[keyword] === undefined || isMachineLimit(schema[keyword]) ? [] : [text(schema[keyword])]
  return [
    ...said("description", String),
    ...said("default", (value) => `default \`${JSON.stringify(value)}\``),
    ...said("minLength", (value) => (value === 1 ? "not empty" : `at least ${String(value)} characters`)),
    ...said("maxLength", (value) => `at most ${String(value)} characters`),
    ...said("minimum", (value) => `from ${String(value)}`),
    ...said("maximum", (value) => `up to ${String(value)}`),
    ...said("minItems", (value) => `at least ${String(value)}`),
    ...said("maxItems", (value) => `at most ${String(value)}`),
  ].join(", ")
}

function isMachineLimit(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER
}
