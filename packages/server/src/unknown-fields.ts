import { ChorusError } from "@chorus/contracts"
import { z } from "zod"
import { issuesOf } from "./operation.ts"

/** A field that a schema does not know, where it stood, and which it may have been meant to be. */
export interface UnknownField {
  readonly path: string
  readonly nearest: string | undefined
  readonly known: readonly string[]
}

/** Every field of an input that its schema does not know, at any depth. What would be ignored in silence is thus refused by name. */
export function unknownFields(schema: z.core.$ZodType, value: unknown, path = ""): UnknownField[] {
  const type = schema as z.core.$ZodTypes
  const { def } = type._zod
  switch (def.type) {
    case "object":
      return isRecord(value) ? unknownOfObject(def, value, path) : []
    case "array":
      return Array.isArray(value)
        ? value.flatMap((item, index) => unknownFields(def.element, item, within(path, index)))
        : []
    case "record":
      return isRecord(value)
        ? Object.entries(value).flatMap(([name, item]) => unknownFields(def.valueType, item, within(path, name)))
        : []
    case "union":
      return fewest(def.options.filter((option) => fits(option, value)).map((o) => unknownFields(o, value, path)))
    case "pipe":
      return unknownOfPipe(def, value, path)
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "catch":
    case "readonly":
      return unknownFields(def.innerType, value, path)
    default:
      return []
  }
}

export function unknownField(
  operation: string,
  unknown: readonly UnknownField[],
  alsoWrong: z.ZodError | undefined,
): ChorusError {
  const named = unknown
    .slice(0, 10)
    .map(({ path, nearest }) => `"${path}"${nearest === undefined ? "" : ` (did you mean "${nearest}"?)`}`)
  const known = unknown[0]?.known ?? []
  const issues = alsoWrong === undefined ? undefined : issuesOf(alsoWrong)
  return new ChorusError(
    "unknown_field",
    `${operation} takes no field ${named.join(", ")}.${issues === undefined ? "" : ` Also: ${issues.text}.`}`,
    {
      status: 400,
      next: `Correct or leave out what is named; ${known.length === 0 ? "it takes no fields" : `it takes ${known.join(", ")}`}. Nothing was changed.`,
      details: {
        unknown: unknown.slice(0, 20).map(({ path, nearest = null }) => ({ path, nearest })),
        ...(issues === undefined ? {} : { issues: issues.issues }),
      },
    },
  )
}

function unknownOfObject(def: z.core.$ZodObjectDef, value: Record<string, unknown>, path: string): UnknownField[] {
  const known = Object.keys(def.shape)
  return Object.entries(value).flatMap(([name, item]) => {
    const field = Object.hasOwn(def.shape, name) ? def.shape[name] : def.catchall
    if (field !== undefined) return unknownFields(field, item, within(path, name))
    return item === undefined ? [] : [{ path: within(path, name), nearest: nearestOf(name, def.shape, value), known }]
  })
}

/** What is rewritten before it is read is judged as rewritten: that is how names of the early contract are taken. */
function unknownOfPipe(def: z.core.$ZodPipeDef, value: unknown, path: string): UnknownField[] {
  const first = (def.in as z.core.$ZodTypes)._zod.def
  if (first.type !== "transform") return unknownFields(def.in, value, path)
  const rewritten: unknown = first.transform(value, { value, issues: [] })
  return unknownFields(def.out, rewritten, path)
}

function fits(schema: z.core.$ZodType, value: unknown): boolean {
  return z.safeParse(schema, value).success
}

function fewest(choices: readonly UnknownField[][]): UnknownField[] {
  return choices.toSorted((a, b) => a.length - b.length)[0] ?? []
}

function within(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * The known name that is most like the wrong one; a name that is a value of a known field (`archived` of `status`) means
 * that field, and one that is like none means the only one that is missing.
 */
function nearestOf(name: string, shape: z.core.$ZodShape, value: Record<string, unknown>): string | undefined {
  const [best] = Object.entries(shape)
    .map(([field, schema]) => {
      const like = [field, ...choicesOf(schema)].map((each) => likeness(name.toLowerCase(), each.toLowerCase()))
      return { field, likeness: Math.max(...like) }
    })
    .toSorted((a, b) => b.likeness - a.likeness)
  if (best !== undefined && best.likeness >= 0.6) return best.field
  const missing = Object.keys(shape).filter((field) => shape[field]?._zod.optin === undefined && !(field in value))
  if (missing.length === 1) return missing[0]
  return best !== undefined && best.likeness >= 0.4 ? best.field : undefined
}

function choicesOf(schema: z.core.$ZodType): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === "enum") return Object.keys(def.entries)
  return "innerType" in def ? choicesOf(def.innerType) : []
}

/** Shared pairs of letters against all pairs (Dice), which minds neither order nor length as much as an edit distance does. */
function likeness(one: string, other: string): number {
  if (one === other) return 1
  const [left, right] = [pairs(one), pairs(other)]
  if (left.length === 0 || right.length === 0) return 0
  const rest = [...right]
  const shared = left.filter((pair) => {
    const at = rest.indexOf(pair)
    if (at >= 0) rest.splice(at, 1)
    return at >= 0
  }).length
  const alike = (2 * shared) / (left.length + right.length)
  return other.startsWith(one) || one.startsWith(other) ? Math.max(alike, 0.5) : alike
}

function pairs(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2))
}

/** What a wrong word was most likely meant to be, of those there are. */
export function likest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, likeness: likeness(word.toLowerCase(), each.toLowerCase()) }))
    .toSorted((a, b) => b.likeness - a.likeness)
  return best !== undefined && best.likeness >= 0.6 ? best.each : undefined
}
