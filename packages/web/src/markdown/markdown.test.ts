import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { shaded } from "./highlight.ts"
import { Markdown } from "./Markdown.tsx"
import { plainText, safeLink } from "./safe-link.ts"

function html(source: string): string {
  return renderToStaticMarkup(createElement(Markdown, { source }))
}

describe("markdown from others", () => {
  it("is set as what it means", () => {
    const made = html(
      "# Title\n\nSome **bold** and `code`.\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | 2 |",
    )
    expect(made).toContain("<h2>Title</h2>")
    expect(made).toContain("<strong>bold</strong>")
    expect(made).toContain("<code>code</code>")
    expect(made).toContain("☑")
    expect(made).toContain('<td style="text-align:right">2</td>')
  })

  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "text <svg onload=alert(1)> text",
    "<a href='javascript:alert(1)'>x</a>",
    "<iframe srcdoc='<script>1</script>'></iframe>",
    '<style>body{background:url("//evil")}</style>',
  ])("shows tags as text: %s", (source) => {
    const made = html(source)
    expect(made).not.toMatch(/<(script|img|svg|iframe|style|a)\b/i)
    expect(made).toContain("&lt;")
  })

  it.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>1</script>)",
    "[x](vbscript:1)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example)",
    "[x](&#106;avascript:alert(1))",
  ])("leads nowhere from %s", (source) => {
    expect(html(source)).not.toContain("<a")
  })

  it("links to the web without telling where from", () => {
    expect(html("[x](https://example.com/a?b=1)")).toContain(
      '<a href="https://example.com/a?b=1" target="_blank" rel="noopener noreferrer nofollow"',
    )
    expect(html("https://example.com")).toContain('href="https://example.com/"')
  })

  it("fetches no picture by itself", () => {
    const made = html("![a picture](https://evil.example/pixel.gif)")
    expect(made).not.toContain("<img")
    expect(made).toContain("a picture")
  })

  it("shows who is mentioned", () => {
    const made = html("Hello @[Ada](user:0199c0de-0000-7000-8000-000000000001), see this")
    expect(made).toContain("Hello <span data-mention=")
    expect(made).toContain("@Ada</span>, see this")
  })

  it("survives text made to break it", () => {
    expect(html(">".repeat(5000) + "x")).toContain("x")
    expect(html("- ".repeat(500) + "x")).toContain("x")
    expect(html("[".repeat(3000))).toContain("[")
  })

  it("keeps characters as they were meant", () => {
    expect(html("a &lt;b&gt; &amp; 5 < 6 && `&amp;`")).toContain(
      "a &lt;b&gt; &amp; 5 &lt; 6 &amp;&amp; <code>&amp;amp;</code>",
    )
    expect(plainText("&#x41;&#66;&#0;&nosuch;")).toBe("AB&#0;&nosuch;")
  })
})

describe("code", () => {
  it("is shaded without losing a character", () => {
    const code = 'const a = "x" // note\nreturn 42\n'
    const pieces = shaded(code, "ts")
    expect(pieces.map(({ text }) => text).join("")).toBe(code)
    expect(pieces.filter(({ shade }) => shade !== undefined).map(({ text, shade }) => `${shade}:${text}`)).toEqual([
      "keyword:const",
      'string:"x"',
      "comment:// note",
      "keyword:return",
      "number:42",
    ])
  })

  it("stays whole in a language nobody told it about", () => {
    expect(shaded("begin if 1", "brainfuck")).toEqual([{ text: "begin if 1" }])
  })
})

describe("links", () => {
  it("are absolute and of the web", () => {
    expect(safeLink(" https://a.example/x ")).toBe("https://a.example/x")
    expect(safeLink("mailto:a@b.example")).toBe("mailto:a@b.example")
    expect(safeLink("java\nscript:alert(1)")).toBeUndefined()
  })
})
