const LONGEST_LABEL = 2000
const LONGEST_ADDRESS = 4000
const LONGEST_TITLE = 1000
const MOST_PARENTHESES = 32

/**
 * How many characters the link or picture takes that a text begins with: `[label](address "title")`. Undefined where there is none.
 * Looks at each character once and gives up early.
 */
export function linkLength(src: string): number | undefined {
  const open = src.startsWith("!") ? 1 : 0
  if (src[open] !== "[") return undefined
  const label = afterLabel(src, open + 1)
  if (label === undefined || src[label] !== "(") return undefined
  const address = afterAddress(src, afterSpace(src, label + 1))
  if (address === undefined) return undefined
  const title = afterTitle(src, afterSpace(src, address))
  const end = afterSpace(src, title)
  return src[end] === ")" ? end + 1 : undefined
}

/** The place after the bracket that closes the label. */
function afterLabel(src: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < src.length && at - from < LONGEST_LABEL; at++) {
    const sign = src[at]
    if (sign === "\\") at++
    else if (sign === "`") at = afterCode(src, at)
    else if (sign === "[") depth++
    else if (sign === "]" && --depth === 0) return at + 1
  }
  return undefined
}

/** The last character of the code that begins here, in which brackets do not count; the sign itself where it does not end. */
function afterCode(src: string, from: number): number {
  const fence = /^`+/.exec(src.slice(from, from + 100))?.[0] ?? "`"
  const end = src.slice(0, from + LONGEST_LABEL).indexOf(fence, from + fence.length)
  return end === -1 ? from + fence.length - 1 : end + fence.length - 1
}

function afterAddress(src: string, from: number): number | undefined {
  const most = Math.min(src.length, from + LONGEST_ADDRESS)
  if (src[from] === "<") {
    for (let at = from + 1; at < most; at++) {
      if (src[at] === ">") return at + 1
      if (src[at] === "<" || src[at] === "\n") return undefined
      if (src[at] === "\\") at++
    }
    return undefined
  }
  let depth = 0
  for (let at = from; at < most; at++) {
    const sign = src[at] ?? ""
    if (sign <= " " || (sign === ")" && depth === 0)) return at
    if (sign === "\\") at++
    else if (sign === "(" && ++depth > MOST_PARENTHESES) return undefined
    else if (sign === ")") depth--
  }
  return undefined
}

/** The place after a title, or the same place where there is none. */
function afterTitle(src: string, from: number): number {
  const quote = src[from] ?? ""
  const close = quote === "(" ? ")" : quote
  if (!/["'(]/.test(quote)) return from
  const most = Math.min(src.length, from + LONGEST_TITLE)
  for (let at = from + 1; at < most; at++) {
    if (src[at] === "\\") at++
    else if (src[at] === close) return at + 1
  }
  return from
}

function afterSpace(src: string, from: number): number {
  let at = from
  while (at < src.length && at - from < 100 && /[ \t\n]/.test(src[at] ?? "")) at++
  return at
}
