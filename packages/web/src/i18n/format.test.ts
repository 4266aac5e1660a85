import { describe, expect, it } from "vitest"
import { formatFor } from "./format.ts"

const now = Date.parse("2026-05-01T12:00:00Z")
const en = formatFor("en")

describe("format", () => {
  it("says how long ago in the largest fitting unit", () => {
    expect(en.ago("2026-05-01T11:59:50Z", now)).toBe("now")
    expect(en.ago("2026-05-01T11:57:00Z", now)).toBe("3 min. ago")
    expect(en.ago("2026-04-29T12:00:00Z", now)).toBe("2 days ago")
    expect(formatFor("zh").ago("2026-05-01T11:57:00Z", now)).toContain("3")
    expect(formatFor("zh").ago("2026-05-01T11:59:50Z", now)).toBe("刚刚")
  })

  it("writes dollars the short way in every language", () => {
    expect([en.money(1.5), formatFor("zh").money(1.5)]).toEqual(["$1.50", "$1.50"])
  })

  it("says a length of time with at most two units", () => {
    expect(en.duration(12_000)).toBe("12 sec")
    expect(en.duration(125 * 60_000)).toBe("2 hr 5 min")
    expect(en.duration(3 * 86_400_000)).toBe("3 days")
  })
})
