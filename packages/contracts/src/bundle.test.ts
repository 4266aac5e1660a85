import { describe, expect, it } from "vitest"
import { describeAnswer } from "../test/contract.ts"
import { BundleEnd, BundleHeader, BundleRow } from "./bundle.ts"

const header: BundleHeader = {
  chorus: "export",
  format: 1,
  schema: 8,
  version: "0.1.0",
  exportedAt: "2026-03-01T10:00:00.000Z",
  secrets: false,
  tables: { users: ["uuid", "name"] },
}

describeAnswer("BundleHeader", BundleHeader, header)

describeAnswer("BundleEnd", BundleEnd, { end: true, rows: { users: 2, empty: 0 }, sha256: "ab" })

describe("the first line of a bundle", () => {
  it.each([
    ["somebody else's file", { chorus: "backup" }],
    ["no schema", { schema: 0 }],
    ["half a schema", { schema: 1.5 }],
    ["secrets that are perhaps there", { secrets: "no" }],
    ["tables without their columns", { tables: ["users"] }],
  ])("is not that of %s", (_, change) => expect(BundleHeader.safeParse({ ...header, ...change }).success).toBe(false))

  it("may say more, which a newer Chorus understands", () =>
    expect(BundleHeader.parse({ ...header, compressed: false })).toEqual(header))

  it("does not judge its format: whoever reads it does, and says so", () =>
    expect(BundleHeader.safeParse({ ...header, format: 99 }).success).toBe(true))
})

describe("a row of a bundle", () => {
  it("holds texts, numbers, nothing, and bytes as base64", () => {
    const row = { table: "files", row: { name: "ü", size: 1.5, note: null, content: { base64: "AP8=" } } }
    expect(BundleRow.parse(row)).toEqual(row)
  })

  it.each([
    ["a flag", true],
    ["a list", []],
    ["an object", { a: 1 }],
    ["bytes that are no text", { base64: 7 }],
  ])("does not hold %s", (_, value) => {
    expect(BundleRow.safeParse({ table: "files", row: { value } }).success).toBe(false)
  })
})

describe("the last line of a bundle", () => {
  it("says that it is", () => expect(BundleEnd.safeParse({ end: false, rows: {}, sha256: "ab" }).success).toBe(false))
  it("counts whole rows", () =>
    expect(BundleEnd.safeParse({ end: true, rows: { users: 0.5 }, sha256: "ab" }).success).toBe(false))
})
