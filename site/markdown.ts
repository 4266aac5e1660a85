import { Marked, type Tokens } from "marked"
import { escapeHtml, highlight } from "./highlight.ts"
import { anchorOf } from "./reference/tables.ts"

export interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}

/** A stretch of a page under one heading, for the search. */
export interface Passage {
  readonly heading: string
  readonly anchor: string
  readonly text: string
}

export interface Rendered {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly passages: readonly Passage[]
}

export interface Surroundings {
  /** The address of what a link names, or undefined where the site does not have it. */
  link(href: string): string | undefined
  /** The HTML of a picture. */
  picture(href: string, text: string): string
}

/** Renders one page. Of HTML in the source only line breaks count; the rest is shown as text. */
export function render(markdown: string, { link, picture }: Surroundings): Rendered {
  const headings: Heading[] = []
  const used = new Map<string, number>()
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const text = plainText(tokens)
        const anchor = unique(anchorOf(text), used)
        headings.push({ depth, text, anchor })
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}<a class="anchor" href="#${anchor}" aria-label="${escapeHtml(text)}">#</a></h${depth}>\n`
      },
      code({ text, lang }: Tokens.Code) {
        const language = (lang ?? "").split(/\s/)[0] ?? ""
        return `<div class="code"><pre tabindex="0"><code>${highlight(text, language)}</code></pre></div>\n`
      },
      table(token: Tokens.Table) {
        const cells = (row: readonly Tokens.TableCell[], tag: string) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")
        return `<div class="table" tabindex="0"><table><thead><tr>${cells(token.header, "th")}</tr></thead><tbody>${token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n")}</tbody></table></div>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const address = link(href)
        const text = this.parser.parseInline(tokens)
        return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`
      },
      image: ({ href, text }: Tokens.Image) => picture(href, text),
      html: ({ text }: Tokens.HTML | Tokens.Tag) =>
        text.startsWith("<!--") ? "" : /^<br\s*\/?>$/.test(text) ? "<br>" : escapeHtml(text),
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { title: headings[0]?.text ?? "", html, headings, passages: passagesOf(marked.lexer(markdown), headings) }
}

/** The anchors of a page's headings, in order. */
export function headingAnchors(markdown: string): string[] {
  const used = new Map<string, number>()
  return new Marked({ gfm: true })
    .lexer(markdown)
    .filter((token) => token.type === "heading")
    .map((token) => unique(anchorOf(plainText((token as Tokens.Heading).tokens)), used))
}

function passagesOf(tokens: readonly unknown[], headings: readonly Heading[]): Passage[] {
  const passages: { heading: string; anchor: string; text: string }[] = []
  let at = 0
  for (const token of tokens as readonly Tokens.Generic[]) {
    if (token.type === "heading") {
      const heading = headings[at++]
      passages.push({ heading: heading?.text ?? "", anchor: heading?.anchor ?? "", text: "" })
    } else if (token.type !== "html" && token.type !== "space") {
      const last = passages.at(-1)
      if (last !== undefined) last.text = `${last.text} ${plainText([token])}`.trim()
    }
  }
  return passages
}

/** The words of tokens without their marks. */
function plainText(tokens: readonly unknown[]): string {
  return (tokens as readonly Tokens.Generic[])
    .map((token): string => {
      if (token.type === "table")
        return [token["header"], ...(token["rows"] as unknown[])]
          .map((row) => (row as Tokens.TableCell[]).map((cell) => plainText(cell.tokens)).join(" "))
          .join(" ")
      if (token.type === "list") return plainText(token["items"] as unknown[])
      if (token.type === "image" || token.type === "html") return ""
      const inner = token.tokens
      return inner !== undefined && inner.length > 0 ? plainText(inner) : String(token["text"] ?? "")
    })
    .join(
      tokens.length > 1 &&
        (tokens as readonly Tokens.Generic[]).some(({ type }) => type === "list_item" || type === "paragraph")
        ? " "
        : "",
    )
    .replace(/\s+/g, " ")
}

function unique(anchor: string, used: Map<string, number>): string {
  const count = used.get(anchor) ?? 0
  used.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}
