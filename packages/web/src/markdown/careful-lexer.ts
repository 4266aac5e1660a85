import { Lexer, type Token, Tokenizer, type Tokens } from "marked"
import { linkLength } from "./link-length.ts"

/** A stretch of text with more signs than this that could begin something is no prose; it is shown as it stands. */
const MOST_SIGNS = 400
const LONGEST_STRETCH = 20_000
/** Emphasis that was begun and not ended this often in one stretch is looked for no further. */
const MOST_UNENDED = 40
/** Deeper than this no quote or list is written by hand. */
const DEEPEST_LINE = 40

/**
 * The tokens of a Markdown text that somebody may have written to hold the page up. The library looks for the end of a link, of
 * emphasis and of a nested block by trying; text in which nothing ever ends makes it try for hours.
 */
export function carefulTokens(source: string): readonly Token[] {
  if (isTooDeep(source)) return asItStands(source)
  try {
    return new CarefulLexer({ gfm: true, tokenizer: new CarefulTokenizer() }).lex(source)
  } catch {
    return asItStands(source)
  }
}

class CarefulLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= LONGEST_STRETCH && !isDense(src)) return super.inlineTokens(src, tokens)
    tokens.push({ type: "text", raw: src, text: src, escaped: false })
    return tokens
  }
}

class CarefulTokenizer extends Tokenizer {
  #stretch = ""
  #unended = 0

  override emStrong(src: string, maskedSrc: string, prevChar?: string): Tokens.Em | Tokens.Strong | undefined {
    if (this.#stretch !== maskedSrc) {
      this.#stretch = maskedSrc
      this.#unended = 0
    }
    if (this.#unended > MOST_UNENDED) return undefined
    const found = super.emStrong(src, maskedSrc, prevChar)
    if (found === undefined && /^[*_]+[^\s*_]/.test(src)) this.#unended++
    return found
  }

  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    const length = linkLength(src)
    return length === undefined ? undefined : super.link(src.slice(0, length))
  }
}

function isDense(text: string): boolean {
  let signs = 0
  for (let at = 0; at < text.length && signs <= MOST_SIGNS; at++) if (SIGNS.has(text.charCodeAt(at))) signs++
  return signs > MOST_SIGNS
}

const SIGNS = new Set([..."[!*_~`<\\&@"].map((sign) => sign.charCodeAt(0)))

function isTooDeep(source: string): boolean {
  return NESTED_LINE.test(source)
}

/** A line that opens many quotes and lists one in the other. Each space belongs to one place only, or looking would take forever. */
const NESTED_LINE = new RegExp(`^(?:[ \\t]{0,9}(?:>|[-*+]|\\d{1,9}[.)])){${DEEPEST_LINE},}`, "m")

/** In pieces that the browser lays out one by one as they come into view. */
export function asItStands(source: string): readonly Token[] {
  const pieces = source.match(/[^]{1,4000}(?:\n|$)|[^]{1,4000}/g) ?? []
  return pieces.map((raw) => ({ type: "html", raw, text: raw, pre: false, block: true }) satisfies Tokens.HTML)
}
