import { describe, expect, it } from "vitest"
import { withStreams } from "../test/command-line.ts"
import { barLine, progressBar } from "./plugin/progress-bar.ts"
import { progress } from "./progress.ts"

/** What stands on the screen's last lines when each rewriting of a line replaces it. */
const shown = (text: string) => text.split("\r\u001b[2K").at(-1)

function work(json?: boolean) {
  return async () => {
    const shows = progress("copying", json)
    for (const part of [0, 0.001, 0.5, 0.999, 1, 1.2]) shows.at(part)
    shows.done("copied 3 rows")
  }
}

describe("how far long work is", () => {
  it("is its beginning and its end in a log", async () => {
    expect((await withStreams({}, work())).stderr).toBe("copying …\ncopied 3 rows\n")
  })

  it("is a line that moves at a terminal, each step once, never over a hundred", async () => {
    const { stderr } = await withStreams({ person: [] }, work())
    expect(stderr.split("\r\u001b[2K")).toEqual([
      "",
      "copying …",
      "copying … 0 %",
      "copying … 50 %",
      "copying … 99 %",
      "copying … 100 %",
      "copied 3 rows\n",
    ])
  })

  it("is nothing for programs", async () => {
    expect(await withStreams({ person: [] }, work(true))).toEqual({ code: 0, stdout: "", stderr: "" })
  })
})

describe("the bar of a download", () => {
  it.each([
    ["nothing yet", 0, 100, `x [${"░".repeat(24)}] 0 %`],
    ["half", 50, 100, `x [${"█".repeat(12)}${"░".repeat(12)}] 50 %`],
    ["almost all", 999, 1000, `x [${"█".repeat(24)}] 99 %`],
    ["more than was said", 120, 100, `x [${"█".repeat(24)}] 100 %`],
    ["of an unknown whole", 2048, undefined, "x 2 KiB"],
    ["of nothing", 0, 0, "x 0 KiB"],
  ])("shows %s", (_, done, total, line) => {
    expect(barLine("x", done, total)).toBe(line)
  })

  it("is drawn once for each step and gone at the end", async () => {
    const { stderr } = await withStreams({ person: [] }, async () => {
      const bar = progressBar()
      for (const done of [0, 0, 50, 100]) bar?.({ what: "x", done, total: 100 })
    })
    expect(stderr.match(/ %/g)).toHaveLength(3)
    expect(shown(stderr)).toBe("")
  })

  it("is not drawn where nobody watches", async () => {
    expect((await withStreams({}, async () => expect(progressBar()).toBeUndefined())).stderr).toBe("")
  })
})
