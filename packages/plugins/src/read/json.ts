import { parseTree, findNodeAtLocation, type Node } from "jsonc-parser"

export type JsonObject = { readonly [key: string]: unknown }
export type JsonPath = readonly (string | number)[]

export interface JsonText {
  readonly text: string
  readonly value: unknown
  /** The parser's words when the text is not JSON; then `value` is undefined. */
  readonly fault: string | undefined
}

/** Parses strict JSON. A byte order mark is dropped only where the reader of that file drops it. */
export function parseJson(text: string, options: { bom: "accept" | "refuse" } = { bom: "accept" }): JsonText {
  const body = options.bom === "accept" && text.startsWith("\uFEFF") ? text.slice(1) : text
  try {
    return { text, value: JSON.parse(body) as unknown, fault: undefined }
  } catch (error) {
    return { text, value: undefined, fault: error instanceof Error ? error.message : String(error) }
  }
}

/** A plain object and nothing else. `__proto__` arrives as an own key from JSON.parse, so reading by `Object.entries` is inert. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** An own property, never one from the prototype (`constructor`, `toString`). */
export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}

export function isStringMap(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((item) => typeof item === "string")
}

/** What people call the type of a JSON value. */
export function typeName(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}

/** Line (from 1) of the value at `path`, or of its nearest ancestor that is there. */
export function lineOf(text: string, path: JsonPath): number | undefined {
  const tree = treeOf(text)
  if (tree === undefined) return undefined
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, depth))
    if (node !== undefined) return lineAt(text, node.parent?.type === "property" ? node.parent.offset : node.offset)
  }
  return undefined
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line += 1
  return line
}

/** `plugins[0].source`, the way a person would write it. */
export function formatPath(path: JsonPath): string {
  return path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("")
}

let last: { text: string; tree: Node | undefined } | undefined
/** One file has many findings in a row: the tree of the last text is kept. */
function treeOf(text: string): Node | undefined {
  if (last?.text !== text) last = { text, tree: text.length > 5_000_000 ? undefined : parseTree(text) }
  return last.tree
}
