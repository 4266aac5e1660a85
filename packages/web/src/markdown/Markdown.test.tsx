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
