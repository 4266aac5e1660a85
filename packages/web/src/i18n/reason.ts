import { filled } from "./language.ts"
import { reasonsEn } from "./reasons.en.ts"
import type { Written } from "./written.ts"

const REASONS = (Object.keys(reasonsEn) as (keyof typeof reasonsEn)[]).map(
  (key) => [key, sentence(reasonsEn[key])] as const,
)

/**
 * Why something is as it is, in the reader's language. Servers and machines write it in English, in which everything
 * but names is known; what is not known is shown as it was written.
 */
export function reasonIn(written: Written | undefined, reason: string): string {
  if (written === undefined) return reason
  for (const [key, pattern] of REASONS) {
    const found = pattern.exec(reason)
    if (found === null) continue
    const parts = Object.entries(found.groups ?? {}).map(([name, words]) => [name, reasonIn(written, words)])
    return filled(written[key], Object.fromEntries(parts))
  }
  return reason
}

/** Matches a whole text written after a template, its gaps by name; what is known of a gap stands there literally. */
export function sentence(template: string, known: Readonly<Record<string, string>> = {}, end = ""): RegExp {
  const seen = new Set<string>()
  const parts = template.split(/\{(\w+)\}/).map((part, at) => {
    const literal = at % 2 === 0 ? part : known[part]
    if (literal !== undefined) return literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    if (seen.has(part)) return `\\k<${part}>`
    seen.add(part)
    return `(?<${part}>.+?)`
  })
  return new RegExp(`^${parts.join("")}${end}$`, "s")
}
