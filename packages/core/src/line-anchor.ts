/** A line as it was when somebody commented on it, with the lines around it. */
export interface LineAnchor {
  readonly line: number
  readonly text: string
  readonly above: readonly string[]
  readonly below: readonly string[]
}

/** How many lines on either side tell one occurrence of a line from another. */
export const AROUND = 2
const MOST_DRIFT = 400

/** Takes down a line of a text, counted from one; nothing where there is no such line. */
export function anchorAt(lines: ReadonlyMap<number, string>, line: number): LineAnchor | undefined {
  const text = lines.get(line)
  if (text === undefined) return undefined
  const near = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => lines.get(from + at)).filter((other) => other !== undefined)
  return { line, text, above: near(line - AROUND, line - 1), below: near(line + 1, line + AROUND) }
}

/**
 * Where the line stands in a later version: the occurrence with most of its neighbours, the nearest of several. Nothing where it is
 * gone. A line that says next to nothing, such as a brace, is found again only among its neighbours.
 */
export function lineOf(anchor: LineAnchor, lines: ReadonlyMap<number, string>): number | undefined {
  let best: { line: number; score: number } | undefined
  for (const [line, text] of lines) {
    if (text !== anchor.text) continue
    const drift = Math.abs(line - anchor.line)
    const kept = neighbours(anchor, lines, line)
    if (kept === 0 && (drift > MOST_DRIFT || isSlight(text))) continue
    const score = kept * MOST_DRIFT - Math.min(drift, MOST_DRIFT - 1)
    if (best === undefined || score > best.score) best = { line, score }
  }
  return best?.line
}

function neighbours(anchor: LineAnchor, lines: ReadonlyMap<number, string>, line: number): number {
  // What stands right beside it says more than what is further off.
  const weigh = (texts: readonly string[], step: number) =>
    texts.reduce((sum, text, at) => sum + (lines.get(line + step * (at + 1)) === text ? AROUND - at : 0), 0)
  return weigh(anchor.above.toReversed(), -1) + weigh(anchor.below, 1)
}

function isSlight(text: string): boolean {
  return text.replaceAll(/[\s{}()[\];,]/g, "").length < 3
}
