import { afterEach, describe, expect, it, onTestFinished } from "vitest"
import { render } from "vitest-browser-react"
import { dismissToast, setTheme, toasts } from "../design/index.ts"
import { Markdown } from "./Markdown.tsx"

const read = (source: string) => render(<Markdown source={source} />)

afterEach(() => {
  for (const { id } of toasts()) dismissToast(id)
})

describe("markdown on the page", () => {
  it("takes its place below the page's own headings", async () => {
    const screen = await read("# One\n\n## Two\n\n### Three\n\n#### Four\n\n###### Six")
    const levels = screen
      .getByRole("heading")
      .elements()
      .map(({ tagName, textContent }) => `${tagName} ${textContent}`)
    expect(levels).toEqual(["H2 One", "H3 Two", "H4 Three", "H5 Four", "H5 Six"])
  })

  it("sets lists, quotes, tables and lines as what they are", async () => {
    const screen = await read(
      "3. three\n4. four\n   - inner\n\n> said\n\n| left | right |\n| :--- | ---: |\n| a | *b* |\n\n---\n\n~~gone~~  \nnext",
    )
    await expect.element(screen.getByRole("list").first()).toHaveAttribute("start", "3")
    expect(screen.container.querySelector("ol ul li")?.textContent).toBe("inner")
    expect(screen.container.querySelector("blockquote")?.textContent).toBe("said")
    expect(
      screen
        .getByRole("columnheader")
        .elements()
        .map((cell) => getComputedStyle(cell).textAlign),
    ).toEqual(["left", "right"])
    await expect.element(screen.getByRole("cell", { name: "b" })).toBeVisible()
    await expect.element(screen.getByRole("separator")).toBeVisible()
    expect(screen.container.querySelector("del")?.textContent).toBe("gone")
    expect(screen.container.querySelector("br")).not.toBeNull()
  })

  it("shows what is done and what is open", async () => {
    const screen = await read("- [x] wired\n- [ ] lit\n- plain")
    expect(
      screen
        .getByRole("listitem")
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(["☑ wired", "☐ lit", "plain"])
  })

  it("never makes the page wider than it is", async () => {
    const wide =
      "| " +
      "a very long cell of a table ".repeat(20) +
      "| b |\n|---|---|\n| 1 | 2 |\n\n```\n" +
      "x".repeat(2000) +
      "\n```\n\n" +
      "w".repeat(2000)
    const screen = await render(
      <div style={{ width: 320 }}>
        <Markdown source={wide} />
      </div>,
    )
    const body = screen.container.querySelector(".markdown")
    expect(body?.scrollWidth).toBeLessThanOrEqual(320)
  })

  it("opens links elsewhere without telling where from, and names pictures instead of fetching them", async () => {
    const asked = performance.getEntriesByType("resource").length
    const screen = await read(
      "[there](https://there.example/x) ![a lamp](https://there.example/lamp.png) ![](javascript:alert(1)) [mail](mailto:a@b.example)",
    )
    const there = screen.getByRole("link", { name: "there" })
    await expect.element(there).toHaveAttribute("rel", "noopener noreferrer nofollow")
    await expect.element(there).toHaveAttribute("target", "_blank")
    await expect
      .element(screen.getByRole("link", { name: "a lamp" }))
      .toHaveAttribute("href", "https://there.example/lamp.png")
    await expect.element(screen.getByText("javascript:alert(1)")).toBeVisible()
    expect(
      screen
        .getByRole("link")
        .elements()
        .map((link) => link.getAttribute("href")),
    ).toEqual(["https://there.example/x", "https://there.example/lamp.png", "mailto:a@b.example"])
    expect(screen.container.querySelector("img")).toBeNull()
    expect(
      performance
        .getEntriesByType("resource")
        .slice(asked)
        .filter(({ name }) => name.includes("there.example")),
    ).toEqual([])
  })

  it("shows what is nested beyond reading as it was written", async () => {
    const screen = await read(`${"> ".repeat(39)}deep\n\n${"- > ".repeat(15)}deeper`)
    expect(screen.container.querySelectorAll("blockquote").length).toBeLessThan(39)
    expect(screen.container.textContent).toContain("deep")
    expect(screen.container.textContent).toContain("deeper")
  })

  it("sets mentions of people and agents apart, without a link", async () => {
    const uuid = "0199c0de-0000-7000-8000-000000000001"
    const screen = await read(`Ask @[Ada](agent:${uuid}) or [Grace](user:${uuid}) but not [Eve](user:nobody)`)
    expect([...screen.container.querySelectorAll("[data-mention]")].map(({ textContent }) => textContent)).toEqual([
      "@Ada",
      "@Grace",
    ])
    expect(screen.container.textContent).toBe("Ask @Ada or @Grace but not Eve")
    await expect.element(screen.getByRole("link")).not.toBeInTheDocument()
  })
})

describe("code in a text", () => {
  it("is named by its language, can be scrolled by keys, and keeps every character", async () => {
    const code = 'const lamp = "<b>on</b>" // 灯\n\tlamp()\n'
    const screen = await read("```ts\n" + code + "```\n\n```\nplain\n```")
    const block = screen.getByLabelText("Code in ts")
    expect(block.element().textContent).toBe(code.trimEnd())
    await expect.element(block).toHaveAttribute("tabindex", "0")
    await expect.element(screen.getByLabelText("Code", { exact: true })).toHaveTextContent("plain")
  })

  it("is copied whole, and says so", async () => {
    const copied = clipboard()
    const screen = await read("```sh\nnpm test\n```")
    await screen.getByRole("button", { name: "Copy" }).click()
    await expect.element(screen.getByRole("button", { name: "Copied" })).toBeVisible()
    expect(copied).toEqual(["npm test"])
    await expect.element(screen.getByRole("button", { name: "Copy", exact: true })).toBeVisible()
  })

  it("takes no names of languages that are none", async () => {
    const screen = await read('```"><script>\nx\n```')
    await expect.element(screen.getByLabelText("Code", { exact: true })).toHaveTextContent("x")
  })
})

describe("a diagram", () => {
  it("is drawn as a picture, which runs nothing, and says what it was made from", async () => {
    const screen = await read("```mermaid\nflowchart LR\n  switch --> lamp\n```")
    const picture = screen.getByRole("figure", { name: "Diagram" }).getByRole("img")
    await expect.element(picture).toHaveAttribute("alt", "flowchart LR\n  switch --> lamp")
    const drawn = decodeURIComponent(picture.element().getAttribute("src") ?? "")
    expect(drawn).toMatch(/^data:image\/svg\+xml/)
    expect(drawn).toContain("lamp")
    expect(drawn).not.toMatch(/<script|foreignObject|onload=/)
    await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBeGreaterThan(0)
  })

  it.each([
    ["flowchart", 'flowchart LR\n  a["HOSTILE"] --> b["one<br/>two"]'],
    [
      "flowchart that asks for HTML",
      '%%{init: {"htmlLabels": true, "securityLevel": "loose"}}%%\nflowchart LR\n  a["HOSTILE"] --> b',
    ],
    ["flowchart of Markdown", 'flowchart LR\n  a["`**so** HOSTILE`"] --> b'],
    ["sequence", "sequenceDiagram\n  A->>B: HOSTILE"],
    ["class", 'classDiagram\n  class A["HOSTILE"]\n  class B {\n    <<interface>>\n  }\n  A <|-- B'],
    ["state", "stateDiagram-v2\n  s1 : HOSTILE\n  state f <<fork>>\n  s1 --> f"],
    ["gantt", "gantt\n  title HOSTILE\n  section HOSTILE\n  work : a1, 2014-01-01, 30d"],
    ["pie", 'pie title HOSTILE\n  "HOSTILE" : 3'],
    ["mindmap", "mindmap\n  root((HOSTILE))"],
  ])("of the kind %s never reads its labels as markup, and shows them as they were written", async (_, kind) => {
    const handlers = watchHandlers()
    const screen = await read("```mermaid\n" + kind.replaceAll("HOSTILE", "<img src=x onerror=caught=1>") + "\n```")
    const picture = screen.getByRole("figure", { name: "Diagram" }).getByRole("img")
    await expect.element(picture).toBeVisible()
    const drawn = decodeURIComponent(picture.element().getAttribute("src") ?? "")
    const words = new DOMParser().parseFromString(drawn.slice(drawn.indexOf(",") + 1), "image/svg+xml").documentElement
    expect(words.textContent.replaceAll(/\s/g, "")).toContain("<imgsrc=xonerror=caught=1")
    if (kind.includes("interface")) expect(words.textContent).toContain("«interface»")
    expect(words.textContent).not.toContain("<br")
    expect(handlers).toEqual([])
  })

  it.each([
    ["long", `flowchart LR\n${"  one --> two\n".repeat(1000)}`],
    ["of many lines", `flowchart LR\n${"a-->b\n".repeat(300)}`],
  ])("that is too %s is not drawn at all", async (_, source) => {
    const screen = await read("```mermaid\n" + source + "```")
    await expect.element(screen.getByText("This diagram could not be drawn; here is its text.")).toBeVisible()
  })

  it("that cannot be drawn shows its text and says why", async () => {
    const screen = await read("```mermaid\nthis is no diagram\n```")
    await expect.element(screen.getByText("This diagram could not be drawn; here is its text.")).toBeVisible()
    await expect.element(screen.getByLabelText("Code in mermaid")).toHaveTextContent("this is no diagram")
  })

  it("follows the theme while it is looked at", async () => {
    onTestFinished(() => {
      localStorage.clear()
      delete document.documentElement.dataset["theme"]
    })
    setTheme("light")
    const screen = await read("```mermaid\nflowchart LR\n  a --> b\n```")
    const picture = screen.getByRole("figure", { name: "Diagram" }).getByRole("img")
    await expect.element(picture).toBeVisible()
    const light = picture.element().getAttribute("src")
    setTheme("dark")
    await expect.poll(() => picture.element().getAttribute("src")).not.toBe(light)
  })
})

describe("a long text", () => {
  const long = (text: string, length = 60_000) => text.repeat(Math.ceil(length / text.length))

  it("is set like a short one, without holding the page up", async () => {
    const screen = await read(`# Long\n\n${long("Some **bold** words.\n\n")}`)
    await expect.element(screen.getByRole("heading", { name: "Long" })).toBeVisible()
    expect(screen.container.querySelectorAll("strong").length).toBeGreaterThan(2000)
  })

  it("that changes keeps what is shown until the new one is read", async () => {
    const screen = await read(`# Before\n\n${long("words ")}`)
    await expect.element(screen.getByRole("heading", { name: "Before" })).toBeVisible()
    await screen.rerender(<Markdown source={`# After\n\n${long("words ")}`} />)
    expect(screen.container.querySelector("h2")?.textContent).toBe("Before")
    await expect.element(screen.getByRole("heading", { name: "After" })).toBeVisible()
  })

  it.each([
    ["quotes that go on without a mark", `${long("> a\nb\n\n", 400_000)}`],
    ["more items than anybody reads", long("- a\n", 400_000)],
    ["nested lists", Array.from({ length: 600 }, (_, depth) => `${" ".repeat(depth * 2)}- a`).join("\n")],
  ])("of %s never keeps the page from answering", async (_, source) => {
    const worst = longestPause()
    const screen = await read(source)
    await expect.poll(() => screen.container.textContent).toContain("a")
    expect(await worst()).toBeLessThan(1000)
  })
})

/** Event handlers that a text brings into a document, be it one that is never shown. */
function watchHandlers(): string[] {
  const found: string[] = []
  const look = (root: ParentNode) => {
    for (const element of root.querySelectorAll("*"))
      for (const { name } of element.attributes) if (/^on/i.test(name)) found.push(`${element.tagName} ${name}`)
  }
  const parse = DOMParser.prototype.parseFromString
  DOMParser.prototype.parseFromString = function (text, type) {
    const made = parse.call(this, text, type)
    look(made)
    return made
  }
  const observer = new MutationObserver(() => look(document))
  observer.observe(document, { childList: true, subtree: true, attributes: true })
  onTestFinished(() => {
    observer.disconnect()
    DOMParser.prototype.parseFromString = parse
  })
  return found
}

/** The longest time the page did nothing else, from here on. */
function longestPause(): () => Promise<number> {
  let [worst, last] = [0, performance.now()]
  const timer = setInterval(() => {
    const now = performance.now()
    worst = Math.max(worst, now - last)
    last = now
  }, 5)
  onTestFinished(() => clearInterval(timer))
  return () => new Promise((resolve) => setTimeout(() => resolve(worst), 50))
}

/** What is put on the clipboard, instead of the machine's own. */
function clipboard(): string[] {
  const copied: string[] = []
  const own = navigator.clipboard
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  })
  onTestFinished(() => {
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: own })
  })
  return copied
}
