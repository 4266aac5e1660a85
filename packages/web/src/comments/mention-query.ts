export interface MentionQuery {
  readonly query: string
  /** Where the `@` stands. */
  readonly from: number
  readonly to: number
}

/** What is being typed after an `@`, at the caret; undefined when nobody is about to be mentioned. */
export function mentionQuery(text: string, caret: number): MentionQuery | undefined {
  const match = /(?:^|[\s(（，。])@([\p{L}\p{N}_.-]{0,40})$/u.exec(text.slice(0, caret))
  if (match?.[1] === undefined) return undefined
  return { query: match[1], from: caret - match[1].length - 1, to: caret }
}

/** The text with the mention put in, and where the caret goes. */
export function withMention(
  text: string,
  { from, to }: MentionQuery,
  mention: string,
): { readonly text: string; readonly caret: number } {
  const put = `${mention} `
  return { text: text.slice(0, from) + put + text.slice(to).replace(/^ /, ""), caret: from + put.length }
}
