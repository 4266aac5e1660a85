import { ChorusError } from "@chorus/contracts"

const DELAYS_MS = [100, 400, 1500]
const LONGEST_WAIT_MS = 5000

/** Repeats what failed for a reason that may pass: nobody answered, or the server said "later". */
export async function repeatWhileSafe<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (const delay of DELAYS_MS) {
    try {
      return await attempt()
    } catch (error) {
      const wait = waitBefore(error, delay)
      if (wait === undefined) throw error
      await pause(wait, signal)
    }
  }
  return attempt()
}

/** Resolves after a while; rejects with the signal's reason when it is aborted meanwhile. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })
}

/** Whether the same call may go well later. */
export function isPassing(error: unknown): error is ChorusError {
  return error instanceof ChorusError && [429, 502, 503, 504].includes(error.status)
}

function waitBefore(error: unknown, delay: number): number | undefined {
  if (!isPassing(error)) return undefined
  const asked = error.details?.["retryAfterSeconds"]
  if (typeof asked !== "number") return delay * (0.5 + Math.random())
  return asked * 1000 <= LONGEST_WAIT_MS ? asked * 1000 : undefined
}
