export type Span = readonly [from: number, to: number]

const WORDS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu
const MOST_WORDS = 300
const LEAST_ALIKE = 0.3

/** Which parts of two lines differ; none where the lines have too little in common for that to help. */
export function wordDiff(before: string, after: string): readonly [readonly Span[], readonly Span[]] | undefined {
  const [old, now] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []]
  if (old.length > MOST_WORDS || now.length > MOST_WORDS) return undefined
  const kept = common(old, now)
  const letters = kept.reduce((sum, [at]) => sum + (old[at]?.trim().length ?? 0), 0)
  const all = Math.max(before.replaceAll(/\s/g, "").length, after.replaceAll(/\s/g, "").length)
  if (all === 0 || letters / all < LEAST_ALIKE) return undefined
  return [
    changed(
      old,
      kept.map(([at]) => at),
    ),
    changed(
      now,
      kept.map(([, at]) => at),
    ),
  ]
}

/** The longest common subsequence, as pairs of places. */
export function common(old: readonly string[], now: readonly string[]): [number, number][] {
  const width = now.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        old[i] === now[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < old.length && j < now.length;) {
    if (old[i] === now[j]) pairs.push([i++, j++])
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return pairs
}

/** What is not kept, as stretches of the line; those that touch are one. */
function changed(words: readonly string[], kept: readonly number[]): Span[] {
  const stay = new Set(kept)
  const spans: [number, number][] = []
  let at = 0
  words.forEach((word, place) => {
    const last = spans.at(-1)
    if (!stay.has(place)) {
      if (last?.[1] === at) last[1] = at + word.length
      else spans.push([at, at + word.length])
    }
    at += word.length
  })
  return spans
}
