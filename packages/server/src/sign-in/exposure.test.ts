import { describe, expect, it } from "vitest"
import { isLoopback } from "./exposure.ts"

describe("isLoopback", () => {
  it.each(["localhost", "127.0.0.1", "127.8.8.8", "::1"])("knows %s as this machine alone", (host) => {
    expect(isLoopback(host)).toBe(true)
  })

  it.each(["0.0.0.0", "::", "192.0.2.7", "chorus.example.com", "127.evil.example", "127.0.0.1.evil.example", ""])(
    "knows %j as more than that",
    (host) => {
      expect(isLoopback(host)).toBe(false)
    },
  )
})
