import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { piecesOf } from "./terminal.ts"

const shown = (output: string) =>
  piecesOf(output)
    .map(({ text }) => text)
    .join("")

describe("what a program printed", () => {
  it("has its colours, and none after they end", () => {
    expect(piecesOf("a \u001b[31mred\u001b[0m b")).toEqual([
      { text: "a ", look: "" },
      { text: "red", look: "text-failed" },
      { text: " b", look: "" },
    ])
    expect(piecesOf("\u001b[1;92mok\u001b[22m ok\u001b[39m ok").map(({ look }) => look)).toEqual([
      "text-done font-semibold",
      "text-done",
      "",
    ])
  })

  it.each([
    ["\u001b[38;5;196mx", "text-failed"],
    ["\u001b[38;5;46mx", "text-done"],
    ["\u001b[38;2;30;60;250mx", "text-progress"],
    ["\u001b[38;2;90;95;92mx", ""],
    ["\u001b[48;5;3mx", "bg-waiting-soft"],
    ["\u001b[38;5mx", ""],
  ])("has the nearest of ours for %j", (output, look) => {
    expect(piecesOf(output)).toEqual([{ text: "x", look }])
  })

  it("stands as it stood at last where it was written over", () => {
    expect(shown("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone\n")
    expect(shown("long line\rno\n")).toBe("nong line\n")
    expect(shown("ab\bc")).toBe("ac")
  })

  it("has no titles, links, ways of a cursor, or bells", () => {
    const link = "\u001b]8;;https://x.test\u001b\\b\u001b]8;;\u001b\\"
    expect(shown(`\u001b]0;title\u0007a${link}\u001b[2Kc\u001b[?25l\u0007d`)).toBe("abcd")
    expect(shown("\u001b]8;;no end")).toBe("")
  })

  it("keeps every word of what has no codes, and bears whatever comes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }).map(plain), (text) => {
        expect(shown(text)).toBe(text)
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.constantFrom("\u001b", "[", "]", "3", "8", ";", "m", "a", "\r", "\n", "\b")), (parts) => {
        const seen = shown(parts.join(""))
        for (const code of ["\u001b", "\r", "\b"]) expect(seen).not.toContain(code)
      }),
    )
  })
})

function plain(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, "")
}
