const MAX_TERMS = 12

/** The words of a query, each once. A quoted part is one word. */
export function searchTerms(query: string): string[] {
  const found = [...query.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, bare]) =>
    (quoted ?? bare ?? "").replace(/"/g, "").trim(),
  )
  return [...new Set(found.filter((term) => term !== ""))].slice(0, MAX_TERMS)
}

/** Where in a text the words stand, with some text around the first of them; the beginning when none does. */
export function snippet(text: string, terms: readonly string[], length = 160): string {
  const plain = text.replace(/\s+/g, " ").trim()
  const lower = plain.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term.toLowerCase())).filter((place) => place >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const start = first < length / 2 ? 0 : wholeCharacter(plain, first - Math.floor(length / 3))
  const end = wholeCharacter(plain, Math.min(plain.length, start + length))
  return `${start > 0 ? "…" : ""}${plain.slice(start, end).trim()}${end < plain.length ? "…" : ""}`
}

/** The nearest place not inside a surrogate pair. */
function wholeCharacter(text: string, place: number): number {
  const code = text.charCodeAt(place)
  return code >= 0xdc00 && code <= 0xdfff ? place + 1 : place
}
