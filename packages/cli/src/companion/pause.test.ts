import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { pause } from "./pause.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it("lasts as long as it is told, and leaves no timer when it is cut short", async () => {
  const stopping = new AbortController()
  let over = 0
  for (const ms of [10, 1000]) void pause(ms, stopping.signal).then(() => over++)
  await vi.advanceTimersByTimeAsync(10)
  expect(over).toBe(1)
  stopping.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(over).toBe(2)
  expect(vi.getTimerCount()).toBe(0)
  await pause(1000, stopping.signal)
})
