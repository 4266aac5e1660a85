import { ChorusError } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { withStreams } from "../test/command-line.ts"
import { paint, printError, printJson, printTable } from "./output.ts"

const printed = async (print: () => void, surroundings = {}) => withStreams(surroundings, async () => print())

describe("a table", () => {
  it("has columns as wide as their widest cell and no blanks at the end of a line", async () => {
    const { stdout } = await printed(() =>
      printTable(
        ["name", "state"],
        [
          ["a", "on"],
          ["longer name", "off"],
          ["b", ""],
        ],
      ),
    )
    expect(stdout).toBe("name         state\na            on\nlonger name  off\nb\n")
  })

  it("is its header alone when there is nothing to list", async () => {
    expect((await printed(() => printTable(["name", "uuid"], []))).stdout).toBe("name  uuid\n")
  })

  it("counts wide letters as the terminal does", async () => {
    const { stdout } = await printed(() =>
      printTable(
        ["name", "n"],
        [
          ["项目计划", "1"],
          ["plan", "2"],
        ],
      ),
    )
    expect(stdout).toBe("name      n\n项目计划  1\nplan      2\n")
  })

  it("does not count colours", async () => {
    const { stdout } = await printed(() =>
      printTable(
        ["", "what"],
        [
          ["\u001b[32mok\u001b[39m", "one"],
          ["no", "two"],
        ],
      ),
    )
    expect(stdout).toBe("    what\n\u001b[32mok\u001b[39m  one\nno  two\n")
  })

  it("keeps each row on its line and the cursor where it is, whatever a cell says", async () => {
    const { stdout } = await printed(() =>
      printTable(
        ["name", "n"],
        [
          ["two\n  lines", "1"],
          ["up\u001b[9A", "2"],
        ],
      ),
    )
    expect(stdout).toBe("name         n\ntwo lines    1\nup\\u{1b}[9A  2\n")
  })

  it("gives a row with fewer cells an empty rest, and shows cells beyond the header", async () => {
    expect((await printed(() => printTable(["a", "b"], [["1"], ["1", "2", "3"]]))).stdout).toBe("a  b\n1\n1  2  3\n")
  })
})

describe("colours", () => {
  it("are for a terminal, not for programs", async () => {
    const { stdout } = await printed(() => process.stdout.write(paint("red", "x")))
    expect(stdout).toBe("x")
  })
})

describe("an answer for programs", () => {
  it("is JSON with an end of line", async () => {
    expect((await printed(() => printJson({ name: "Größe", list: [] }))).stdout).toBe(
      '{\n  "name": "Größe",\n  "list": []\n}\n',
    )
  })
})

describe("an error", () => {
  const refused = new ChorusError("not_found", "There is no agent called bob.", {
    status: 404,
    next: "See `chorus agent list`.",
    details: { name: "bob" },
  })

  it("tells people what happened and what to do next, and sets the exit code", async () => {
    expect(await printed(() => printError(refused, false))).toEqual({
      code: 1,
      stdout: "",
      stderr: "error There is no agent called bob. [not_found]\nnext  See `chorus agent list`.\n",
    })
  })

  it("names as commands what agents call tools", async () => {
    const refusal = new ChorusError("odd", "Odd.", { next: "Read it with chorus_get_change, or `chorus_get_task`." })
    const { stderr } = await printed(() => printError(refusal, false))
    expect(stderr).toContain("Read it with `chorus change show TASK --patch`, or `chorus call chorus_get_task`.")
    expect((await printed(() => printError(refusal, true))).stderr).toContain("with chorus_get_change")
  })

  it("says nothing of a next step where there is none", async () => {
    expect((await printed(() => printError(new ChorusError("odd", "Odd."), false))).stderr).toBe("error Odd. [odd]\n")
  })

  it("is one line of JSON for programs, with everything in it", async () => {
    const { stderr } = await printed(() => printError(refused, true))
    expect(stderr.trimEnd().split("\n")).toHaveLength(1)
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "not_found",
        message: "There is no agent called bob.",
        next: "See `chorus agent list`.",
        details: { name: "bob" },
      },
    })
  })

  it("does not let the code of a server that is not to be trusted play with the terminal", async () => {
    const { stderr } = await printed(() => printError(new ChorusError("odd\u001b[2J\n✔ safe", "Odd."), false))
    expect(stderr).toBe("error Odd. [odd\\u{1b}[2J\\u{a}✔ safe]\n")
  })

  it("does not let a name in its message play with the terminal", async () => {
    const { stderr } = await printed(() =>
      printError(
        new ChorusError("ambiguous", "2 agents are called \u001b]0;x\u0007.", { next: "Name\u001b[2J one." }),
        false,
      ),
    )
    expect(stderr).toBe("error 2 agents are called \\u{1b}]0;x\\u{7}. [ambiguous]\nnext  Name\\u{1b}[2J one.\n")
  })

  it("lets no line break in its message begin a line as ours do, nor a colour in", async () => {
    const { stderr } = await printed(() =>
      printError(new ChorusError("odd", "The name nl\n✔ safe\u001b[8m is odd."), false),
    )
    expect(stderr).toBe("error The name nl\n      ✔ safe\\u{1b}[8m is odd. [odd]\n")
  })

  it.each([
    [
      "an error of ours shows where it came from",
      new TypeError("x is not a function"),
      /^TypeError: x is not a function\n +at /,
    ],
    ["something thrown that is no error is shown as it is", "just text", /^just text\n$/],
  ])("%s", async (_, thrown, shown) => {
    const { code, stderr } = await printed(() => printError(thrown, false))
    expect(code).toBe(1)
    expect(stderr).toMatch(shown)
  })

  it("that nobody foresaw is JSON for programs too", async () => {
    const { code, stderr } = await printed(() => printError(new TypeError("x is not a function"), true))
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "internal", message: "x is not a function", next: expect.any(String) },
    })
  })
})
