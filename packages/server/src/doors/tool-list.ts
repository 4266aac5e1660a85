import type { Signature } from "@chorus/contracts"
import { meets } from "@chorus/core"
import { z } from "zod"
import type { Actor } from "../operation.ts"
import type { Registry } from "../registry.ts"
import { leanTools, PLAN_TOOLS, REVIEW_TOOLS, UNSAID_FIELDS } from "./lean-profile.ts"

export interface Tool {
  name: string
  description: string
  inputSchema: { type: "object"; [key: string]: unknown }
  annotations: Annotations
}

/** What a program may tell its person of a tool before it is called; models do not see it. */
export interface Annotations {
  title: string
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
}

export type ToolProfile = "full" | "lean" | "plan" | "review"

const PROFILES: readonly string[] = ["lean", "plan", "review"] satisfies readonly ToolProfile[]

/** `/api/mcp?tools=lean`, `plan` or `review`; anything else is the whole list. */
export function toolProfile(text = "full"): ToolProfile {
  return PROFILES.includes(text) ? (text as ToolProfile) : "full"
}

/** Which tools a profile lists; undefined for all that the agent may call. */
function toolsOf(profile: ToolProfile, { permissions }: Actor): ReadonlySet<string> | undefined {
  if (profile === "lean") return leanTools(permissions)
  if (profile === "plan") return PLAN_TOOLS
  return profile === "review" ? REVIEW_TOOLS : undefined
}

/** Tool lists per set of permissions, made once and only when asked for: turning schemas to JSON is most of the cost. */
export class ToolLists {
  readonly #byName = new Map<string, Signature>()
  readonly #tools = new Map<Signature, Tool>()
  readonly #lists = new Map<string, readonly Tool[]>()
  readonly #arrayFields = new Map<Signature, readonly string[]>()
  readonly #signatures: readonly Signature[]

  constructor(registry: Pick<Registry, "signatures">) {
    this.#signatures = registry.signatures()
    for (const signature of this.#signatures)
      for (const name of [signature.name, ...(signature.aliases ?? [])]) this.#byName.set(name, signature)
  }

  for(actor: Actor, profile: ToolProfile = "full"): readonly Tool[] {
    const cacheKey = `${profile}:${actor.type}:${[...actor.permissions].sort().join()}`
    const known = this.#lists.get(cacheKey)
    if (known !== undefined) return known
    const wanted = toolsOf(profile, actor)
    const list = this.#signatures
      .filter(
        ({ tool, needs, listedFor = needs, name }) =>
          tool === "listed" && meets(actor, needs) && meets(actor, listedFor) && wanted?.has(name) !== false,
      )
      .map((signature) => kept(this.#tools, signature, toTool))
      .map((tool) => (wanted === undefined ? tool : lean(tool)))
    this.#lists.set(cacheKey, list)
    return list
  }

  /** Some clients send arrays as JSON text; reads those fields back. */
  unstringify(name: string, input: Record<string, unknown>): Record<string, unknown> {
    const signature = this.#byName.get(name)
    if (signature === undefined || !Object.values(input).some((value) => typeof value === "string")) return input
    const arrays = kept(this.#arrayFields, signature, arrayFieldsOf)
    const fields = arrays.filter((field) => typeof input[field] === "string")
    if (fields.length === 0) return input
    return { ...input, ...Object.fromEntries(fields.map((field) => [field, parsed(String(input[field]))])) }
  }
}

function kept<T>(made: Map<Signature, T>, signature: Signature, make: (signature: Signature) => T): T {
  const known = made.get(signature)
  if (known !== undefined) return known
  const fresh = make(signature)
  made.set(signature, fresh)
  return fresh
}

function toTool(signature: Signature): Tool {
  return {
    name: signature.name,
    description: signature.does,
    inputSchema: { ...(slim(jsonSchema(signature)) as object), type: "object" },
    annotations: annotationsOf(signature),
  }
}

function lean(tool: Tool): Tool {
  const unsaid = UNSAID_FIELDS[tool.name]
  if (unsaid === undefined) return tool
  const properties = Object.entries(tool.inputSchema["properties"] ?? {}).filter(([name]) => !unsaid.includes(name))
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: Object.fromEntries(properties) } }
}

const TAKES_AWAY = /_(delete|remove|revoke)_/
const SAYS_ONCE =
  /_(delete|remove|revoke|claim|reclaim|release|approve|reject|verify|close|reopen|skip)_|_move_idea|_mark_notification|_session_check/

/** From the signature's kind and the verb of its name; what an operation of that name does is held to it by a test. */
function annotationsOf({ name, kind }: Signature): Annotations {
  const readOnlyHint = kind === "read"
  const words = name.replace(/^chorus_(admin_|pm_)?/, "").replaceAll("_", " ")
  return {
    title: words.charAt(0).toUpperCase() + words.slice(1),
    readOnlyHint,
    destructiveHint: !readOnlyHint && TAKES_AWAY.test(name),
    idempotentHint: readOnlyHint || SAYS_ONCE.test(name),
  }
}

/** Limits and patterns are checked here and explained when broken; in the list an agent would pay for them at every start. */
const UNSAID = new Set([
  "pattern",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "additionalProperties",
  "propertyNames",
])

function slim(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(slim)
  if (typeof schema !== "object" || schema === null) return schema
  const said = Object.entries(schema).filter(
    ([keyword, value]) => !UNSAID.has(keyword) && !(keyword === "format" && value === "uuid"),
  )
  return Object.fromEntries(
    said.map(([keyword, value]) => [keyword, keyword === "properties" ? slimProperties(value as object) : slim(value)]),
  )
}

/** A property may be called like a keyword. */
function slimProperties(properties: object): object {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, slim(schema)]))
}

function jsonSchema(signature: Signature): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(signature.input, { io: "input", unrepresentable: "any" })
  return schema
}

function arrayFieldsOf(signature: Signature): string[] {
  const properties = jsonSchema(signature)["properties"] as Record<string, { type?: string }> | undefined
  return Object.entries(properties ?? {})
    .filter(([, property]) => property.type === "array")
    .map(([field]) => field)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
