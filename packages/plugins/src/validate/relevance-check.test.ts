import { describe, expect, it } from "vitest"
import { findings } from "../../test/scratch.ts"
import { checkRelevance } from "./relevance-check.ts"

const found = (relevance: unknown) => findings((report, file) => checkRelevance(report, file, ["r"], relevance))
const signals = (more: Record<string, unknown>) => found({ signals: more })
const many = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`)

describe("when a marketplace suggests a plugin", () => {
  it.each([
    [{ topic: "x".repeat(64), signals: { cli: ["git"] } }],
    [
      {
        signals: {
          cwd: many(10),
          filesRead: ["*.go"],
          hosts: many(20),
          cli: ["x".repeat(64)],
          manifestDeps: [{ file: "package\\.json", pattern: "react" }],
        },
      },
    ],
    [{ signals: { hosts: ["api.x-y.example", "a"] } }],
    [{ signals: { cli: [] } }],
  ])("%j is right", (relevance) => {
    expect(found(relevance)).toEqual([])
  })

  it.each([
    ["text", ["warning field_ignored r"]],
    [[], ["warning field_ignored r"]],
    [{}, ["error relevance_invalid r.signals"]],
    [{ signals: [] }, ["error relevance_invalid r.signals"]],
    [{ signals: {} }, ["error relevance_invalid r.signals"]],
    [{ topic: "x".repeat(65), signals: { cli: [] } }, ["error relevance_invalid r.topic"]],
    [{ topic: 7, signals: { cli: [] } }, ["error relevance_invalid r.topic"]],
    [{ weight: 1, signals: { cli: [] } }, ["warning field_unknown r.weight"]],
    [{ signals: { cli: [], moon: [] } }, ["warning field_unknown r.signals.moon"]],
  ])("%j gives: %j", (relevance, expected) => {
    expect(found(relevance)).toEqual(expected)
  })

  it("takes no name that every object has for a signal", () => {
    expect(signals({ toString: [], constructor: [] })).toEqual([
      "error relevance_invalid r.signals",
      "warning field_unknown r.signals.toString",
      "warning field_unknown r.signals.constructor",
    ])
  })

  it.each([
    ["cwd", 10, 256],
    ["filesRead", 10, 256],
    ["cli", 10, 64],
    ["hosts", 20, 256],
  ])("%s is a list of at most %i, each of at most %i characters", (key, most, longest) => {
    expect(signals({ [key]: many(most) })).toEqual([])
    expect(signals({ [key]: many(most + 1) })).toEqual([`error relevance_invalid r.signals.${key}`])
    expect(signals({ [key]: "x" })).toEqual([`error relevance_invalid r.signals.${key}`])
    expect(signals({ [key]: ["x".repeat(longest), "x".repeat(longest + 1), "", 7] })).toEqual(
      [1, 2, 3].map((index) => `error relevance_invalid r.signals.${key}[${index}]`),
    )
  })

  it.each(["https://x.example", "x.example:80", "x.example/y", "X.example", ".example", "x.example.", "x y"])(
    "%s is no host",
    (host) => {
      expect(signals({ hosts: [host] })).toEqual(["error relevance_invalid r.signals.hosts[0]"])
    },
  )

  it.each([
    [Array.from({ length: 11 }, () => ({ file: "a", pattern: "b" })), ""],
    ["x", ""],
    [["x"], "[0]"],
    [[{ file: "a" }], "[0]"],
    [[{ file: "(", pattern: "b" }], "[0]"],
    [[{ file: "a", pattern: "x".repeat(257) }], "[0]"],
  ])("manifestDeps %j is refused", (value, at) => {
    expect(signals({ manifestDeps: value })).toEqual([`error relevance_invalid r.signals.manifestDeps${at}`])
  })
})
