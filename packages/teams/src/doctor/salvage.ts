/** The whole objects in the text of a damaged JSON array, in order. A piece that was cut off is left out. */
export function wholeObjects(text: string): unknown[] {
  const found: unknown[] = []
  let depth = 0
  let start = -1
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (quoted) {
      if (letter === "\\") at++
      else if (letter === '"') quoted = false
      continue
    }
    if (letter === '"') quoted = true
    if (letter === "{" && depth++ === 0) start = at
    if (letter === "}" && depth > 0 && --depth === 0) found.push(...parsed(text.slice(start, at + 1)))
  }
  return found
}

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text) as unknown]
  } catch {
    return []
  }
}
