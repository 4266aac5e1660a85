import type { LogEvent, OperationName } from "@chorus/contracts"

/** How a kept answer follows the log without being fetched again. */
export interface Follow<Answer> {
  /** The answer after this event; the same object when it is not concerned; undefined asks for a fresh load. */
  apply(answer: Answer, event: LogEvent): Answer | undefined
}

export interface Snapshot {
  readonly status: "loading" | "ready" | "failed"
  readonly answer: unknown
  readonly error: unknown
}

type Change = (answer: unknown) => unknown

interface Kept {
  readonly load: () => Promise<unknown>
  readonly follow: Follow<unknown> | undefined
  readonly listeners: Set<() => void>
  /** What the server said, with the log applied to it. */
  answer: unknown
  error: unknown
  status: Snapshot["status"]
  /** What the person did and the server has not confirmed yet. */
  readonly amendments: Set<Change>
  reloadTimer: ReturnType<typeof setTimeout> | undefined
  /** Events that came while an answer was on its way; undefined when none is. */
  waiting: LogEvent[] | undefined
  loads: number
  snapshot: Snapshot
}

export interface Amendment {
  /** The server did it: the change is part of the answer from now on. */
  confirm(): void
  /** The server refused: as if nothing had been. */
  takeBack(): void
}

const RELOAD_AFTER_MS = 300
const FORGET_AFTER_MS = 60_000

/**
 * Keeps the answers of operations that the page shows and applies the log to them as it comes in.
 * An answer that cannot follow an event is loaded again, once, a moment later; nothing else is.
 */
export class LiveStore {
  readonly #kept = new Map<string, Kept>()

  keep(
    key: string,
    load: () => Promise<unknown>,
    follow: Follow<unknown> | undefined,
    listener: () => void,
  ): () => void {
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

  /** Applies events in their order; each listener is told once. */
  apply(...events: readonly LogEvent[]): void {
    for (const kept of this.#kept.values()) this.#follow(kept, events)
  }

  /** Changes every kept answer whose key this is at once, before the server has said so. */
  amend(key: string, change: Change): Amendment {
    const kept = this.#kept.get(key)
    if (kept === undefined || kept.status !== "ready") return { confirm: () => undefined, takeBack: () => undefined }
    kept.amendments.add(change)
    this.#publish(kept)
    return {
      confirm: () => {
        if (!kept.amendments.delete(change)) return
        kept.answer = change(kept.answer)
        this.#publish(kept)
      },
      takeBack: () => {
        if (kept.amendments.delete(change)) this.#publish(kept)
      },
    }
  }

  /** Loads everything on show again: after a gap in the log, or when asked. */
  reloadAll(): void {
    for (const kept of this.#kept.values()) void this.#load(kept)
  }

  reload(key: string): void {
    const kept = this.#kept.get(key)
    if (kept !== undefined) void this.#load(kept)
  }

  /** Nothing of one person may be seen by the next. */
  forgetAll(): void {
    for (const kept of this.#kept.values()) clearTimeout(kept.reloadTimer)
    this.#kept.clear()
  }

  #start(key: string, load: () => Promise<unknown>, follow: Follow<unknown> | undefined): Kept {
    const kept: Kept = {
      load,
      follow,
      listeners: new Set(),
      answer: undefined,
      error: undefined,
      status: "loading",
      amendments: new Set(),
      reloadTimer: undefined,
      waiting: undefined,
      loads: 0,
      snapshot: LOADING,
    }
    this.#kept.set(key, kept)
    void this.#load(kept)
    return kept
  }

  async #load(kept: Kept): Promise<void> {
    clearTimeout(kept.reloadTimer)
    kept.reloadTimer = undefined
    const mine = ++kept.loads
    kept.waiting = []
    try {
      const answer = await kept.load()
      if (kept.loads !== mine) return
      const came = kept.waiting
      kept.waiting = undefined
      Object.assign(kept, { status: "ready", answer, error: undefined })
      this.#publish(kept)
      this.#follow(kept, came)
    } catch (error) {
      if (kept.loads !== mine) return
      kept.waiting = undefined
      Object.assign(kept, { status: kept.answer === undefined ? "failed" : "ready", error })
      this.#publish(kept)
    }
  }

  #follow(kept: Kept, events: readonly LogEvent[]): void {
    if (kept.follow === undefined) return
    kept.waiting?.push(...events)
    if (kept.status !== "ready") return
    let answer = kept.answer
    for (const event of events) {
      const next = kept.follow.apply(answer, event)
      if (next === undefined) kept.reloadTimer ??= setTimeout(() => void this.#load(kept), RELOAD_AFTER_MS)
      else answer = next
    }
    if (answer === kept.answer) return
    kept.answer = answer
    this.#publish(kept)
  }

  #publish(kept: Kept): void {
    let answer = kept.answer
    for (const change of kept.amendments) answer = change(answer)
    kept.snapshot = { status: kept.status, answer, error: kept.error }
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
