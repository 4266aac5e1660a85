import { stripVTControlCharacters } from "node:util"
import { describe, expect, it } from "vitest"
import { withStreams } from "../../test/command-line.ts"
import { askLine, askSecret, askYes, isInteractive, pick, readAll } from "./prompt.ts"

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
    ["nothing when the input ends", "abc\u0004", ""],
    ["an interruption for Ctrl-C", "abc\u0003", "error interrupted"],
  ])("is %s", async (_, types, given) => {
    expect(await answer(askSecret, types)).toBe(given)
  })

  it("is not shown, nor how long it is", async () => {
    const shown = async (secret: string) =>
      (await withStreams({ person: [["Key", `${secret}\r`]] }, () => askSecret("Key"))).stdout
    expect(await shown("s3cret")).toBe(await shown("x"))
  })
})

it.each([askLine, askSecret])("a question of others moves nothing on the screen", async (ask) => {
  const { stdout } = await withStreams({ person: [["Well", "\r"]] }, () => ask("Well \u001b]0;title\u0007\u001b[9A?"))
  expect(["\u001b]0", "\u001b[9A"].filter((sequence) => stdout.includes(sequence))).toEqual([])
})

describe("a list", () => {
  const choices = [
    { label: "Alpha", hint: "the first" },
    { label: "Beta \u001b[31mred", hint: undefined },
    { label: "Gamma ".repeat(60) },
  ]
  const picked = async (types: string, sees: string | RegExp = "Well") => {
    let label: string | undefined = "nothing"
    const { stdout } = await withStreams({ person: [[sees, types]], columns: 60 }, async () => {
      label = (await pick("Well?", choices))?.label
    })
    return { label, stdout }
  }

  it.each([
    ["the first for Enter alone", "\r", "Alpha"],
    ["the next for an arrow", "\u001b[B\r", choices[1]?.label],
    ["what the letters leave", "gam\r", choices[2]?.label],
    ["what the letters of a hint leave", "the fir\r", "Alpha"],
    ["nothing for Ctrl-C", "\u0003", undefined],
    ["nothing when the input ends", "\u0004", undefined],
    ["nothing that is not there, but waits", "zzz\r\u0003", undefined],
  ])("gives %s", async (_, types, label) => {
    expect((await picked(types)).label).toBe(label)
  })

  it("shows what others wrote without its control characters, and on one line each", async () => {
    const { stdout } = await picked("\u0003", /Gamma/)
    expect(stdout).not.toContain("\u001b[31m")
    expect(
      Math.max(
        ...stripVTControlCharacters(stdout)
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(60)
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
