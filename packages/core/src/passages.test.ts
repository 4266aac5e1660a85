import { describe, expect, it } from "vitest"
import { clip, closeness, condensed, passagesAbout } from "./passages.ts"

const DESIGN = `# Guest checkout

Some words about why this is done at all, and who asked for it in the first place.

## Baskets

A basket of a guest lives thirty days in the table of baskets and is found by a cookie.

## Payment

The payment page asks for no password. It calls POST /payments with the basket's id.

## Mail

The mail with the receipt is sent by the queue, never by the page itself.`

describe("passagesAbout", () => {
  it("gives all of a text there is room for", () => {
    expect(passagesAbout("short", "anything", 100)).toBe("short")
  })

  it("picks what concerns the task, below its heading, within the room", () => {
    const parts = passagesAbout(DESIGN, "Pay without an account: the payment page asks for no password", 160)
    expect(parts).toContain("## Payment\nThe payment page asks for no password.")
    expect(parts).not.toContain("queue")
    expect(parts.length).toBeLessThanOrEqual(160)
  })

  it("keeps the order of the text", () => {
    const parts = passagesAbout(DESIGN, "mail with the receipt; basket cookie", 260)
    expect(parts.indexOf("Baskets")).toBeLessThan(parts.indexOf("Mail"))
    expect(parts).toContain("…")
  })

  it("reads Chinese by pairs of signs", () => {
    const text = `${"无关的段落，只是填充文字。".repeat(12)}\n\n访客的购物车保留三十天。\n\n${"另一个无关的段落。".repeat(12)}`
    expect(passagesAbout(text, "购物车保留多久", 40)).toBe("访客的购物车保留三十天。")
  })
})

describe("condensed", () => {
  it("keeps every report, the newest with most of the room", () => {
    const said = condensed(["first ".repeat(50), "second ".repeat(50), "The table is baskets(id, guest)."], 200)
    expect(said.startsWith("first first")).toBe(true)
    expect(said).toContain("second")
    expect(said.endsWith("The table is baskets(id, guest).")).toBe(true)
    expect(said.length).toBeLessThanOrEqual(200)
  })
})

describe("clip", () => {
  it("cuts at a word and says so", () => {
    expect(clip("one two three four", 12)).toBe("one two…")
    expect(clip("one", 12)).toBe("one")
  })
})

describe("closeness", () => {
  it("counts the words two texts share", () => {
    expect(closeness("How long are baskets kept?", "Keep baskets of guests")).toBeGreaterThan(0)
    expect(closeness("Which colour?", "Keep baskets of guests")).toBe(0)
  })
})
