import { describe, expect, it } from "vitest"
import { takeDrawingStyle, watchDrawingStyles } from "./drawing-styles.ts"

const SVG = "http://www.w3.org/2000/svg"

/** As the library does it: a style made by the page, put into a drawing of this name. */
async function drawn(id: string, css: string): Promise<{ svg: Element; style: HTMLStyleElement }> {
  const svg = document.createElementNS(SVG, "svg")
  svg.id = id
  const style = document.createElement("style")
  style.textContent = css
  svg.append(style)
  document.body.append(svg)
  await Promise.resolve()
  return { svg, style }
}

describe("the style of a drawing", () => {
  it("moves to the head, where it counts, and is taken from there once", async () => {
    watchDrawingStyles()
    watchDrawingStyles()
    const { svg, style } = await drawn("d1", ".node { fill: red }")
    expect(style.parentElement).toBe(document.head)
    expect(svg.innerHTML).toBe("")
    expect(takeDrawingStyle("d1")).toBe(".node { fill: red }")
    expect(style.isConnected).toBe(false)
    expect(takeDrawingStyle("d1")).toBe("")
    svg.remove()
  })

  it("of each drawing is its own", async () => {
    watchDrawingStyles()
    const [first, second] = [await drawn("d2", "a {}"), await drawn("d3", "b {}")]
    expect(takeDrawingStyle("d3")).toBe("b {}")
    expect(takeDrawingStyle("d2")).toBe("a {}")
    first.svg.remove()
    second.svg.remove()
  })

  it("is left where it is when it belongs to no drawing, and other elements are made as ever", async () => {
    watchDrawingStyles()
    const style = document.createElement("style")
    document.body.append(style)
    const nameless = await drawn("", "c {}")
    expect(style.parentElement).toBe(document.body)
    expect(nameless.style.parentElement).toBe(nameless.svg)
    expect(document.createElement("div")).toBeInstanceOf(HTMLDivElement)
    expect(takeDrawingStyle("")).toBe("")
    style.remove()
    nameless.svg.remove()
  })
})
