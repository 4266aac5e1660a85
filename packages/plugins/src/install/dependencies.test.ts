import { expect, test } from "vitest"
import { catalogueOf } from "../marketplace/catalogue.ts"
import { closureOf, findCycle } from "./dependencies.ts"
import { dependenciesIn, formatId, parseId } from "./installed.ts"
import { versionOf } from "./version.ts"

function facts(
  markets: Record<string, Record<string, unknown[]>>,
  allow: Record<string, string[]> = {},
  installed: string[] = [],
) {
  const catalogues = new Map(
    Object.entries(markets).map(([name, plugins]) => [
      name,
      catalogueOf(
        {
          name,
          owner: { name: "o" },
          plugins: Object.entries(plugins).map(([plugin, dependencies]) => ({
            name: plugin,
            source: "./x",
            dependencies,
          })),
          allowCrossMarketplaceDependenciesOn: allow[name] ?? [],
        },
        "/",
        "f",
      ),
    ]),
  )
  return { catalogueOf: (name: string) => catalogues.get(name), isInstalled: (id: string) => installed.includes(id) }
}

test("dependencies come before what needs them, each once, with every range that is asked of it", () => {
  const closure = closureOf(
    { name: "a", marketplace: "m" },
    facts({ m: { a: ["b", { name: "c", version: "^1" }], b: [{ name: "c", version: "~1.2" }], c: [] } }),
  )
  expect(closure.map((one) => [formatId(one), one.ranges])).toEqual([
    ["c@m", ["~1.2", "^1"]],
    ["b@m", []],
    ["a@m", []],
  ])
})

test("a cycle is told as the way round it", () => {
  expect(() => closureOf({ name: "a", marketplace: "m" }, facts({ m: { a: ["b"], b: ["c"], c: ["b"] } }))).toThrow(
    "b@m → c@m → b@m",
  )
  expect(
    findCycle(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["a"]],
      ]),
    ),
  ).toEqual(["a", "b", "c", "a"])
  expect(
    findCycle(
      new Map([
        ["a", ["b", "c"]],
        ["b", ["c"]],
        ["c", []],
      ]),
    ),
  ).toBeUndefined()
})

test("only the root's marketplace vouches for others; trust is not handed on", () => {
  const markets = { m: { a: ["b@n"] }, n: { b: ["c@o"] }, o: { c: [] } }
  const root = { name: "a", marketplace: "m" }
  expect(() => closureOf(root, facts(markets))).toThrow(/does not vouch/)
  expect(() => closureOf(root, facts(markets, { m: ["n"], n: ["o"] }))).toThrow(/"o"/)
  expect(closureOf(root, facts(markets, { m: ["n", "o"] })).map(formatId)).toEqual(["c@o", "b@n", "a@m"])
  expect(closureOf(root, facts(markets, { m: ["n"] }, ["c@o"])).map(formatId)).toEqual(["c@o", "b@n", "a@m"])
})

test("every form of a dependency is read", () => {
  expect(
    dependenciesIn(
      { dependencies: ["a", "b@x", "c@^1.0", "d@x@^2.0", { name: "e", marketplace: "y", version: "~3" }, 7, ""] },
      "m",
    ),
  ).toEqual([
    { name: "a", marketplace: "m", range: undefined },
    { name: "b", marketplace: "x", range: undefined },
    { name: "c", marketplace: "m", range: "^1.0" },
    { name: "d", marketplace: "x", range: "^2.0" },
    { name: "e", marketplace: "y", range: "~3" },
  ])
})

test("ids have two halves and nothing that could be a path", () => {
  expect(parseId("a.b@m_1")).toEqual({ name: "a.b", marketplace: "m_1" })
  for (const text of ["a", "@m", "a@", "../a@m", "a@../m", "a b@m", "a@m/x"])
    expect(() => parseId(text)).toThrow(/name@marketplace/)
})

test("versions are computed as the real program does", () => {
  const commit = "1a6f23a4d18d".padEnd(40, "0")
  const hash = `sha256-${"ab".repeat(32)}`
  expect(versionOf({ source: { source: "url" }, manifestVersion: "3.0.0", commit, contentHash: hash })).toBe("3.0.0")
  expect(versionOf({ source: { source: "url" }, manifestVersion: undefined, commit, contentHash: hash })).toBe(
    "1a6f23a4d18d",
  )
  expect(
    versionOf({
      source: { source: "git-subdir", path: "./tools/x/" },
      manifestVersion: undefined,
      commit,
      contentHash: hash,
    }),
  ).toBe("1a6f23a4d18d-af1330de")
  expect(
    versionOf({
      source: { source: "archive" },
      manifestVersion: undefined,
      archiveDigest: "f".repeat(64),
      contentHash: hash,
    }),
  ).toBe("ffffffffffff")
  expect(versionOf({ source: { source: "npm" }, manifestVersion: undefined, contentHash: hash })).toBe("unknown")
  expect(versionOf({ source: { source: "command" }, manifestVersion: "0.1.0", contentHash: hash })).toBe(
    "0.1.0-abababababab",
  )
  expect(
    versionOf({ source: { source: "url" }, manifestVersion: "2.1.0", commit, contentHash: hash, tagVersion: "2.1.0" }),
  ).toBe("2.1.0-1a6f23a4d18d")
})
