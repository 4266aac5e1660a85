/** Marks that only a renderer of Markdown wants to see, each with what is left of it. */
const MARKS: readonly (readonly [RegExp, string])[] = [
  [/```[^\n`]*\n?|```/g, " "],
  [/!\[([^\]\n]{0,500})\]\([^)\s]{0,2000}\)/g, "$1"],
  [/@?\[([^\]\n]{1,500})\]\([^)\s]{0,2000}\)/g, "$1"],
  [/^[ \t]{0,3}#{1,6}[ \t]+/gm, ""],
  [/^[ \t]{0,3}>[ \t]?/gm, ""],
  [/^[ \t]*[-*+][ \t]+(?:\[[ x]\][ \t]+)?/gm, ""],
  [/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, ""],
  [/(\*\*|__|~~)(?=\S)([^*_~\n]{1,1000}?)\1/g, "$2"],
  [/(?<![\w*])[*](?=\S)([^*\n]{1,1000}?)[*](?![\w*])/g, "$1"],
  [/`([^`\n]{1,1000})`/g, "$1"],
]

/** A text written in Markdown as somebody would read it aloud: one line, without marks. */
export function plainWords(markdown: string): string {
  let text = markdown
  for (const [mark, left] of MARKS) text = text.replaceAll(mark, left)
  return text.replaceAll(/\s+/g, " ").trim()
}
