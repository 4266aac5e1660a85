import { describe, expect, it } from "vitest"
import { classes } from "./classes.ts"

describe("class names", () => {
  it("are joined in their order, without what does not apply", () => {
    expect(classes("flex", false, "gap-2", null, undefined, "", "p-1")).toBe("flex gap-2 p-1")
  })

  it("are nothing where nothing applies", () => {
    expect(classes(false, undefined)).toBe("")
  })
})
