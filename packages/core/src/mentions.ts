export interface Mention {
  readonly type: "user" | "agent"
  readonly uuid: string
}

const MENTION = /@\[[^\]\n]{1,200}\]\((user|agent):([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)/gi

/** Whom a text mentions, each once, in order. What stands in code is quoted, not said. */
export function mentionsIn(text: string): Mention[] {
  const found = new Map<string, Mention>()
  for (const [, type = "", id = ""] of withoutCode(text).matchAll(MENTION)) {
    const uuid = id.toLowerCase()
    if (!found.has(uuid)) found.set(uuid, { type: type.toLowerCase() === "user" ? "user" : "agent", uuid })
  }
  return [...found.values()]
}

/** Somebody who can be called by a plain `@name`. */
export interface Named extends Mention {
  readonly name: string
}

/** Whom a text calls by name, as people write it: `@Olive`, `@Ada Lovelace`. The longest name that fits is meant. */
export function namedIn(text: string, known: readonly Named[]): Mention[] {
  const said = withoutCode(text)
  const found = new Map<string, Mention>()
  for (const { index } of said.matchAll(/(?<![\p{L}\p{N}_@/.])@(?=[\p{L}\p{N}])/gu)) {
    const rest = said.slice(index + 1).toLowerCase()
    const meant = known
      .filter(({ name }) => rest.startsWith(name.toLowerCase()) && !/^[\p{L}\p{N}_]/u.test(rest.slice(name.length)))
      .toSorted((one, other) => other.name.length - one.name.length)[0]
    if (meant !== undefined) found.set(meant.uuid, { type: meant.type, uuid: meant.uuid })
  }
  return [...found.values()]
}

/** The first words of a text, for a preview: one line without Markdown's marks, cut at a word where one is near. */
export function preview(text: string, length = 160): string {
  const plain = plainWords(text.slice(0, length * 20))
  const points = [...plain]
  if (points.length <= length) return plain
  const cut = points.slice(0, length).join("")
  const space = cut.lastIndexOf(" ")
  return `${(space > cut.length * 0.6 ? cut.slice(0, space) : cut).trimEnd()}…`
}

/** What a text says, in one line: mentions, links and pictures by their names, without the marks that shape it. */
function plainWords(text: string): string {
  return text
    .replace(/^[ \t]*(?:```|~~~).*$/gm, "")
    .replace(/^[ \t]*(?:(?:#{1,6}|>|[-*+]|\d{1,4}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?/gm, "")
    .replace(/!?\[([^\][\n]{0,200})\]\([^()\s]{1,500}\)/g, "$1")
    .replace(/(\*\*|__|~~)(?=\S)([^\n]{1,500}?)(?<=\S)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^\n*_]{1,500}?)(?<=\S)\1(?![\p{L}\p{N}*_])/gu, "$2")
    .replace(/`+([^`\n]{1,500})`+/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
}

/** Line by line and run by run, so that no text can make it slow. */
function withoutCode(text: string): string {
  let fence: string | undefined
  const said: string[] = []
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark === fence) fence = undefined
      continue
    }
    if (mark === undefined) said.push(withoutInlineCode(line))
    else fence = mark
  }
  return said.join("\n")
}

/** A run of backticks opens code that the next run of the same length closes. */
function withoutInlineCode(line: string): string {
  if (!line.includes("`")) return line
  const runs = [...line.matchAll(/`+/g)].map((match) => ({ start: match.index, end: match.index + match[0].length }))
  const closing = new Map<number, number>()
  const closes = runs.map(() => -1)
  for (const [back, run] of runs.toReversed().entries()) {
    const index = runs.length - 1 - back
    closes[index] = closing.get(run.end - run.start) ?? -1
    closing.set(run.end - run.start, index)
  }
  let kept = ""
  let from = 0
  for (let index = 0; index < runs.length; index++) {
    const close = runs[closes[index] ?? -1]
    const open = runs[index]
    if (open === undefined || close === undefined) continue
    kept += line.slice(from, open.start)
    from = close.end
    index = closes[index] ?? index
  }
  return kept + line.slice(from)
}
