import { ChorusError } from "@chorus/contracts"

export interface AttemptsOptions {
  /** How many attempts may fail within the window. */
  readonly limit: number
  readonly windowMs: number
  /** Keys remembered at most; the oldest are forgotten first. */
  readonly maxKeys?: number
}

/**
 * Counts failing attempts per key in a sliding window. An attempt counts from its beginning, so that many at once cannot
 * slip through before the first has failed; one that succeeds is given back.
 */
export class Attempts {
  readonly #limit: number
  readonly #windowMs: number
  readonly #maxKeys: number
  readonly #times = new Map<string, number[]>()

  constructor({ limit, windowMs, maxKeys = 10_000 }: AttemptsOptions) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#maxKeys = maxKeys
  }

  /** Begins an attempt, or says how long to wait first. */
  begin(key: string, now: number): { waitMs: number } {
    const recent = this.#recent(key, now)
    const oldest = recent[0]
    if (oldest !== undefined && recent.length >= this.#limit) return { waitMs: oldest + this.#windowMs - now }
    this.#times.delete(key)
    this.#times.set(key, [...recent, now])
    if (this.#times.size > this.#maxKeys) this.#forget(now)
    return { waitMs: 0 }
  }

  /** Gives back the attempt begun at that time. */
  succeed(key: string, begunAt: number): void {
    const times = this.#times.get(key)
    const index = times?.lastIndexOf(begunAt) ?? -1
    if (index >= 0) times?.splice(index, 1)
    if (times?.length === 0) this.#times.delete(key)
  }

  clear(key: string): void {
    this.#times.delete(key)
  }

  size(): number {
    return this.#times.size
  }

  #recent(key: string, now: number): number[] {
    return (this.#times.get(key) ?? []).filter((time) => time > now - this.#windowMs)
  }

  #forget(now: number): void {
    for (const key of this.#times.keys()) {
      if (this.#recent(key, now).length === 0) this.#times.delete(key)
    }
    for (const key of this.#times.keys()) {
      if (this.#times.size <= this.#maxKeys) return
      this.#times.delete(key)
    }
  }
}

export function tooManyAttempts(waitMs: number): ChorusError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ChorusError("too_many_attempts", "Too many sign-ins failed from here or for this account.", {
    status: 429,
    next: `Wait ${retryAfterSeconds} seconds and try again, or sign in with a one-time link (\`chorus signin\`).`,
    details: { retryAfterSeconds },
  })
}
