import { describe, expect, it } from "vitest"
import { mentionsIn, preview } from "./mentions.ts"

const ANN = "11111111-1111-4111-8111-111111111111"
const BOT = "22222222-2222-4222-8222-222222222222"

describe("mentions in a text", () => {
  it("finds people and agents once each, in order", () => {
    expect(mentionsIn(`@[Bot](agent:${BOT}) ask @[Ann](user:${ANN}), and @[Bot again](agent:${BOT})`)).toEqual([
      { type: "agent", uuid: BOT },
      { type: "user", uuid: ANN },
    ])
  })

  it("reads ids in capitals and names in any script", () => {
    expect(mentionsIn(`@[安](user:${ANN.toUpperCase()})`)).toEqual([{ type: "user", uuid: ANN }])
  })

  it.each([
    ["a name alone", "@Ann"],
    ["a plain link", `[Ann](user:${ANN})`],
    ["another kind", `@[Ann](team:${ANN})`],
    ["no id", "@[Ann](user:ann)"],
    ["an empty name", `@[](user:${ANN})`],
    ["a name over two lines", `@[An\nn](user:${ANN})`],
    ["inline code", `see \`@[Ann](user:${ANN})\``],
    ["a fence", `\`\`\`\n@[Ann](user:${ANN})\n\`\`\``],
    ["a fence that never ends", `~~~ts\n@[Ann](user:${ANN})`],
  ])("takes %s for no mention", (_, text) => {
    expect(mentionsIn(text)).toEqual([])
  })

  it("goes on after code", () => {
    expect(mentionsIn(`\`x\` @[Ann](user:${ANN})\n\`\`\`\ncode\n\`\`\`\n@[Bot](agent:${BOT})`)).toHaveLength(2)
  })

  it("is quick on hostile text", () => {
    const started = performance.now()
    mentionsIn("@[".repeat(50_000))
    mentionsIn("`".repeat(50_000))
    mentionsIn(`@[${"a".repeat(100_000)}`)
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

describe("a preview", () => {
  it("is one line with mentions by name", () => {
    expect(preview(`Hello @[Ann](user:${ANN}),\n\n  look`)).toBe("Hello @Ann, look")
  })

  it.each([
    [
      "## Done\n\n- **Light** in _the_ `hall`\n- [x] see [the plan](https://x.example/a)",
      "Done Light in the hall see the plan",
    ],
    ["> quoted\n\n```sh\nnpm test\n```\n1. first", "quoted npm test first"],
    ["![a lamp](attachment:1) stays", "a lamp stays"],
    ["2 * 3 * 4 and snake_case_name and **open", "2 * 3 * 4 and snake_case_name and **open"],
  ])("says %j without its marks", (text, plain) => {
    expect(preview(text)).toBe(plain)
  })

  it("is cut at a word", () => {
    expect(preview("one two three four", 10)).toBe("one two…")
  })

  it("does not cut a character in half", () => {
    expect(preview("😀".repeat(20), 5)).toBe(`${"😀".repeat(5)}…`)
  })
})
