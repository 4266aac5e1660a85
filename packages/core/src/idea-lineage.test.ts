import { describe, expect, it } from "vitest"
import { asForest, closesCircle } from "./idea-lineage.ts"

describe("closesCircle", () => {
  const parents: Record<string, string | null> = { a: null, b: "a", c: "b", lost: "gone" }
  const parentOf = (uuid: string) => parents[uuid]

  it("sees an idea become its own ancestor, however far up", () => {
    expect(closesCircle("a", "a", parentOf)).toBe(true)
    expect(closesCircle("a", "c", parentOf)).toBe(true)
  })

  it("lets an idea move beside or below others", () => {
    expect(closesCircle("c", "a", parentOf)).toBe(false)
    expect(closesCircle("a", "lost", parentOf)).toBe(false)
  })

  it("ends on links that already run in a circle elsewhere", () => {
    expect(closesCircle("z", "x", (uuid) => (uuid === "x" ? "y" : "x"))).toBe(false)
  })
})

describe("asForest", () => {
  const rows = [
    { uuid: "child", parentUuid: "root" },
    { uuid: "root", parentUuid: null },
    { uuid: "grandchild", parentUuid: "child" },
    { uuid: "orphan", parentUuid: "elsewhere" },
    { uuid: "second", parentUuid: "root" },
  ]

  it("puts parents before children and keeps siblings in order", () => {
    expect(asForest(rows).map(({ uuid, depth }) => [uuid, depth])).toEqual([
      ["root", 0],
      ["child", 1],
      ["grandchild", 2],
      ["second", 1],
      ["orphan", 0],
    ])
  })

  it("names the children of each", () => {
    expect(asForest(rows).find((row) => row.uuid === "root")?.childUuids).toEqual(["child", "second"])
  })
})
