import { describe, expect, it } from "vitest"
import { losesOwner, mayManage } from "./stewardship.ts"

describe("mayManage", () => {
  it("lets an owner manage everybody", () => {
    for (const target of ["owner", "admin", "member", "viewer"] as const)
      expect(mayManage({ by: "owner", target, becomes: "owner" })).toBe(true)
  })

  it("keeps an admin from owners, and from making one", () => {
    expect(mayManage({ by: "admin", target: "admin", becomes: "member" })).toBe(true)
    expect(mayManage({ by: "admin", target: "owner" })).toBe(false)
    expect(mayManage({ by: "admin", target: "member", becomes: "owner" })).toBe(false)
  })

  it("gives nobody else a say", () => {
    for (const by of ["member", "viewer"] as const) expect(mayManage({ by, target: "viewer" })).toBe(false)
  })
})

describe("losesOwner", () => {
  it("sees an active owner demoted or disabled", () => {
    expect(losesOwner({ role: "owner", isActive: true, becomes: "admin" })).toBe(true)
    expect(losesOwner({ role: "owner", isActive: true, disabled: true })).toBe(true)
  })

  it("sees nothing in other changes", () => {
    expect(losesOwner({ role: "owner", isActive: true, becomes: "owner" })).toBe(false)
    expect(losesOwner({ role: "owner", isActive: true, disabled: false })).toBe(false)
    expect(losesOwner({ role: "owner", isActive: false, becomes: "viewer" })).toBe(false)
    expect(losesOwner({ role: "admin", isActive: true, disabled: true })).toBe(false)
  })
})
