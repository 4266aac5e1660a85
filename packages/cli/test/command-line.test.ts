import { expect, it } from "vitest"
import { scratchFolder, withStreams } from "./command-line.ts"

scratchFolder()

it("lends a command an environment, and may end before the command does", () => {
  void withStreams({ env: { CHORUS_LENT: "yes" } }, () => new Promise((end) => setTimeout(end, 300)))
  expect(process.env["CHORUS_LENT"]).toBe("yes")
})

it("has back what a command before it was lent", () => {
  expect(process.env["CHORUS_LENT"]).toBeUndefined()
})
