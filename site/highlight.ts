import { shaded } from "../packages/web/src/markdown/highlight.ts"

/** Code as HTML, coloured as the product colours it. */
export function highlight(code: string, language: string): string {
  return shaded(code, language)
    .map(({ text, shade }) =>
      shade === undefined ? escapeHtml(text) : `<span class="code-${shade}">${escapeHtml(text)}</span>`,
    )
    .join("")
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}
