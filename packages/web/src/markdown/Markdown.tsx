import "./markdown.css"
import { ImageOff } from "lucide-react"
import type { Token, Tokens } from "marked"
import { Fragment, lazy, memo, type ReactNode, Suspense, useEffect, useState } from "react"
import { classes } from "../design/index.ts"
import { CodeBlock } from "./CodeBlock.tsx"
import { heldFiles } from "./held-files.ts"
import { ItemLink, ShortIdLink } from "./ItemLink.tsx"
import { mentionedBy, ownThing, plainText, safeLink } from "./safe-link.ts"
import { useTokens } from "./tokens.ts"

const Diagram = lazy(async () => ({ default: (await import("./Diagram.tsx")).Diagram }))

/** Deeper than this nobody writes; it is shown as it stands. */
const DEEPEST = 24

interface MarkdownProps {
  readonly source: string
  readonly className?: string
}

/**
 * Markdown that somebody else wrote. It is turned into elements one by one and never into HTML: tags in it are shown as
 * text, links lead only to the web or to mail, and pictures from elsewhere are not fetched.
 */
export const Markdown = memo(function Markdown({ source, className }: MarkdownProps) {
  return <div className={classes("markdown", className)}>{blocks(useTokens(source), 0)}</div>
})

function blocks(tokens: readonly Token[], depth: number): ReactNode[] {
  return tokens.map((token, at) => (
    <Fragment key={at}>{depth > DEEPEST ? token.raw : block(token as Tokens.Generic, depth)}</Fragment>
  ))
}

function block(generic: Tokens.Generic, depth: number): ReactNode {
  const token = generic as Token
  switch (token.type) {
    case "heading":
      return heading((token as Tokens.Heading).depth, inline((token as Tokens.Heading).tokens, depth + 1))
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens, depth + 1)}</p>
    case "text":
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens, depth + 1) : plainText(token.raw)
    case "code": {
      const { text, lang } = token as Tokens.Code
      return codeBlock(text, lang ?? "")
    }
    case "blockquote":
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>
    case "list":
      return list(token as Tokens.List, depth)
    case "table":
      return table(token as Tokens.Table, depth)
    case "hr":
      return <hr />
    case "html":
      return <p className={token.raw.length > 2000 ? "as-written" : undefined}>{token.raw.trim()}</p>
    case "space":
    case "def":
      return null
    default:
      return inlineToken(generic, depth)
  }
}

function inline(tokens: readonly Token[] | undefined, depth: number, linked = false): ReactNode[] {
  if (tokens === undefined) return []
  return tokens.map((token, at) => {
    if (depth > DEEPEST) return <Fragment key={at}>{token.raw}</Fragment>
    const before = tokens[at + 1]?.type === "link" && mentionedBy((tokens[at + 1] as Tokens.Link).href) !== undefined
    return <Fragment key={at}>{inlineToken(token as Tokens.Generic, depth, { before, linked })}</Fragment>
  })
}

interface Surroundings {
  /** A mention follows. */
  readonly before?: boolean
  /** It is part of a link, in which there is no other. */
  readonly linked?: boolean
}

function inlineToken(token: Tokens.Generic, depth: number, { before = false, linked = false }: Surroundings = {}) {
  const inner = (inLink = linked) => inline(token.tokens, depth + 1, inLink)
  switch (token.type) {
    case "strong":
      return <strong>{inner()}</strong>
    case "em":
      return <em>{inner()}</em>
    case "del":
      return <del>{inner()}</del>
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>
    case "br":
      return <br />
    case "link":
      return link(token as Tokens.Link, inner(true))
    case "image":
      return image(token as Tokens.Image)
    case "escape":
      return (token as Tokens.Escape).text
    case "text": {
      if (token.tokens !== undefined) return inner()
      const text = plainText(token.raw)
      const said = before ? text.replace(/@$/, "") : text
      return linked ? said : withShortIds(said)
    }
    default:
      return token.raw
  }
}

