import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { linesOf } from "./bundle-lines.ts"

it.each([
  ["nothing", "", []],
  ["lines", "a\nb\n", ["a", "b"]],
  ["a last line without an end", "a\nb", ["a", "b"]],
  ["lines of another system", "a\r\nb\r\n", ["a", "b"]],
  ["empty lines", "a\n\nb\n", ["a", "", "b"]],
  ["a line longer than a piece of the file", `${"é".repeat(100_000)}\nb\n`, ["é".repeat(100_000), "b"]],
])("reads %s", async (_, text, lines) => {
  expect(await all(linesOf(holding(text)))).toEqual(lines)
})

it("refuses a line that does not end, before it is read whole", async () => {
  await expect(all(linesOf(holding(`short\n${"x".repeat(300_000)}`), 100_000))).rejects.toMatchObject({
    code: "bad_bundle",
  })
})

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = []
  for await (const line of lines) read.push(line)
  return read
}

function holding(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "chorus-lines-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "bundle"), text)
  return join(folder, "bundle")
}
