/** What is longer than this nobody reads before saying yes; the contract's own, which the listener does not load. */
const ASKS_LIMIT = 4000
const MAX_WORDS = 200
const THINKING = /<thinking>[\s\S]*?(?:<\/thinking>|$)/g
// Control characters and the marks that reorder text: what is shown in a terminal must not steer it.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** One printable line of at most `limit` characters, or nothing when there is nothing to say. */
export function oneLine(value: unknown, limit = MAX_WORDS): string | undefined {
  if (typeof value !== "string") return undefined
  const text = value
    .slice(0, limit * 20)
    .replace(UNPRINTABLE, " ")
    .replace(/\s+/g, " ")
    .trim()
  if (text === "") return undefined
  const letters = Array.from(text)
  return letters.length > limit ? `${letters.slice(0, limit - 1).join("")}…` : text
}

/**
 * All of a text, with its lines, or nothing when it is longer than anybody reads: of what a person allows no letter may
 * be hidden. What would steer a terminal or reorder the text is shown as a mark.
 */
export function wholeText(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "" || value.length > ASKS_LIMIT) return undefined
  return value.replace(UNPRINTABLE, (hidden) => hidden.replace(/[^\n\t]/gu, "\ufffd"))
}

/** The agent's last words as a summary: thinking taken out, at most 200 characters. */
export function summaryOf(value: unknown): string | undefined {
  return typeof value === "string" ? oneLine(value.replace(THINKING, " ")) : undefined
}

/** A prompt as a title; slash commands and text that programs put in are no titles. */
export function titleFromPrompt(value: unknown): string | undefined {
  const text = oneLine(value, 80)
  return text === undefined || text.startsWith("/") || text.startsWith("<") ? undefined : text
}
