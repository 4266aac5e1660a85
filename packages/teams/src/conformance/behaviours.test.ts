import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const ROW = /^\| [^|]+ \| `([\w./-]+\.test\.ts)`: `([^`]+)` \|$/gm
const rowsOf = (page: string) =>
  [...readFileSync(new URL(`../../../../${page}`, import.meta.url), "utf8").matchAll(ROW)].map(
    ([, file = "", title = ""]) => ({
      file,
      title,
    }),
  )
const rows = rowsOf("docs/teams.md")

it.each(rows)("$file has the test that the book names: $title", ({ file, title }) => {
  expect(readFileSync(new URL(`../${file}`, import.meta.url), "utf8")).toMatch(
    new RegExp(`\\(\\s*"${title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}"`),
  )
})

it("is the same list in both languages", () => {
  expect(rows.length).toBeGreaterThan(30)
  expect(rowsOf("docs/zh/teams.md")).toEqual(rows)
})
