import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const ROOT = join(import.meta.dirname, "..", "..")
const FAULTS = 46
const APPENDIX = /^## (Appendix|附录)/m

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

  it("names a test in its appendix for every number above, and none for others", () => {
    const [promised = "", appendix = ""] = read(document)
      .split(APPENDIX)
      .filter((part) => part.includes("|"))
    expect(testsIn(promised)).toEqual([])
    expect(rowsOf(promised).length).toBeGreaterThan(10)
    expect(numbersOf(appendix)).toEqual(numbersOf(promised))
    expect(rowsOf(appendix).filter((row) => testsIn(row).length === 0)).toEqual([])
  })

  it("has a number in every row of every table", () => {
    const tables = read(document)
      .split("\n")
      .filter((line) => line.startsWith("| "))
    expect(tables.filter((line) => !/^\| (\d+|no\.|编号|---) \|/.test(line))).toEqual([])
  })
})

it.each(["faults", "security"])("both languages of %s name the same tests for the same numbers", (page) => {
  const [one, other] = ["docs", "docs/zh"].map((folder) =>
    rowsOf(read(`${folder}/${page}.md`).split(APPENDIX).at(-1) ?? ""),
  )
  expect(other).toEqual(one)
})

it.each(["docs/faults.md", "docs/zh/faults.md"])("no fault is missing from %s, and none is there twice", (document) => {
  const [promised = ""] = read(document).split(APPENDIX)
  expect(numbersOf(promised)).toEqual(Array.from({ length: FAULTS }, (_, at) => at + 1))
})

it("a test that is renamed or gone is noticed", () => {
  expect(exists({ file: "test/faults/listed.test.ts", title: "a test that is renamed or gone is noticed" })).toBe(true)
  expect(exists({ file: "test/faults/listed.test.ts", title: "a test that is renamed" })).toBe(false)
  expect(exists({ file: "test/faults/unlisted.test.ts", title: "a test that is renamed or gone is noticed" })).toBe(
    false,
  )
})

function rowsOf(text: string): string[] {
  return text.split("\n").filter((line) => /^\| \d+ \|/.test(line))
}

function numbersOf(text: string): number[] {
  return rowsOf(text).map((row) => Number(row.split(" ")[1]))
}

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
