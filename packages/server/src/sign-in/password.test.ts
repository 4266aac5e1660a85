import { describe, expect, it } from "vitest"
import { hashPassword, Password, verifyPassword } from "./password.ts"

describe("passwords", () => {
  it("fit their own hash and no other", async () => {
    const hash = await hashPassword("correct horse battery")
    expect(await verifyPassword("correct horse battery", hash)).toBe(true)
    expect(await verifyPassword("correct horse batterz", hash)).toBe(false)
  })

  it("are salted, and the hash carries its parameters", async () => {
    const [one, two] = await Promise.all([hashPassword("same words here"), hashPassword("same words here")])
    expect(one).not.toBe(two)
    expect(one).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
  })

  it("are checked with the parameters of the stored hash", async () => {
    const cheap = "scrypt$1024$8$1$AAAAAAAAAAAAAAAAAAAAAA$" + (await cheapHash("an older password"))
    expect(await verifyPassword("an older password", cheap)).toBe(true)
    expect(await verifyPassword("another password", cheap)).toBe(false)
  })

  it("read the same however the keyboard composes accents", async () => {
    expect(await verifyPassword("caf\u0065\u0301 au lait", await hashPassword("caf\u00e9 au lait"))).toBe(true)
  })

  it("never fit when there is none, after the same work", async () => {
    const hash = await hashPassword("a real password")
    const known = await timed(() => verifyPassword("a wrong password", hash))
    const unknown = await timed(() => verifyPassword("a wrong password", null))
    expect(known.value).toBe(false)
    expect(unknown.value).toBe(false)
    expect(await verifyPassword("\u0000".repeat(10), null)).toBe(false)
    expect(unknown.ms).toBeGreaterThan(known.ms / 4)
  })

  it("need ten characters and nothing else", () => {
    expect(Password.safeParse("too short").success).toBe(false)
    expect(Password.safeParse("long enough").success).toBe(true)
  })
})

async function cheapHash(password: string): Promise<string> {
  const { scryptSync } = await import("node:crypto")
  return scryptSync(password, Buffer.alloc(16), 32, { N: 1024, r: 8, p: 1 }).toString("base64url")
}

async function timed<T>(run: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const began = performance.now()
  const value = await run()
  return { value, ms: performance.now() - began }
}
