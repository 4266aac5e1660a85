import { describe, expect, it } from "vitest"
import { hueOf, HUES, initials } from "./hue.ts"

describe("hues", () => {
  it("gives a session the same hue every time, and spreads sessions over all of them", () => {
    const uuids = Array.from({ length: 400 }, (_, index) => `0199-${index}-session`)
    const counts = new Map<number, number>()
    for (const uuid of uuids) counts.set(hueOf(uuid), (counts.get(hueOf(uuid)) ?? 0) + 1)
    expect(hueOf("a")).toBe(hueOf("a"))
    expect(counts.size).toBe(HUES)
    expect(Math.min(...counts.values())).toBeGreaterThan(20)
  })

  it("takes whole characters for initials", () => {
    expect(initials("front-end worker")).toBe("FE")
    expect(initials("王小明")).toBe("王")
    expect(initials("𝒳 y")).toBe("𝒳Y")
    expect(initials("  ")).toBe("?")
  })
})
