import { createElement, type FunctionComponent } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { XSS } from "../faults/xss-payloads.ts"
import { hostileText, runs } from "./hostile.ts"

const place = new URL("../../packages/web/src/markdown/Markdown.tsx", import.meta.url).href
const { Markdown } = (await import(place)) as { Markdown: FunctionComponent<{ source: string }> }

/** What the page ever makes out of somebody's text. */
const TAGS = new Set(
  "div p h2 h3 h4 h5 pre code span blockquote ol ul li table thead tbody tr th td hr br strong em del a img button svg path line rect circle polyline".split(
    " ",
  ),
)
const ATTRIBUTES = new Set(
  "class href src alt loading download target rel title style scope role tabindex start aria-label aria-hidden data-mention type xmlns width height viewBox fill stroke stroke-width stroke-linecap stroke-linejoin d x y x1 x2 y1 y2 rx ry cx cy r points".split(
    " ",
  ),
)

const OWN_FILE = /^\/api\/files\/[0-9a-f-]{36}$/

const parts = fc.oneof(
  fc.constantFrom(...XSS.map(({ text }) => text)),
  fc.constantFrom(
    "# ",
    "> ",
    "- ",
    "1. ",
    "| a | b |\n|--|--|\n",
    "```\n",
    "```mermaid\n",
    "~~~",
    "`",
    "**",
    "_",
    "~~",
    "[",
    "](",
    ")",
    "![",
    "<",
    ">",
    "&#",
    "&lt;",
    "\n",
    "\n\n",
    "    ",
    "\\",
    "\t",
    "@[",
    "](user:",
    "](attachment:11111111-1111-4111-8111-111111111111)",
    "](document:11111111-1111-4111-8111-111111111111)",
    "attachment:",
    "SHOP-12",
    "[^1]",
    "<!--",
    "-->",
    "<![CDATA[",
    "javascript:",
    "https://",
  ),
  hostileText.map((text) => text.slice(0, 300)),
)

it("whatever is written, the page makes only elements, attributes and links of its own kinds of it", () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
      const source = pieces.join("")
      const made = renderToStaticMarkup(createElement(Markdown, { source }))
      for (const [piece] of made.matchAll(/<[^>]*>?/g))
        expect(faultOf(piece), `${piece} from ${JSON.stringify(source)}`).toBeUndefined()
    }),
    runs(1500, 200_000) as fc.Parameters<[string[]]>,
  )
})

it("the longest and the deepest take no longer than a moment", () => {
  for (const text of [
    "[".repeat(20_000),
    "> ".repeat(20_000),
    "*a".repeat(20_000),
    "`".repeat(20_001),
    "<".repeat(20_000),
    "![a](".repeat(8000),
    "- ".repeat(10_000),
    "|".repeat(20_000),
    "&#".repeat(20_000),
    "_a_".repeat(10_000),
    "<a ".repeat(10_000),
    "\\".repeat(20_001),
  ]) {
    expect(renderToStaticMarkup(createElement(Markdown, { source: text })).length).toBeGreaterThan(0)
  }
})

/** Why a tag may not stand in what the page makes; undefined where it may. */
function faultOf(piece: string): string | undefined {
  if (/^<\/[a-z0-9]+>$/.test(piece)) return undefined
  const match = /^<([a-zA-Z0-9]+)((?: [a-zA-Z][a-zA-Z0-9-]*="[^"<>]*")*)\/?>$/.exec(piece)
  if (match === null) return "not a tag of ours"
  const [, name = "", attributes = ""] = match
  if (!TAGS.has(name)) return `element ${name}`
  for (const [, attribute = "", value = ""] of attributes.matchAll(/ ([a-zA-Z][a-zA-Z0-9-]*)="([^"]*)"/g)) {
    if (!ATTRIBUTES.has(attribute)) return `attribute ${attribute}`
    if (attribute === "href" && !/^(https?:\/\/|mailto:)/.test(value) && !OWN_FILE.test(value))
      return `link to ${value}`
    if (attribute === "src" && !OWN_FILE.test(value)) return `picture from ${value}`
    if (attribute === "style" && !/^text-align:(left|right|center)$/.test(value)) return `style ${value}`
    if (attribute === "rel" && value !== "noopener noreferrer nofollow") return `rel ${value}`
  }
  return undefined
}
