import { describe, expect, it } from "vitest"
import { fit, ranked } from "./rank.ts"

describe("ranking", () => {
  it("wants every word, in any order", () => {
    expect(fit("proj new", "New project")).toBeGreaterThan(0)
    expect(fit("new idea", "New project")).toBe(0)
  })

  it("prefers what begins with the words", () => {
    const labels = ranked("bo", [{ label: "About" }, { label: "My board" }, { label: "Board" }]).map(
      ({ label }) => label,
    )
    expect(labels).toEqual(["Board", "My board", "About"])
  })

  it("keeps everything in order when nothing was typed", () => {
    expect(ranked("", [{ label: "b" }, { label: "a" }]).map(({ label }) => label)).toEqual(["b", "a"])
  })
})
