import type { SurfaceItem } from "@chorus/contracts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareSurfaces, inOrder, weigh } from "./Surface.tsx"

const hook = (does: string, script?: string): SurfaceItem => ({
  kind: "hook",
  where: "PostToolUse",
  does,
  ...(script === undefined ? {} : { script }),
})

const KINDS = [
  "install-command",
  "hook",
  "mcp",
  "lsp",
  "monitor",
  "binary",
  "module",
  "workflow",
  "inline-command",
  "download",
  "connect",
  "setting",
] as const
const items = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    where: fc.constantFrom("a", "b"),
    does: fc.constantFrom("x", "y", "z"),
  }),
  { maxLength: 8 },
)

/** Both sides of a comparison, line by line, as a person reads them. */
const lines = (left: readonly SurfaceItem[], right: readonly SurfaceItem[]) =>
  compareSurfaces(left, right).map(
    (pair) => `${pair.left?.does ?? "–"} | ${pair.right?.does ?? "–"} | ${pair.standing}`,
  )

describe("comparing surfaces", () => {
  it("puts equal commands side by side, whatever their order", () => {
    expect(lines([hook("a"), hook("b")], [hook("b"), hook("a")])).toEqual(["a | a | same", "b | b | same"])
  })

  it("shows a changed command as one line and not as one gone and one new", () => {
    expect(lines([hook("lint")], [hook("lint && curl x")])).toEqual(["lint | lint && curl x | other-command"])
  })

  it("lets equal ones meet before a changed one takes their place", () => {
    expect(lines([hook("old"), hook("kept")], [hook("kept"), hook("new")])).toEqual([
      "old | new | other-command",
      "kept | kept | same",
    ])
  })

  it.each([
    ["1", "2", "other-script"],
    ["1", undefined, "other-script"],
    [undefined, undefined, "same"],
    ["1", "1", "same"],
  ])("tells of a script %s that is %s behind the same command: %s", (before, after, standing) => {
    expect(compareSurfaces([hook("./x.sh", before)], [hook("./x.sh", after)]).map((pair) => pair.standing)).toEqual([
      standing,
    ])
  })

  it("never pairs what happens at different places", () => {
    expect(lines([{ kind: "hook", where: "Stop", does: "a" }], [{ kind: "hook", where: "Start", does: "a" }])).toEqual([
      "– | a | only-right",
      "a | – | only-left",
    ])
  })

  it("names what only one side has, what runs before what it lets pass", () => {
    const setting: SurfaceItem = { kind: "setting", where: "go", does: "uses without asking: Bash" }
    expect(
      compareSurfaces([setting], [{ kind: "mcp", where: "db", does: "npx db" }]).map(({ kind, standing }) => [
        kind,
        standing,
      ]),
    ).toEqual([
      ["mcp", "only-right"],
      ["setting", "only-left"],
    ])
  })

  it("says nothing of two that do nothing", () => {
    expect(compareSurfaces([], [])).toEqual([])
  })

  it("loses no line of either side and shows none twice", () => {
    fc.assert(
      fc.property(items, items, (left, right) => {
        const pairs = compareSurfaces(left, right)
        const shown = (side: "left" | "right") =>
          pairs
            .flatMap((pair) => pair[side] ?? [])
            .map((item) => JSON.stringify(item))
            .toSorted()
        expect(shown("left")).toEqual(left.map((item) => JSON.stringify(item)).toSorted())
        expect(shown("right")).toEqual(right.map((item) => JSON.stringify(item)).toSorted())
      }),
    )
  })

  it("finds nothing different between a surface and itself in another order", () => {
    const shuffled = items.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, ([all, others]) =>
        compareSurfaces(all, others).every(({ standing }) => standing === "same"),
      ),
    )
  })

  it("says the opposite when the sides change places", () => {
    const count = (pairs: ReturnType<typeof compareSurfaces>, standing: string) =>
      pairs.filter((pair) => pair.standing === standing).length
    fc.assert(
      fc.property(items, items, (left, right) => {
        const [there, back] = [compareSurfaces(left, right), compareSurfaces(right, left)]
        expect(count(there, "only-left")).toBe(count(back, "only-right"))
        expect(count(there, "same")).toBe(count(back, "same"))
      }),
    )
  })
})

describe("a surface in order", () => {
  it("goes from what runs on its own to what is merely let pass", () => {
    const mixed = KINDS.toReversed().map((kind): SurfaceItem => ({ kind, where: "x", does: "y" }))
    expect(inOrder(mixed).map(({ kind }) => kind)).toEqual(KINDS)
  })

  it("goes by place within a kind, and leaves the given list alone", () => {
    const given: SurfaceItem[] = [
      { kind: "hook", where: "Stop", does: "1" },
      { kind: "hook", where: "Edit", does: "2" },
    ]
    expect(inOrder(given).map(({ where }) => where)).toEqual(["Edit", "Stop"])
    expect(given.map(({ where }) => where)).toEqual(["Stop", "Edit"])
  })
})

describe("the weight of a surface", () => {
  it("is by what people ask first", () => {
    expect(
      weigh([
        hook("a"),
        { kind: "download", where: "PostToolUse", does: "npx x" },
        { kind: "connect", where: "MCP y", does: "https://y" },
      ]),
    ).toEqual({ runs: 1, downloads: 1, connects: 1, settings: 0 })
  })

  it("counts every line exactly once", () => {
    fc.assert(
      fc.property(items, (all) => {
        const { runs, downloads, connects, settings } = weigh(all)
        return runs >= 0 && runs + downloads + connects + settings === all.length
      }),
    )
  })
})
