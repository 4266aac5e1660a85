import { ChorusError } from "@chorus/contracts"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { isPassing, pause, repeatWhileSafe } from "./retry.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const away = (details?: Record<string, unknown>) =>
  new ChorusError("store_unavailable", "Away.", { status: 503, details })

/** Fails as told, then gives "done"; counts how often it was tried. */
function failing(...errors: unknown[]) {
  const work = { tries: 0, attempt: async () => answer() }
  const answer = () => {
    const error = errors[work.tries++]
    if (error !== undefined) throw error
    return "done"
  }
  return work
}

describe("what failed for a reason that may pass", () => {
  it("is tried four times within three seconds, and the last failure is told", async () => {
    const last = new ChorusError("store_unavailable", "Still away.", { status: 503 })
    const work = failing(away(), away(), away(), last)
    const result = repeatWhileSafe(work.attempt).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(3000)
    expect(await result).toBe(last)
    expect(work.tries).toBe(4)
  })

  it("waits longer each time, but does not let everybody come back at once", async () => {
    const work = failing(away(), away(), away())
    const result = repeatWhileSafe(work.attempt)
    const triesAfter = async (ms: number) => vi.advanceTimersByTimeAsync(ms).then(() => work.tries)
    expect(await triesAfter(49)).toBe(1)
    expect(await triesAfter(101)).toBe(2)
    expect(await triesAfter(49)).toBe(2)
    expect(await triesAfter(551)).toBe(3)
    expect(await triesAfter(2250)).toBe(4)
    expect(await result).toBe("done")
  })

  it.each([
    [0, 0],
    [2, 2000],
    [5, 5000],
  ])("comes again after %i seconds when the server asks for that, not sooner", async (seconds, ms) => {
    const work = failing(away({ retryAfterSeconds: seconds }))
    const result = repeatWhileSafe(work.attempt)
    await vi.advanceTimersByTimeAsync(Math.max(0, ms - 1))
    expect(work.tries).toBe(ms === 0 ? 2 : 1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await result).toBe("done")
    expect(work.tries).toBe(2)
  })

  it("is told at once when the server asks for more patience than a caller has", async () => {
    const work = failing(away({ retryAfterSeconds: 6 }))
    await expect(repeatWhileSafe(work.attempt)).rejects.toMatchObject({ code: "store_unavailable" })
    expect(work.tries).toBe(1)
  })

  it("is given up in the middle of waiting when nobody wants it any more", async () => {
    const leaving = new AbortController()
    const work = failing(away(), away())
    const result = repeatWhileSafe(work.attempt, leaving.signal).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(10)
    leaving.abort("left")
    expect(await result).toBe("left")
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe("what failed for good", () => {
  it.each([
    ["a refusal", new ChorusError("not_found", "No.", { status: 404 })],
    ["a fault of the server", new ChorusError("internal", "Oh.", { status: 500 })],
    ["a fault of ours", new TypeError("x is not a function")],
  ])("is not tried again: %s", async (_, error) => {
    const work = failing(error)
    await expect(repeatWhileSafe(work.attempt)).rejects.toBe(error)
    expect(work.tries).toBe(1)
    expect(isPassing(error)).toBe(false)
  })

  it.each([429, 502, 503, 504])("does not include HTTP %i", (status) => {
    expect(isPassing(new ChorusError("x", "x", { status }))).toBe(true)
  })
})

describe("a pause", () => {
  it("rejects at once where the reason to stop came first", async () => {
    await expect(pause(1000, AbortSignal.abort("stopped"))).rejects.toBe("stopped")
    expect(vi.getTimerCount()).toBe(0)
  })

  it("leaves nothing on the signal when it is over", async () => {
    const { signal } = new AbortController()
    const removed = vi.spyOn(signal, "removeEventListener")
    const waiting = pause(10, signal)
    await vi.advanceTimersByTimeAsync(10)
    await waiting
    expect(removed).toHaveBeenCalledOnce()
  })
})
