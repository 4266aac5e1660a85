import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { hasJustMoved, rememberMove } from "./recent-moves.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe("a card that has just moved", () => {
  it("is seen to arrive for a moment, and then no more", () => {
    rememberMove("a")
    expect(hasJustMoved("a")).toBe(true)
    vi.advanceTimersByTime(599)
    expect(hasJustMoved("a")).toBe(true)
    vi.advanceTimersByTime(1)
    expect(hasJustMoved("a")).toBe(false)
  })

  it("arrives anew with each move", () => {
    rememberMove("b")
    vi.advanceTimersByTime(500)
    rememberMove("b")
    vi.advanceTimersByTime(500)
    expect(hasJustMoved("b")).toBe(true)
  })

  it("is not taken for another, nor forgotten because another came later", () => {
    rememberMove("c")
    vi.advanceTimersByTime(300)
    rememberMove("d")
    expect(hasJustMoved("c")).toBe(true)
    expect(hasJustMoved("e")).toBe(false)
  })
})
