import { parseDocument } from "yaml"
import { isObject, type JsonObject } from "./files.ts"

export type Frontmatter =
  | { readonly kind: "none" }
  | { readonly kind: "broken"; readonly fault: string }
  | { readonly kind: "not-a-mapping"; readonly got: string }
  | { readonly kind: "fields"; readonly fields: JsonObject; readonly body: string }

/**
 * Reads the block between `---` lines at the very top, as leniently as Claude Code does: a value that is not YAML
 * (`description: Use when: x`) is read as plain text, and tabs may indent.
 */
export function readFrontmatter(text: string): Frontmatter {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(text)
  if (match === null || match.index !== 0) return { kind: "none" }
  const block = match[1] ?? ""
  const body = text.slice(match[0].length)
  const spaced = untabbed(block)
  let parsed = parse(block)
  if (parsed.fault !== undefined && spaced !== block) parsed = parse(spaced)
  if (parsed.fault !== undefined) parsed = parse(quoted(spaced))
  if (parsed.fault !== undefined) return { kind: "broken", fault: parsed.fault }
  if (parsed.value === null || parsed.value === undefined) return { kind: "fields", fields: {}, body }
  if (!isObject(parsed.value))
    return { kind: "not-a-mapping", got: Array.isArray(parsed.value) ? "array" : typeof parsed.value }
  return { kind: "fields", fields: parsed.value, body }
}

const PLAIN_LINE = /^([A-Za-z_][\w-]*): ([A-Za-z][^:#[\]{}&*!|>'"%@`\\,\t]*)$/
const NOT_TEXT = /^(true|false|yes|no|on|off|y|n|null)$/i

/** Front matter of nothing but plain `key: words` lines needs no YAML reader, and most is just that. */
function parsePlain(block: string): JsonObject | undefined {
  const fields: [string, string][] = []
  for (const line of block.split(/\r?\n/)) {
    const pair = PLAIN_LINE.exec(line)
    const [key, value] = [pair?.[1], pair?.[2]?.trimEnd()]
    if (key === undefined || value === undefined || NOT_TEXT.test(value)) return undefined
    fields.push([key, value])
  }
  return Object.fromEntries(fields)
}

function parse(block: string): { value: unknown; fault: string | undefined } {
  const plain = parsePlain(block)
  if (plain !== undefined) return { value: plain, fault: undefined }
  try {
    const document = parseDocument(block, { uniqueKeys: false, logLevel: "silent", strict: false })
    const fault = document.errors[0]?.message
    if (fault !== undefined) return { value: undefined, fault: fault.split("\n")[0] ?? fault }
    return { value: document.toJS({ maxAliasCount: 50 }) as unknown, fault: undefined }
  } catch (error) {
    return { value: undefined, fault: error instanceof Error ? error.message : String(error) }
  }
}

/** Tabs before a line become spaces; inside block text and lists in brackets they are a fault for Claude Code too. */
function untabbed(block: string): string {
  let isOpen = false
  const lines = block.split(/\r?\n/).map((line) => {
    if (/^\S/.test(line)) isOpen = /:[ \t]+([|>][+-]?\d*|[[{].*)$/.test(line)
    return isOpen ? line : line.replace(/^[ \t]+/, (indent) => indent.replaceAll("\t", "  "))
  })
  return lines.join("\n")
}

/** Puts every plain one-line value in quotes, so that colons and brackets inside it are just text. A quote that never ends stays a fault. */
function quoted(block: string): string {
  return block
    .split(/\r?\n/)
    .map((line) => {
      const pair = /^([A-Za-z_][\w-]*):[ \t]+(\S.*?)[ \t]*$/.exec(line)
      const value = pair?.[2]
      if (pair === null || value === undefined || /^("[^"]*"?$|'|[|>][+-]?\d*$|- )/.test(value)) return line
      return `${pair[1]}: ${JSON.stringify(value)}`
    })
    .join("\n")
}
