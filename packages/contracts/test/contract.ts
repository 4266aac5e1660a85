import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { Signature } from "../src/signature.ts"
import type { FieldRule } from "./field-rule.ts"

interface InputPromise<Input extends z.ZodType> {
  /** The least a caller has to say. */
  readonly smallest: z.input<Input>
  /** What the operation is given then; the same, where nothing is filled in. */
  readonly becomes?: Record<string, unknown>
  /** Every field, by its name or, inside lists and objects, by its path: `tasks.0.title`. */
  readonly fields: Readonly<Record<string, FieldRule>>
}

/** States what an operation takes and refuses, field by field. A field nobody wrote a rule for is a failure. */
export function describeInput<Input extends z.ZodType>(
  { name, input }: Signature<string, Input>,
  { smallest, becomes, fields }: InputPromise<Input>,
): void {
  const given = becomes ?? (smallest as Record<string, unknown>)
  describe(`what ${name} takes`, () => {
    it("is at least this, with the rest filled in", () => expect(input.parse(smallest)).toEqual(given))
    it("leaves out what it does not know", () =>
      expect(input.parse({ ...(smallest as object), unheardOf: "x" })).toEqual(given))
    it("has no field without a rule", () =>
      expect(fieldNames(input).sort()).toEqual([...new Set(Object.keys(fields).map(first))].sort()))
    it.each(Object.entries(fields).map(([path, rule]) => ({ path, rule, says: rule.says })))(
      "$path $says",
      ({ path, rule }) => {
        const blamed = (value: unknown) => [
          ...new Set(
            faultyPaths(input, placed(smallest, path, value)).map((at) => (at.startsWith(`${path}.`) ? path : at)),
          ),
        ]
        for (const value of rule.takes) expect(blamed(value), `${path} = ${shown(value)}`).toEqual([])
        if (rule.takes[0] !== undefined && rule.changes !== true)
          expect({ [path]: found(input.parse(placed(smallest, path, rule.takes[0])), path) }).toMatchObject({
            [path]: rule.takes[0],
          })
        for (const value of rule.refuses) expect(blamed(value), `${path} = ${shown(value)}`).toEqual([path])
        expect(blamed(undefined), `without ${path}`).toEqual(rule.mayBeLeftOut === true ? [] : [path])
      },
    )
  })
}

interface AnswerPromise {
  readonly mayBeNull?: readonly string[]
  readonly mayBeLeftOut?: readonly string[]
}

/** States an answer by an example with every field filled: it comes through whole, and only what is named may be null or left out. */
export function describeAnswer<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  example: z.output<Schema> & object,
  { mayBeNull = [], mayBeLeftOut = [] }: AnswerPromise = {},
): void {
  const names = Object.keys(example)
  describe(`the answer ${name}`, () => {
    it("comes through as it was given", () => expect(schema.parse(example)).toEqual(example))
    it(mayBeNull.length === 0 ? "has nothing that may be null" : `may have null for ${mayBeNull.join(", ")}`, () => {
      expect(names.filter((field) => schema.safeParse({ ...example, [field]: null }).success)).toEqual(mayBeNull)
    })
    it(mayBeLeftOut.length === 0 ? "always has every field" : `may leave out ${mayBeLeftOut.join(", ")}`, () => {
      expect(names.filter((field) => schema.safeParse(placed(example, field, undefined)).success)).toEqual(mayBeLeftOut)
    })
  })
}

/** What a schema says against a value, as `path: message`. */
export function faults(schema: z.ZodType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`)
}

function faultyPaths(schema: z.ZodType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map(({ path }) => path.join("."))
}

/** The value with something else at a path; undefined takes it away. */
export function placed(value: unknown, path: string, put: unknown): unknown {
  const [key = "", ...rest] = path.split(".")
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? inside(item) : item))
  const { [key]: old, ...others } = (value ?? {}) as Record<string, unknown>
  const changed = inside(old)
  return changed === undefined ? others : { ...others, [key]: changed }

  function inside(old: unknown): unknown {
    return rest.length === 0 ? put : placed(old, rest.join("."), put)
  }
}

function found(value: unknown, path: string): unknown {
  return path.split(".").reduce((inside, key) => (inside as Record<string, unknown> | undefined)?.[key], value)
}

function fieldNames(input: z.ZodType): string[] {
  const { properties } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" })
  return Object.keys(properties ?? {})
}

function first(path: string): string {
  return path.split(".")[0] ?? ""
}

function shown(value: unknown): string {
  return typeof value === "string"
    ? `"${value.slice(0, 60)}" (${value.length} characters)`
    : String(JSON.stringify(value, (_, part: unknown) => (Array.isArray(part) ? part.slice(0, 3) : part))).slice(0, 80)
}
