import { agentPermissions } from "@chorus/core"
import { describe, expect, it } from "vitest"
import { beside, bitsOf, PRESETS } from "./permission-set.ts"

describe("permission sets", () => {
  it.each(PRESETS)("gives for %s what the server gives", (preset) => {
    expect([...bitsOf(preset)].sort()).toEqual([...agentPermissions([preset], [])].sort())
  })

  it("says what a preset lacks, or that it gives too much", () => {
    const wanted = new Set([...bitsOf("developer"), "document:write" as const])
    expect(beside("developer", wanted)).toEqual(["document:write"])
    expect(beside("admin", wanted)).toBeUndefined()
  })
})
