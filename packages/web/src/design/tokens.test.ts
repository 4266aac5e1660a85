import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const css = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8")
const themes = { light: tokensIn(":root {"), dark: tokensIn(':root[data-theme="dark"] {') }

const TEXTS = ["ink", "muted", "faint"]
const GROUNDS = ["canvas", "surface", "raised", "sunken", "hover"]
const STATUSES = ["progress", "waiting", "done", "failed"]

describe.each(Object.entries(themes))("colours, %s", (_, token) => {
  it.each(TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)))(
    "%s is readable on %s",
    (text, ground) => {
      expect(contrast(token(text), token(ground))).toBeGreaterThanOrEqual(4.5)
    },
  )

  it.each(STATUSES)("%s is readable on its own soft ground and on a card", (status) => {
    expect(contrast(token(status), token(`${status}-soft`))).toBeGreaterThanOrEqual(4.5)
    expect(contrast(token(status), token("surface"))).toBeGreaterThanOrEqual(4.5)
  })

  it("keeps the main button readable", () => {
    expect(contrast(token("accent-ink"), token("accent"))).toBeGreaterThanOrEqual(4.5)
    expect(contrast(token("accent"), token("surface"))).toBeGreaterThanOrEqual(3)
  })
})

describe("the hues of sessions", () => {
  const pairs = [...css.matchAll(/data-hue="(\d)"\] \{\s*--hue: (#\w+);\s*--hue-soft: (#\w+);/g)].map(
    ([, hue, ink, ground]) => [hue ?? "", ink ?? "", ground ?? ""] as const,
  )

  it("are eight in each theme", () => {
    expect(pairs).toHaveLength(16)
  })

  it.each(pairs)("%s is readable: %s on %s", (_, ink, ground) => {
    expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5)
  })
})

function tokensIn(start: string): (name: string) => string {
  const block = css.slice(css.indexOf(start), css.indexOf("\n}", css.indexOf(start)))
  return (name) => {
    const value = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block)?.[1]
    if (value === undefined) throw new Error(`there is no colour called ${name}`)
    return value
  }
}

/** The ratio of WCAG 2: how far two colours are apart for the eye. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
