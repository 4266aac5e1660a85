import { describe, expect, it } from "vitest"
import { withStreams } from "../../test/command-line.ts"
import { askLine, askSecret, askYes, isInteractive, readAll } from "./prompt.ts"

/** What a person who types this at the question answers, or the code of the error it ends in. */
async function answer<T>(ask: (question: string) => Promise<T>, types: string): Promise<T | string> {
  let given: T | string = "nothing"
  await withStreams({ person: [["Well", types]] }, async () => {
    given = await ask("Well? ").catch((error: { code?: string }) => `error ${error.code}`)
  })
  return given
}

describe("a question", () => {
  it.each([
    ["what was typed", "blue\r", "blue"],
    ["what was typed, without blanks around it", "  dark blue \r", "dark blue"],
    ["nothing for Enter alone", "\r", ""],
    ["nothing when the input ends", "\u0004", ""],
    ["an interruption for Ctrl-C", "bl\u0003", "error interrupted"],
    ["what is left after a correction", "red\u007f\u007f\u007fblue\r", "blue"],
  ])("gives %s", async (_, types, given) => {
    expect(await answer(askLine, types)).toBe(given)
  })

  it.each([
    ["y\r", true],
    ["YES\r", true],
    ["yes please\r", false],
    ["n\r", false],
    ["\r", false],
    ["\u0004", false],
  ])("takes %j for consent: %s", async (types, consent) => {
    expect(await answer(askYes, types)).toBe(consent)
  })
})

describe("a secret", () => {
  it.each([
    ["what was typed, with its blanks", " s3 cret \r", " s3 cret "],
    ["letters of every kind", "ключ🎨\r", "ключ🎨"],
    ["what is left after a correction, whole letters at a time", "a🎨🎨\u007f\u007fb\r", "ab"],
    ["no more than there is when too much is taken back", "\b\b\u007fx\r", "x"],
    ["no arrows and no other keys", "\u001b[Aa\u001b[1;5Cb\u001bOP\u001b[3~\tc\r", "abc"],
    ["what came before the input ended", "abc\u0004", "abc"],
    ["an interruption for Ctrl-C", "abc\u0003", "error interrupted"],
  ])("is %s", async (_, types, given) => {
    expect(await answer(askSecret, types)).toBe(given)
  })

  it("is not shown, and the line ends", async () => {
    const { stdout } = await withStreams({ person: [["Key", "s3cret\r"]] }, () => askSecret("Key: "))
    expect(stdout).toBe("Key: \n")
  })
})

describe("whether there is a person", () => {
  it("is seen by the terminal", async () => {
    await withStreams({ person: [] }, async () => expect(isInteractive()).toBe(true))
    await withStreams({}, async () => expect(isInteractive()).toBeFalsy())
  })
})

describe("piped input", () => {
  it("is read to its end", async () => {
    const input = "größe\n".repeat(50_000)
    await withStreams({ input }, async () => expect(await readAll()).toBe(input))
  })
})
