import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linkLength } from "./link-length.ts"
import { mentionedBy, plainText, safeLink } from "./safe-link.ts"

describe("an address a person may follow", () => {
  it.each([
    ["https://a.example", "https://a.example/"],
    ["HTTP://A.EXAMPLE/x", "http://a.example/x"],
    ["mailto:a@b.example", "mailto:a@b.example"],
    ["https://münchen.example/灯", "https://xn--mnchen-3ya.example/%E7%81%AF"],
    ["\thttps://a.example\n", "https://a.example/"],
  ])("%j is one", (href, followed) => {
    expect(safeLink(href)).toBe(followed)
  })

  it.each([
    "",
    "a",
    "/a",
    "//a.example",
    "#a",
    "?a",
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "\u0001javascript:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,x",
    "blob:https://a.example/x",
    "file:///etc/passwd",
    "vscode://x",
    "ssh://a.example",
    "view-source:https://a.example",
    "http://",
    "https://[",
    "user:0199c0de-0000-7000-8000-000000000001",
  ])("%j is none", (href) => {
    expect(safeLink(href)).toBeUndefined()
  })

  it("leads to the web or to mail whatever was written", () => {
    const hostile = fc.oneof(
      fc.string(),
      fc
        .tuple(
          fc.constantFrom("javascript", "data", "https", "mailto", "java\nscript", " vbscript"),
          fc.constantFrom(":", ":/", "://", "&colon;"),
          fc.string(),
        )
        .map((parts) => parts.join("")),
    )
    fc.assert(fc.property(hostile, (href) => /^(https?|mailto):/.test(safeLink(href) ?? "https:")))
  })
})

describe("a mention", () => {
  const uuid = "0199c0de-0000-7000-8000-000000000001"

  it.each([
    [`user:${uuid}`, { type: "user", uuid }],
    [`agent:${uuid}`, { type: "agent", uuid }],
    [`AGENT:${uuid}`, { type: "agent", uuid }],
    [`team:${uuid}`, undefined],
    [`user:${uuid}x`, undefined],
    ["user:", undefined],
    [` user:${uuid}`, undefined],
    [`https://a.example/user:${uuid}`, undefined],
  ])("%s means %o", (href, meant) => {
    expect(mentionedBy(href)).toEqual(meant)
  })
})

describe("character references", () => {
  it.each([
    ["&lt;b&gt; &amp;&quot;&apos;", "<b> &\"'"],
    ["&#228;&#xE4;&#XE4;", "äää"],
    ["&#x1F4A1;", "💡"],
    ["&AMP;", "&"],
    ["&amp;lt;", "&lt;"],
    ["&#10;&#0;&#xD800;&#x110000;&#99999999;", "&#10;&#0;&#xD800;&#x110000;&#99999999;"],
    ["&unknown; & &; &#; &#x;", "&unknown; & &; &#; &#x;"],
  ])("%s reads %j", (written, read) => {
    expect(plainText(written)).toBe(read)
  })

  it("leave text without them alone", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("&")),
        (text) => plainText(text) === text,
      ),
    )
  })
})

describe("the limits of a link", () => {
  const link = (label: number, address: number, title = 0) =>
    `[${"a".repeat(label)}](${"b".repeat(address)}${title === 0 ? "" : ` "${"c".repeat(title)}"`})`

  it.each([
    ["a label as long as one may be", link(1999, 1), true],
    ["a label longer than that", link(2000, 1), false],
    ["an address as long as one may be", link(1, 3999), true],
    ["an address longer than that", link(1, 4000), false],
    ["a title as long as one may be", link(1, 1, 998), true],
    ["a title longer than that", link(1, 1, 999), false],
    ["parentheses as deep as they may be", `[a](${"(".repeat(32)}${")".repeat(32)})`, true],
    ["parentheses deeper than that", `[a](${"(".repeat(33)}${")".repeat(33)})`, false],
    ["a line break in pointed brackets", "[a](<b\nc>)", false],
    ["an escaped bracket in its label", "[a\\]](b)", true],
    ["code that never ends in its label", "[`a](b)", true],
  ])("for %s", (_, source, is) => {
    expect(linkLength(source)).toBe(is ? source.length : undefined)
  })

  it("are never beyond the text, nor before the end of a link", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("[", "]", "(", ")", "<", ">", '"', "'", "\\", "`", " ", "a", "!"), { maxLength: 24 }),
        (signs) => {
          const source = signs.join("")
          const length = linkLength(source)
          expect(length === undefined || (length <= source.length && source[length - 1] === ")")).toBe(true)
        },
      ),
    )
  })
})
