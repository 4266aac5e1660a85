export const HUES = 8

/** One of the eight hues, always the same for the same session or agent. */
export function hueOf(uuid: string): number {
  return hashOf(uuid) % HUES
}

/** A number that is always the same for the same text, and spread evenly (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 2_166_136_261
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return hash >>> 0
}

/** The first letters of up to two words; whole characters, also of scripts without words. */
export function initials(name: string): string {
  const words = name
    .trim()
    .split(/[\s_-]+/)
    .filter(Boolean)
  const first = words.slice(0, 2).map((word) => [...word][0] ?? "")
  return first.join("").toUpperCase() || "?"
}
