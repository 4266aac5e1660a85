import { isObject, type JsonObject, own } from "./files.ts"

/** The folder of a relative source, from the marketplace's root. */
export function sourceFolder(source: string, pluginRoot: unknown): string {
  if (source.startsWith("./") || source === ".") return source
  return typeof pluginRoot === "string" ? `${pluginRoot.replace(/\/+$/, "")}/${source}` : source
}

export type Rename =
  | { readonly kind: "to"; readonly name: string }
  | { readonly kind: "gone" }
  | { readonly kind: "broken"; readonly why: "cycle" | "target-missing" }

/** Follows `renames` from a name to what it is called today. Undefined when the name was never renamed. */
export function followRename(renames: JsonObject, name: string, live: ReadonlySet<string>): Rename | undefined {
  const seen = new Set<string>()
  let current = name
  while (Object.hasOwn(renames, current)) {
    if (seen.has(current)) return { kind: "broken", why: "cycle" }
    seen.add(current)
    const next = renames[current]
    if (next === null) return { kind: "gone" }
    if (typeof next !== "string") return { kind: "broken", why: "target-missing" }
    current = next
  }
  if (seen.size === 0) return undefined
  return live.has(current) ? { kind: "to", name: current } : { kind: "broken", why: "target-missing" }
}

export function* brokenRenames(
  renames: JsonObject,
  live: ReadonlySet<string>,
): Generator<[string, "cycle" | "target-missing"]> {
  for (const name of Object.keys(renames)) {
    const end = followRename(renames, name, live)
    if (end?.kind === "broken") yield [name, end.why]
  }
}

/** A field that is text, or undefined. */
export function stringField(object: JsonObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === "string" ? value : undefined
}

export function objectField(object: JsonObject, key: string): JsonObject {
  const value = own(object, key)
  return isObject(value) ? value : {}
}
