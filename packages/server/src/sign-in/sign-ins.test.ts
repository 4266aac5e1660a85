import { describe, expect, it } from "vitest"
import { needsRotation, stillCounts } from "./sign-ins.ts"

const at = (minutes: number) => new Date(Date.parse("2026-03-02T09:00:00Z") + minutes * 60_000).toISOString()

describe("stillCounts", () => {
  const row = { hash: "new", rotatedAt: at(0), lastUsedAt: at(1), expiresAt: at(1000), revokedAt: null }

  it("takes the current token until it expires or is revoked", () => {
    expect(stillCounts(row, "new", at(999))).toBe(true)
    expect(stillCounts(row, "new", at(1000))).toBe(false)
    expect(stillCounts({ ...row, revokedAt: at(1) }, "new", at(2))).toBe(false)
  })

  it("takes the replaced token only from requests under way, once the new one was used", () => {
    expect(stillCounts(row, "old", at(1))).toBe(true)
    expect(stillCounts(row, "old", at(1.1))).toBe(false)
  })

  it("takes the replaced token as long as the new one never arrived", () => {
    const lost = { ...row, lastUsedAt: at(-1) }
    expect(stillCounts(lost, "old", at(500))).toBe(true)
    expect(stillCounts({ ...lost, revokedAt: at(2) }, "old", at(500))).toBe(false)
    expect(stillCounts(lost, "old", at(1000))).toBe(false)
  })
})

describe("needsRotation", () => {
  const current = { uuid: "u", hash: "h", isCurrent: true, rotatedAt: at(0), lastUsedAt: at(0) }

  it("replaces a token after an hour", () => {
    expect(needsRotation(current, at(60))).toBe(false)
    expect(needsRotation(current, at(61))).toBe(true)
  })

  it("replaces a token whose replacement was lost, but not while that may still be under way", () => {
    expect(needsRotation({ ...current, isCurrent: false }, at(1))).toBe(false)
    expect(needsRotation({ ...current, isCurrent: false }, at(2))).toBe(true)
  })
})
