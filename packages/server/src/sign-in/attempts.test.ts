import { describe, expect, it } from "vitest"
import { Attempts, tooManyAttempts } from "./attempts.ts"

const MINUTE = 60_000

describe("Attempts", () => {
  it("lets the limit through, then says how long to wait", () => {
    const attempts = new Attempts({ limit: 3, windowMs: 15 * MINUTE })
    for (const at of [0, 1000, 2000]) expect(attempts.begin("ada", at).waitMs).toBe(0)
    expect(attempts.begin("ada", 3000).waitMs).toBe(15 * MINUTE - 3000)
    expect(attempts.begin("bob", 3000).waitMs).toBe(0)
  })

  it("opens again as the window slides, one by one", () => {
    const attempts = new Attempts({ limit: 2, windowMs: MINUTE })
    attempts.begin("ada", 0)
    attempts.begin("ada", 30_000)
    expect(attempts.begin("ada", MINUTE + 1).waitMs).toBe(0)
    expect(attempts.begin("ada", MINUTE + 2).waitMs).toBe(30_000 - 2)
  })

  it("does not count an attempt that succeeded", () => {
    const attempts = new Attempts({ limit: 1, windowMs: MINUTE })
    for (let at = 0; at < 5; at++) {
      expect(attempts.begin("ada", at).waitMs).toBe(0)
      attempts.succeed("ada", at)
    }
    expect(attempts.size()).toBe(0)
  })

  it("forgets at once when told to", () => {
    const attempts = new Attempts({ limit: 1, windowMs: MINUTE })
    attempts.begin("ada", 0)
    attempts.clear("ada")
    expect(attempts.begin("ada", 1).waitMs).toBe(0)
  })

  it("keeps a bounded number of keys, dropping what is over first", () => {
    const attempts = new Attempts({ limit: 1, windowMs: MINUTE, maxKeys: 3 })
    for (const [key, at] of [["stale", 0], ["a", MINUTE], ["b", MINUTE + 1], ["c", MINUTE + 2]] as const) attempts.begin(key, at)
    expect(attempts.size()).toBe(3)
    expect(attempts.begin("a", MINUTE + 3).waitMs).toBeGreaterThan(0)
    attempts.begin("d", MINUTE + 4)
    expect(attempts.size()).toBe(3)
    expect(attempts.begin("b", MINUTE + 5).waitMs).toBeGreaterThan(0)
  })

  it("tells the wait in whole seconds, at least one", () => {
    expect(tooManyAttempts(1).details).toEqual({ retryAfterSeconds: 1 })
    expect(tooManyAttempts(1001).details).toEqual({ retryAfterSeconds: 2 })
    expect(tooManyAttempts(1).status).toBe(429)
  })
})
