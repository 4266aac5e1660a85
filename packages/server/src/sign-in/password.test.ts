import { scryptSync } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { hashPassword, verifyPassword } from "./password.ts"

let hash: string

beforeAll(async () => {
  hash = await hashPassword("caf\u00e9 au lait")
})

describe("passwords", () => {
  it("fit their own hash, however the keyboard composes accents", async () => {
    expect(await verifyPassword("caf\u0065\u0301 au lait", hash)).toBe(true)
  })

  it("are salted, and the hash carries its parameters", async () => {
    expect(hash).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    expect(await hashPassword("caf\u00e9 au lait")).not.toBe(hash)
  })

  it("are checked with the parameters of the stored hash", async () => {
    const older = `scrypt$1024$8$1$${"A".repeat(22)}$${scryptSync("an older password", Buffer.alloc(16), 32, { N: 1024, r: 8, p: 1 }).toString("base64url")}`
    expect(await verifyPassword("an older password", older)).toBe(true)
    expect(await verifyPassword("another password", older)).toBe(false)
  })

  it("never fit where there is none, after the same work", async () => {
    const known = await timed(() => verifyPassword("a wrong password", hash))
    const unknown = await timed(() => verifyPassword("a wrong password", null))
    expect(known.value).toBe(false)
    expect(unknown.value).toBe(false)
    expect(unknown.ms).toBeGreaterThan(known.ms / 4)
  })
})

/** By the processor's time: how long it waited for one says nothing about the work. */
async function timed<T>(run: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const began = process.cpuUsage()
  const value = await run()
  const { user, system } = process.cpuUsage(began)
  return { value, ms: (user + system) / 1000 }
}
