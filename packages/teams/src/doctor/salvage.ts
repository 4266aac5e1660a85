import { TeamInboxEntry } from "@chorus/contracts"

/** After this many pieces that do not end, looking on costs more than it finds. */
const MOST_RUINS = 100

/**
 * The whole objects in the text of a damaged inbox, in order. A piece that was cut off is left out, wherever it stands: the search
 * goes on at the next bracket after its start, and there only a message counts, as anything else may be a part of the piece.
 */
export function wholeObjects(text: string): unknown[] {
  const found: unknown[] = []
  let ruins = 0
  let inRuin = false
  for (let start = text.indexOf("{"); start >= 0 && ruins < MOST_RUINS;) {
    const end = endOf(text, start)
    const value = end === undefined ? undefined : parsed(text.slice(start, end))
    if (value === undefined) ruins++
    inRuin = value === undefined || (inRuin && !TeamInboxEntry.safeParse(value).success)
    if (!inRuin) found.push(value)
    start = text.indexOf("{", value === undefined ? start + 1 : end)
  }
  return found
}

/** Where the object that starts here ends; undefined when the text ends before it. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const letter = text[at]
    if (quoted) {
      if (letter === "\\") at++
      else if (letter === '"') quoted = false
      continue
    }
    if (letter === '"') quoted = true
    if (letter === "{") depth++
    if (letter === "}" && --depth === 0) return at + 1
  }
  return undefined
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}
