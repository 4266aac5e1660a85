import { vi } from "vitest"

/** Waits for a fact as long as a unit test may take on a busy machine; on an idle one it is there at once. */
export function eventually<T>(fact: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(fact, { timeout: 25_000, interval: 10 })
}
