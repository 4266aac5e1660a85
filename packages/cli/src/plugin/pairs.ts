import { ChorusError } from "@chorus/contracts"

/** `key=value` pairs; a key given twice becomes a list. */
export function parsePairs(pairs: readonly string[]): Record<string, unknown> {
  const values = new Map<string, string[]>()
  for (const pair of pairs) {
    const at = pair.indexOf("=")
    if (at < 1)
      throw new ChorusError("config_invalid", `"${pair}" is not key=value.`, { next: "Write --config key=value." })
    const key = pair.slice(0, at)
    values.set(key, [...(values.get(key) ?? []), pair.slice(at + 1)])
  }
  return Object.fromEntries([...values].map(([key, list]) => [key, list.length === 1 ? list[0] : list]))
}
