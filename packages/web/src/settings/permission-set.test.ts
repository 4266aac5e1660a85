import type { Permission } from "@chorus/contracts"
import { agentPermissions } from "@chorus/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ACTIONS, beside, bitsOf, PRESETS, RESOURCES, split } from "./permission-set.ts"

const ALL = RESOURCES.flatMap((resource) => ACTIONS.map((action): Permission => `${resource}:${action}`))
const anyBits = fc.subarray(ALL).map((bits): ReadonlySet<Permission> => new Set(bits))

describe("a preset", () => {
  it.each(PRESETS)("gives for %s what the server gives", (preset) => {
    expect([...bitsOf(preset)].sort()).toEqual([...agentPermissions([preset], [])].sort())
  })

  it("of a higher kind gives all that a lower one gives, and more", () => {
    expect([...bitsOf("lead")]).toEqual(expect.arrayContaining([...bitsOf("developer")]))
    expect([...bitsOf("admin")]).toEqual(expect.arrayContaining([...bitsOf("lead")]))
    expect(PRESETS.map((preset) => bitsOf(preset).size)).toEqual([6, 10, 15])
  })

  it("for those who work on tasks lets nothing else be written and nothing be decided", () => {
    expect([...bitsOf("developer")].filter((bit) => !bit.endsWith(":read"))).toEqual(["task:write"])
  })
})

describe("what has to be given beside a preset", () => {
  it("is what it lacks, or nothing can be said as it gives too much", () => {
    const wanted = new Set([...bitsOf("developer"), "document:write" as const])
    expect(beside("developer", wanted)).toEqual(["document:write"])
    expect(beside("developer", bitsOf("developer"))).toEqual([])
    expect(beside("admin", wanted)).toBeUndefined()
  })
})

describe("bits told as a preset and the rest", () => {
  it.each([
    ["a preset alone", bitsOf("lead"), { presets: ["lead"], permissions: [] }],
    ["everything", bitsOf("admin"), { presets: ["admin"], permissions: [] }],
    [
      "a preset and one bit",
      new Set<Permission>([...bitsOf("developer"), "idea:write"]),
      { presets: ["developer"], permissions: ["idea:write"] },
    ],
    ["too little for any preset", new Set<Permission>(["task:read"]), { presets: [], permissions: ["task:read"] }],
    ["nothing", new Set<Permission>(), { presets: [], permissions: [] }],
  ])("%s", (_, bits, told) => {
    expect(split(bits)).toEqual(told)
  })

  it("give on the server exactly the bits that were chosen", () => {
    fc.assert(
      fc.property(anyBits, (bits) => {
        const { presets, permissions } = split(bits)
        expect([...agentPermissions(presets, permissions)].sort()).toEqual([...bits].sort())
      }),
    )
  })
})
