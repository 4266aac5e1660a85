import { ChorusError } from "@chorus/contracts"
import { isObject, own, type JsonObject } from "../read/json.ts"
import { isIdPart } from "../validate/name-check.ts"

export interface PluginId {
  readonly name: string
  readonly marketplace: string
}

export function formatId(id: PluginId): string {
  return `${id.name}@${id.marketplace}`
}

/** Reads `name@marketplace`. */
export function parseId(text: string): PluginId {
  const at = text.lastIndexOf("@")
  const [name, marketplace] = [text.slice(0, at), text.slice(at + 1)]
  if (at > 0 && isIdPart(name) && isIdPart(marketplace)) return { name, marketplace }
  throw new ChorusError("invalid_id", `"${text}" is not a plugin: it is called name@marketplace.`, {
    next: "Run chorus plugin list --available.",
  })
}

/** What a plugin needs, as one of its declarations says it. */
export interface Dependency extends PluginId {
  readonly range: string | undefined
}

/** The dependencies of a manifest or entry. A bare name means the marketplace of the one that declares it. */
export function dependenciesIn(data: JsonObject, marketplace: string): Dependency[] {
  const list = own(data, "dependencies")
  return (Array.isArray(list) ? list : []).flatMap((item) => dependencyOf(item, marketplace))
}

function dependencyOf(item: unknown, marketplace: string): Dependency[] {
  if (isObject(item) && typeof item["name"] === "string") {
    const range = typeof item["version"] === "string" && item["version"] !== "" ? item["version"] : undefined
    return [
      {
        name: item["name"],
        marketplace: typeof item["marketplace"] === "string" ? item["marketplace"] : marketplace,
        range,
      },
    ]
  }
  if (typeof item !== "string") return []
  const [name, second, third] = item.split("@")
  if (name === undefined || name === "") return []
  const isRange = second !== undefined && !isIdPart(second)
  const range = isRange ? second : third
  return [
    {
      name,
      marketplace: second === undefined || isRange ? marketplace : second,
      range: range === "" ? undefined : range,
    },
  ]
}
