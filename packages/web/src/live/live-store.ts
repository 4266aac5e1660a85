import type { LogEvent, OperationName } from "@chorus/contracts"

export interface Entity {
  readonly uuid: string
}

/** How a kept answer follows the log without being fetched again. */
export interface Follow<Answer> {
  /** The answer after this event; the same object when it is not concerned; undefined asks for a fresh load. */
  apply(answer: Answer, event: LogEvent): Answer | undefined
}

interface Kept {
  readonly load: () => Promise<unknown>
  readonly follow: Follow<unknown> | undefined
  answer: unknown
  error: unknown
  status: "loading" | "ready" | "failed"
  readonly listeners: Set<() => void>
  reloadTimer: ReturnType<typeof setTimeout> | undefined
  /** Events that came while the answer was on its way. */
  waiting: LogEvent[]
  snapshot: Snapshot
}

export interface Snapshot {
  readonly status: Kept["status"]
  readonly answer: unknown
  readonly error: unknown
}

const RELOAD_AFTER_MS = 400
const FORGET_AFTER_MS = 60_000

/**
 * Keeps the answers of operations that the page shows and applies the log to them as it comes in.
 * An answer that cannot follow an event is loaded again, once, a moment later; nothing else is.
 */
export class LiveStore {
  readonly #kept = new Map<string, Kept>()

  keep(key: string, load: () => Promise<unknown>, follow: Follow<unknown> | undefined, listener: () => void): () => void {
    const kept = this.#kept.get(key) ?? this.#start(key, load, follow)
    kept.listeners.add(listener)
    return () => {
      kept.listeners.delete(listener)
      if (kept.listeners.size === 0) setTimeout(() => this.#forget(key, kept), FORGET_AFTER_MS)
    }
  }

  snapshot(key: string): Snapshot {
    return this.#kept.get(key)?.snapshot ?? LOADING
  }

  apply(event: LogEvent): void {
    for (const kept of this.#kept.values()) this.#follow(kept, event)
  }

  /** Replaces an answer at once, before the server has said so; returns how to take it back. */
  amend(key: string, change: (answer: unknown) => unknown): () => void {
    const kept = this.#kept.get(key)
    if (kept === undefined || kept.status !== "ready") return () => undefined
    const before = kept.answer
    this.#settle(kept, { answer: change(before) })
    return () => this.#settle(kept, { answer: before })
  }

  /** Loads everything on show again: after a gap in the log, or when asked. */
  reloadAll(): void {
    for (const kept of this.#kept.values()) void this.#load(kept)
  }

  reload(key: string): void {
    const kept = this.#kept.get(key)
    if (kept !== undefined) void this.#load(kept)
  }

  #start(key: string, load: () => Promise<unknown>, follow: Follow<unknown> | undefined): Kept {
    const kept: Kept = {
      load,
      follow,
      answer: undefined,
      error: undefined,
      status: "loading",
      listeners: new Set(),
      reloadTimer: undefined,
      waiting: [],
      snapshot: LOADING,
    }
    this.#kept.set(key, kept)
    void this.#load(kept)
    return kept
  }

  async #load(kept: Kept): Promise<void> {
    clearTimeout(kept.reloadTimer)
    kept.reloadTimer = undefined
    kept.waiting = []
    try {
      const answer = await kept.load()
      const waiting = kept.waiting
      this.#settle(kept, { status: "ready", answer, error: undefined })
      for (const event of waiting) this.#follow(kept, event)
    } catch (error) {
      this.#settle(kept, { status: kept.answer === undefined ? "failed" : "ready", error })
    }
  }

  #follow(kept: Kept, event: LogEvent): void {
    if (kept.follow === undefined) return
    if (kept.status === "loading") {
      kept.waiting.push(event)
      return
    }
    const next = kept.follow.apply(kept.answer, event)
    if (next === kept.answer) return
    if (next !== undefined) this.#settle(kept, { answer: next })
    else kept.reloadTimer ??= setTimeout(() => void this.#load(kept), RELOAD_AFTER_MS)
  }

  #settle(kept: Kept, change: Partial<Pick<Kept, "status" | "answer" | "error">>): void {
    Object.assign(kept, change)
    kept.snapshot = { status: kept.status, answer: kept.answer, error: kept.error }
    for (const listener of kept.listeners) listener()
  }

  #forget(key: string, kept: Kept): void {
    if (kept.listeners.size > 0 || this.#kept.get(key) !== kept) return
    clearTimeout(kept.reloadTimer)
    this.#kept.delete(key)
  }
}

const LOADING: Snapshot = { status: "loading", answer: undefined, error: undefined }

export function keyOf(name: OperationName, input: unknown): string {
  return `${name} ${JSON.stringify(input)}`
}