function link({ href }: Tokens.Link, children: ReactNode): ReactNode {
  const mention = mentionedBy(href)
  if (mention !== undefined) {
    return (
      <span data-mention={mention.uuid} className="rounded-sm bg-accent-soft px-1 font-medium text-accent">
        {"@"}
        {children}
      </span>
    )
  }
  const own = ownThing(href)
  if (own?.kind === "attachment")
    return (
      <a href={fileAddress(own.uuid)} download>
        {children}
      </a>
    )
  if (own !== undefined) return <ItemLink named={own.uuid}>{children}</ItemLink>
  const safe = safeLink(href)
  if (safe === undefined) return children
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" title={safe}>
      {children}
    </a>
  )
}

/** A file that is attached here is asked for with the reader's own rights; the server shows it only where it is a picture. */
function image(token: Tokens.Image): ReactNode {
  const own = ownThing(token.href)
  if (own?.kind !== "attachment") return <RemoteImage image={token} />
  const look = { alt: token.text, className: "max-h-96 max-w-full rounded-md" }
  const held = heldFiles.get(own.uuid)
  if (held !== undefined) return <HeldImage file={held} {...look} />
  const address = fileAddress(own.uuid)
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      <img src={address} loading="lazy" {...look} />
    </a>
  )
}

function HeldImage({
  file,
  alt,
  className,
}: {
  readonly file: File
  readonly alt: string
  readonly className: string
}) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return <img src={address} alt={alt} className={className} />
}

function fileAddress(uuid: string): string {
  return `/api/files/${uuid}`
}

/** A text with the short ids in it as links to what they name. */
function withShortIds(text: string): ReactNode {
  if (!text.includes("-")) return text
  const parts = text.split(/(?<![\w/-])([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8})(?![\w/-])/)
  if (parts.length === 1) return text
  return parts.map((part, at) =>
    at % 2 === 1 ? (
      <ShortIdLink key={at} named={part}>
        {part}
      </ShortIdLink>
    ) : (
      part
    ),
  )
}

/** Looking at a picture from elsewhere tells its server who looked: it is opened on purpose or not at all. */
function RemoteImage({ image }: { readonly image: Tokens.Image }) {
  const safe = safeLink(image.href)
  const name = image.text || image.title || image.href
  const look =
    "inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-canvas px-2 py-1 text-xs text-muted"
  const inside = (
    <>
      <ImageOff aria-hidden className="size-3.5 shrink-0" />
      <span className="truncate">{name}</span>
    </>
  )
  if (safe === undefined) return <span className={look}>{inside}</span>
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer nofollow" title={safe} className={look}>
      {inside}
    </a>
  )
}

function heading(level: number, children: ReactNode): ReactNode {
  if (level === 1) return <h2>{children}</h2>
  if (level === 2) return <h3>{children}</h3>
  return level === 3 ? <h4>{children}</h4> : <h5>{children}</h5>
}

function codeBlock(code: string, lang: string): ReactNode {
  const language = /^[\w+#.-]*/.exec(lang)?.[0] ?? ""
  if (language !== "mermaid") return <CodeBlock code={code} language={language} />
  return (
    <Suspense fallback={<CodeBlock code={code} language={language} />}>
      <Diagram source={code} />
    </Suspense>
  )
}

function list({ ordered, start, items }: Tokens.List, depth: number): ReactNode {
  const rows = items.map((item, at) => (
    <li key={at} className={item.task ? "checkable" : undefined}>
      {item.task && <span aria-hidden>{item.checked === true ? "☑ " : "☐ "}</span>}
      {blocks(item.tokens, depth + 1)}
    </li>
  ))
  return ordered ? <ol start={typeof start === "number" ? start : 1}>{rows}</ol> : <ul>{rows}</ul>
}

function table({ header, rows, align }: Tokens.Table, depth: number): ReactNode {
  const side = (at: number) => ({ textAlign: align[at] ?? undefined })
  return (
    <div className="overflow-x-auto" tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <th key={at} scope="col" style={side(at)}>
                {inline(cell.tokens, depth + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, number) => (
            <tr key={number}>
              {row.map((cell, at) => (
                <td key={at} style={side(at)}>
                  {inline(cell.tokens, depth + 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
