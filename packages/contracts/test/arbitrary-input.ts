import {
  anything,
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  integer,
  oneof,
  option,
  record,
  string,
  uuid,
} from "fast-check"

export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

const WORDS = string({ unit: constantFrom(..."ab é漢😀 \t-_."), minLength: 1, maxLength: 12 }).map((text) => `x${text}`)

/** Texts that only some may be: what a pattern or a format alone cannot make by chance. */
const BY_FORMAT: Readonly<Record<string, Arbitrary<string>>> = {
  uuid: uuid({ version: 4 }),
  uri: constantFrom("https://example.org/a", "https://example.org:8443/?q=1"),
  email: constantFrom("Ada@Example.org", "bob@example.org"),
  date: constantFrom("2026-03-01", "2028-02-29"),
  "date-time": constantFrom("2026-03-01T10:00:00Z", "2026-03-01T10:00:00.123Z"),
  base64: constantFrom("", "AAEC"),
}
const BY_PATTERN: readonly (readonly [RegExp, Arbitrary<string>])[] = [
  [/BN/, constantFrom("B1", "N23")],
  [/\{64\}\$/, constantFrom("0a".repeat(32))],
  [/\{40\}/, constantFrom("0b".repeat(20), "0c".repeat(32))],
  [/d\{6\}/, constantFrom("100644")],
  [/\\\*/, constantFrom("*", "task.*", "task.verified")],
  [/a-z0-9!#/, constantFrom("image/png", "text/plain")],
]

/** Inputs as a caller might make them from an operation's JSON schema alone. */
export function inputsOf(schema: JsonSchema): Arbitrary<unknown> {
  if (schema.const !== undefined) return constant(schema.const)
  if (schema.enum !== undefined) return constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return oneof(...choices.map(inputsOf))
  if (schema.type === "object") return objectsOf(schema)
  if (schema.type === "array")
    return array(inputsOf(schema.items ?? {}), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 2),
    })
  if (schema.type === "boolean") return boolean()
  if (schema.type === "null") return constant(null)
  if (schema.type === "integer")
    return integer({ min: Math.max(schema.minimum ?? 0, -1000), max: Math.min(schema.maximum ?? 100, 1000) })
  if (schema.type === "number")
    return double({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 100, 1000), noNaN: true }).map(
      (value) => value + 0,
    )
  if (schema.type === "string") return textsOf(schema)
  return anything({ maxDepth: 1 }).map((value) => (value === undefined ? null : value))
}

function objectsOf({ properties, required = [] }: JsonSchema): Arbitrary<unknown> {
  if (properties === undefined) return dictionary(WORDS, constantFrom<unknown>(1, "x", true), { maxKeys: 2 })
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      required.includes(name) ? inputsOf(property) : option(inputsOf(property), { nil: undefined }),
    ]),
  )
  return record(fields).map((made) =>
    Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)),
  )
}

function textsOf({ format, pattern = "", maxLength = 12 }: JsonSchema): Arbitrary<string> {
  const known = BY_FORMAT[format ?? ""] ?? BY_PATTERN.find(([sign]) => sign.test(pattern))?.[1]
  return known ?? WORDS.map((text) => text.slice(0, maxLength))
}
