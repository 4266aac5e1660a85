import { describe, expect, it } from "vitest"
import { networkOf, outsideOf } from "./visitor.ts"

describe("networkOf", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"],
  ])("counts %s as %s", (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe("outsideOf", () => {
  it("believes no proxy unless told", () => {
    expect(outsideOf({}, {})).toEqual({ publicUrl: undefined, trustProxy: false })
    expect(outsideOf({}, { CHORUS_TRUST_PROXY: "1", CHORUS_PUBLIC_URL: "https://chorus.example.com" })).toEqual({ publicUrl: "https://chorus.example.com", trustProxy: true })
  })

  it("refuses an address that no browser could open", () => {
    for (const publicUrl of ["chorus.example.com", "ftp://chorus.example.com", "javascript:alert(1)"]) {
      expect(() => outsideOf({ publicUrl }, {})).toThrow(expect.objectContaining({ code: "public_url_invalid" }))
    }
  })
})
