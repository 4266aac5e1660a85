import { matchesGlob } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { globsOverlap, normalGlob } from "./glob-conflict.ts"

const segment = fc.constantFrom("src", "test", "a", "b", "a.ts", "b.ts")
const globSegment = fc.oneof(segment, fc.constantFrom("*", "**", "*.ts", "?", "a*", "{a,b}", "[ab].ts", "{src,test}"))
const glob = fc.array(globSegment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))

describe("globsOverlap", () => {
  it("never says no when some path matches both", () => {
    fc.assert(
      fc.property(glob, glob, path, (left, right, file) => {
        if (matchesGlob(file, left) && matchesGlob(file, right)) expect(globsOverlap(left, right)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it("is the same both ways", () => {
    fc.assert(fc.property(glob, glob, (left, right) => globsOverlap(left, right) === globsOverlap(right, left)))
  })

  it.each([
    ["src/a.ts", "src/b.ts"],
    ["src/server/**", "src/web/**"],
    ["src/*.ts", "src/*.css"],
    ["**/*.md", "**/*.ts"],
    ["{a,b}/x", "{c,d}/x"],
    ["docs", "src/docs"],
  ])("tells %s from %s", (left, right) => expect(globsOverlap(left, right)).toBe(false))

  it.each([
    ["src/**", "src/a.ts"],
    ["src", "src/deep/file.ts"],
    ["**/*.ts", "src/web/page.ts"],
    ["src/{a,b}.ts", "src/b.ts"],
    ["SRC/a.ts", "src/A.ts"],
    ["src/[ab].ts", "src/a.ts"],
    ["*", "anything/below"],
    ["{a,b,c,d}{e,f,g,h}{i,j,k,l}/x", "anything/else"],
  ])("sees %s and %s meet", (left, right) => expect(globsOverlap(left, right)).toBe(true))
})

describe("normalGlob", () => {
  it("brings spellings of one path together", () => {
    for (const text of ["./src//a.ts", "src\\a.ts", " src/a.ts/ "])
      expect(normalGlob(text)).toEqual({ glob: "src/a.ts" })
  })

  it.each(["", ".", "/etc/passwd", "C:\\x", "~/x", "a/../../b"])("refuses %j", (text) =>
    expect(normalGlob(text)).toHaveProperty("fault"),
  )
})
