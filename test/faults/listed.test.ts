import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "..", "..")
const FAULTS = 46
const HEADER = /^\| (no\.|编号|---|who|谁|what it tries|它尝试什么|what is promised|承诺什么|door|门) \|/

interface Named {
  readonly file: string
  readonly title: string
}

describe.each(["docs/faults.md", "docs/security.md", "docs/zh/faults.md", "docs/zh/security.md"])("%s", (document) => {
  const named = testsIn(read(document))

  it("names tests that exist", () => {
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((one) => !exists(one)).map(({ file, title }) => `${file} > ${title}`)).toEqual([])
  })

  it("names a test in every row that says what is done", () => {
    const rows = read(document)
      .split("\n")
      .filter((line) => line.startsWith("| ") && !HEADER.test(line) && line.split(" | ").length >= 2)
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter((row) => testsIn(row).length === 0)).toEqual([])
  })
})

it.each(["docs/faults.md", "docs/zh/faults.md"])("no fault is missing from %s, and none is there twice", (document) => {
  const numbers = [...read(document).matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]))
  expect(numbers).toEqual(Array.from({ length: FAULTS }, (_, at) => at + 1))
})

it("a test that is renamed or gone is noticed", () => {
  expect(exists({ file: "test/faults/listed.test.ts", title: "a test that is renamed or gone is noticed" })).toBe(true)
  expect(exists({ file: "test/faults/listed.test.ts", title: "a test that is renamed" })).toBe(false)
  expect(exists({ file: "test/faults/unlisted.test.ts", title: "a test that is renamed or gone is noticed" })).toBe(
    false,
  )
})

/** `path/of/a.test.ts` > "title of the test" */
function testsIn(text: string): Named[] {
  return [...text.matchAll(/`([\w./-]+\.test\.tsx?)` > "([^"]+)"/g)].map(([, file = "", title = ""]) => ({
    file,
    title,
  }))
}

/** Whether a file of the everyday run declares a test or a group of that very title. */
function exists({ file, title }: Named): boolean {
  if (file.endsWith(".matrix.test.ts") || !existsSync(join(ROOT, file))) return false
  const literal = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
  return new RegExp(`\\(\\s*["\`]${literal}["\`],`).test(read(file))
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8")
}
