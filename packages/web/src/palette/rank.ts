/** How well words fit a name: 0 not at all, more when they begin it or begin words of it. */
export function fit(query: string, name: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const text = name.toLowerCase()
  let score = 1
  for (const word of words) {
    const at = text.indexOf(word)
    if (at < 0) return 0
    score += at === 0 ? 3 : /[\s\-_/]/.test(text[at - 1] ?? "") ? 2 : 1
  }
  return score
}

/** What fits, best first; in the order given among equals. */
export function ranked<Item extends { readonly label: string }>(query: string, items: readonly Item[]): Item[] {
  return items
    .map((item, order) => ({ item, order, score: fit(query, item.label) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .map(({ item }) => item)
}
