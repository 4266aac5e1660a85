const SHOWN_MS = 600
const moves = new Map<string, number>()

/** Remembers that a card has just come into another column, so that it is seen to arrive. */
export function rememberMove(uuid: string): void {
  const now = performance.now()
  for (const [old, at] of moves) if (now - at > SHOWN_MS) moves.delete(old)
  moves.set(uuid, now)
}

export function hasJustMoved(uuid: string): boolean {
  const at = moves.get(uuid)
  return at !== undefined && performance.now() - at < SHOWN_MS
}
