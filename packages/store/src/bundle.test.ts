import { createHash } from "node:crypto"
import { array, assert, constantFrom, property, string, tuple } from "fast-check"
import { describe, expect, it } from "vitest"
import { badBundle, BundleTally } from "./bundle.ts"

describe("the tally of a bundle", () => {
  it("of nothing is no rows, and the digest of nothing", () => {
    expect(new BundleTally().end()).toEqual({
      end: true,
      rows: {},
      sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    })
  })

  it("counts rows by their table", () => {
    const tally = new BundleTally()
    for (const table of ["users", "tasks", "users"]) tally.add(table, "{}")
    expect(tally.end().rows).toEqual({ users: 2, tasks: 1 })
  })

  it("digests each line with its line break, as a file holds it", () => {
    const tally = new BundleTally()
    tally.add("users", '{"a":1}')
    tally.add("users", '{"b":"ü"}')
    expect(tally.end().sha256).toBe(createHash("sha256").update('{"a":1}\n{"b":"ü"}\n').digest("hex"))
  })

  it("is the same for the same lines, and another for others", () => {
    const lines = array(tuple(constantFrom("users", "tasks"), string({ maxLength: 5 })), { maxLength: 6 })
    const tallied = (all: readonly (readonly [string, string])[]) => {
      const tally = new BundleTally()
      for (const [table, line] of all) tally.add(table, line)
      return tally.end()
    }
    assert(
      property(lines, lines, (some, others) => {
        expect(tallied(some)).toEqual(tallied([...some]))
        const sameLines =
          JSON.stringify(some.map(([, line]) => line)) === JSON.stringify(others.map(([, line]) => line))
        if (!sameLines && !some.concat(others).some(([, line]) => line.includes("\n")))
          expect(tallied(some).sha256).not.toBe(tallied(others).sha256)
      }),
    )
  })
})

describe("a bundle that cannot be read", () => {
  it("is told with what is wrong, what to do, and where it came from", () => {
    const cause = new Error("unexpected end")
    expect(badBundle("line 3 is not JSON", cause)).toMatchObject({
      code: "bad_bundle",
      message: "This bundle cannot be read: line 3 is not JSON.",
      next: "Make a new export, and copy the file whole. Nothing was changed.",
      cause,
    })
  })
})
