import { describe, expect, it } from "vitest"
import { seal, unseal } from "./seal.ts"

const secret = Buffer.alloc(32, 1)

describe("seal", () => {
  it("gives back what was sealed, until its time is over", () => {
    const text = seal({ state: "s" }, secret, 1000)
    expect(unseal(text, secret, 999)).toEqual({ state: "s" })
    expect(unseal(text, secret, 1000)).toBeUndefined()
  })

  it("refuses what another server sealed", () => {
    expect(unseal(seal({ state: "s" }, Buffer.alloc(32, 2), 1000), secret, 0)).toBeUndefined()
  })

  it("refuses every changed character", () => {
    const text = seal({ state: "s" }, secret, 1000)
    for (let index = 0; index < text.length; index++) {
      const changed = text.slice(0, index) + (text[index] === "A" ? "B" : "A") + text.slice(index + 1)
      expect(unseal(changed, secret, 0)).toBeUndefined()
    }
  })

  it("refuses what something was put behind or before", () => {
    const text = seal({ state: "s" }, secret, 1000)
    for (const changed of [`${text}.`, `${text}.more`, `.${text}`, ` ${text}`])
      expect(unseal(changed, secret, 0)).toBeUndefined()
  })

  it("refuses rubbish", () => {
    for (const text of ["", ".", "a.b.c", "e30.", "%%%"]) expect(unseal(text, secret, 0)).toBeUndefined()
  })
})
