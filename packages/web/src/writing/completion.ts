/** What is being typed after a mark, at the caret. */
export interface Asked {
  /** `@` is for people and agents, `#` for tasks, ideas, proposals and documents. */
  readonly mark: "@" | "#"
  readonly query: string
  /** Where the mark stands. */
  readonly from: number
  readonly to: number
}

/** Undefined when nobody is about to be mentioned and nothing to be linked. */
export function askedAt(text: string, caret: number): Asked | undefined {
  const match = /(?:^|[\s(（，。])(?:(@)([\p{L}\p{N}_.-]{0,40})|(#)([\p{L}\p{N}_.-]{2,60}))$/u.exec(
    text.slice(0, caret),
  )
  if (match === null) return undefined
  const query = match[2] ?? match[4] ?? ""
  return { mark: match[1] === "@" ? "@" : "#", query, from: caret - query.length - 1, to: caret }
}

/** The text with what was chosen put in, and where the caret goes. */
export function withChosen(
  text: string,
  { from, to }: Pick<Asked, "from" | "to">,
  chosen: string,
): { readonly text: string; readonly caret: number } {
  const put = `${chosen} `
  return { text: text.slice(0, from) + put + text.slice(to).replace(/^ /, ""), caret: from + put.length }
}
