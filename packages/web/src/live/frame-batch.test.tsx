import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { frameBatch } from "./frame-batch.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame"] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe("a batch", () => {
  it("hands on what came within a frame together and in order", () => {
    const handle = vi.fn()
    const add = frameBatch<number>(handle)
    add(1)
    add(2)
    add(3)
    expect(handle).not.toHaveBeenCalled()
    vi.advanceTimersToNextFrame()
    expect(handle).toHaveBeenCalledExactlyOnceWith([1, 2, 3])
  })

  it("begins anew with the next frame and loses nothing between them", () => {
    const handle = vi.fn()
    const add = frameBatch<string>(handle)
    add("a")
    vi.advanceTimersToNextFrame()
    add("b")
    vi.advanceTimersToNextFrame()
    expect(handle.mock.calls).toEqual([[["a"]], [["b"]]])
    vi.advanceTimersByTime(5000)
    expect(handle).toHaveBeenCalledTimes(2)
  })

  it("keeps for the next what comes while it is handed on", () => {
    const seen: number[][] = []
    const add = frameBatch<number>((items) => {
      seen.push([...items])
      if (items[0] === 1) add(2)
    })
    add(1)
    vi.advanceTimersToNextFrame()
    vi.advanceTimersToNextFrame()
    expect(seen).toEqual([[1], [2]])
  })

  it("does not wait longer than a second where no frames are drawn", () => {
    vi.spyOn(globalThis, "requestAnimationFrame").mockReturnValue(0)
    const handle = vi.fn()
    const add = frameBatch<number>(handle)
    add(1)
    vi.advanceTimersByTime(999)
    add(2)
    expect(handle).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(handle).toHaveBeenCalledExactlyOnceWith([1, 2])
    vi.restoreAllMocks()
  })
})
