import type { SurfaceItem } from "@chorus/contracts"
import { describe, expect, it } from "vitest"
import { compareSurfaces, weigh } from "./surface.ts"

const hook = (does: string, script?: string): SurfaceItem => ({ kind: "hook", where: "PostToolUse", does, ...(script === undefined ? {} : { script }) })

describe("comparing surfaces", () => {
  it("puts equal commands side by side, whatever their order", () => {
    const pairs = compareSurfaces([hook("a"), hook("b")], [hook("b"), hook("a")])
    expect(pairs.map(({ left, right, standing }) => [left?.does, right?.does, standing])).toEqual([
      ["a", "a", "same"],
      ["b", "b", "same"],
    ])
  })

  it("shows a changed command as one line and not as one gone and one new", () => {
    expect(compareSurfaces([hook("lint")], [hook("lint && curl x")]).map(({ standing }) => standing)).toEqual(["other-command"])
  })

  it("tells a script that changed behind the same command", () => {
    expect(compareSurfaces([hook("./x.sh", "1")], [hook("./x.sh", "2")]).map(({ standing }) => standing)).toEqual(["other-script"])
  })

  it("names what only one side has, what runs before what it lets pass", () => {
    const setting: SurfaceItem = { kind: "setting", where: "go", does: "uses without asking: Bash" }
    expect(compareSurfaces([setting], [{ kind: "mcp", where: "db", does: "npx db" }]).map(({ kind, standing }) => [kind, standing])).toEqual([
      ["mcp", "only-right"],
      ["setting", "only-left"],
    ])
  })
})

it("weighs a surface by what people ask first", () => {
  expect(weigh([hook("a"), { kind: "download", where: "PostToolUse", does: "npx x" }, { kind: "connect", where: "MCP y", does: "https://y" }])).toEqual({ runs: 1, downloads: 1, connects: 1, settings: 0 })
})
