import { isPassing, type Positioned } from "@chorus/client"
import type { LogEvent, OperationName } from "@chorus/contracts"

/**
 * How a kept answer follows the log without being fetched again. Of the events that come after an answer's position,
 * some may be in it already: applied once more, in their order and to the last of them, they must leave it as it was.
 */
export interface Follow<Answer> {
  /** The answer after this event; the same object when it is not concerned; undefined asks for a fresh load. */
  apply(answer: Answer, event: LogEvent): Answer | undefined
}

export interface Snapshot {
  readonly status: "loading" | "ready" | "failed"
  readonly answer: unknown
  readonly error: unknown
}

type Load = () => Promise<Positioned<unknown>>
type Change = (answer: unknown) => unknown

interface Amended {
  readonly change: Change
  /** The event that says the same, or the next load; undefined as long as the server has not confirmed it. */
  until: number | "load" | undefined
}

interface Kept {
  readonly load: Load
  readonly follow: Follow<unknown> | undefined
  readonly listeners: Set<() => void>
  /** What the server said, with the log applied to it. */
  answer: unknown
  error: unknown
  status: Snapshot["status"]
  /** The last event that is in the answer or was offered to it. */
  position: number
  /** The first event that the answer could not follow; until it is loaded again, that one is missing. */
  lacks: number | undefined
  /** What the person did and the answer does not say yet. */
  readonly amendments: Set<Amended>
  reloadTimer: ReturnType<typeof setTimeout> | undefined
  /** Events that came while an answer was on its way; undefined when none is. */
  waiting: LogEvent[] | undefined
  loads: number
  snapshot: Snapshot
}

export interface Amendment {
  /**
   * The server did it: the change is seen until the log says the same, at this position; without one, until the next
   * load.
   */
  confirm(position: number | undefined): void
  /** The server refused: as if nothing had been. */
  takeBack(): void
}

const RELOAD_AFTER_MS = 300
const RETRY_AFTER_MS = 5000
const FORGET_AFTER_MS = 60_000

/**
 * Keeps the answers of operations that the page shows and applies the log to them as it comes in: to each what lies
 * after the position it was read at. An answer that cannot follow an event is loaded again, once, a moment later;
 * nothing else is.
 */
export class LiveStore {
  readonly #kept = new Map<string, Kept>()
  /** The last event that came. */
  #heard = 0

  keep(key: string, load: Load, follow: Follow<unknown> | undefined, listener: () => void): () => void {
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
    this.#heard = events.at(-1)?.id ?? this.#heard
    for (const kept of this.#kept.values()) this.#follow(kept, events)
  }

  /** Changes the answer kept under this key at once, before the server has said so; one on its way, when it comes. */
  amend(key: string, change: Change): Amendment {
    const amended: Amended = { change, until: undefined }
    const kept = this.#kept.get(key)
    kept?.amendments.add(amended)
    if (kept !== undefined) this.#publish(kept)
    return {
      confirm: (position) => {
        // Also one that came on show meanwhile may have been read before the change.
        const present = this.#kept.get(key)
        if (present === undefined || amended.until !== undefined) return
        amended.until = (present.follow && position) ?? "load"
        if (amended.until === "load") void this.#load(present)
        else if (endAmendments(present)) this.#publish(present)
      },
      takeBack: () => {
        if (amended.until === undefined && kept?.amendments.delete(amended)) this.#publish(kept)
      },
    }
  }

  /** Loads everything on show again: after a gap in the log, behind which positions may begin anew. */
  reloadAll(): void {
    this.#heard = 0
    for (const kept of this.#kept.values()) {
      Object.assign(kept, { position: 0, lacks: 1 })
      for (const amended of kept.amendments) if (amended.until !== undefined) amended.until = "load"
      void this.#load(kept)
    }
  }

  reload(key: string): void {
    const kept = this.#kept.get(key)
    if (kept !== undefined) void this.#load(kept)
  }

  #start(key: string, load: Load, follow: Follow<unknown> | undefined): Kept {
    const kept: Kept = {
      load,
      follow,
      listeners: new Set(),
      answer: undefined,
      error: undefined,
      status: "loading",
      position: 0,
      lacks: undefined,
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
    const mine = ++kept.loads
    const since = Math.max(this.#heard, holds(kept))
    kept.waiting = []
    clearTimeout(kept.reloadTimer)
    kept.reloadTimer = undefined
    try {
      const { answer, position = since } = await kept.load()
      if (kept.loads !== mine) return
      const came = kept.waiting
      kept.waiting = undefined
      // Older than what was known when it was asked for: what lies between will not come again.
      if (position < since) return this.#loadLater(kept, RELOAD_AFTER_MS)
      clearTimeout(kept.reloadTimer)
      Object.assign(kept, {
        status: "ready",
        answer,
        error: undefined,
        position,
        lacks: undefined,
        reloadTimer: undefined,
      })
      this.#applyTo(kept, came)
      endAmendments(kept, "load")
      this.#publish(kept)
    } catch (error) {
      if (kept.loads !== mine) return
      kept.waiting = undefined
      Object.assign(kept, { status: kept.answer === undefined ? "failed" : "ready", error })
      if (kept.lacks !== undefined && isPassing(error)) this.#loadLater(kept, RETRY_AFTER_MS)
      this.#publish(kept)
    }
  }

  #loadLater(kept: Kept, ms: number): void {
    kept.reloadTimer ??= setTimeout(() => void this.#load(kept), ms)
  }

  #follow(kept: Kept, events: readonly LogEvent[]): void {
    if (kept.follow === undefined) return
    kept.waiting?.push(...events)
    if (kept.status !== "ready") return
    const before = kept.answer
    this.#applyTo(kept, events)
    if (endAmendments(kept) || kept.answer !== before) this.#publish(kept)
  }

  #applyTo(kept: Kept, events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.id <= kept.position) continue
      kept.position = event.id
      const next = kept.follow?.apply(kept.answer, event)
      if (next !== undefined) {
        kept.answer = next
        continue
      }
      kept.lacks ??= event.id
      this.#loadLater(kept, RELOAD_AFTER_MS)
    }
  }

  #publish(kept: Kept): void {
    let answer = kept.answer
    if (kept.status === "ready") for (const { change } of kept.amendments) answer = change(answer)
    kept.snapshot = { status: kept.status, answer, error: kept.error }
    for (const listener of kept.listeners) listener()
  }

  #forget(key: string, kept: Kept): void {
    if (kept.listeners.size > 0 || this.#kept.get(key) !== kept) return
    clearTimeout(kept.reloadTimer)
    this.#kept.delete(key)
  }
}

/** Up to where nothing is missing in an answer. */
function holds({ position, lacks }: Kept): number {
  return lacks === undefined ? position : lacks - 1
}

/**
 * Drops what the answer says by itself now, and after a load what was to be seen until then; says whether anything
 * went.
 */
function endAmendments(kept: Kept, by?: "load"): boolean {
  const ended = [...kept.amendments].filter(
    ({ until }) => until !== undefined && (until === "load" ? by === "load" : until <= holds(kept)),
  )
  for (const amended of ended) kept.amendments.delete(amended)
  return ended.length > 0
}

const LOADING: Snapshot = { status: "loading", answer: undefined, error: undefined }

export function keyOf(name: OperationName, input: unknown): string {
  return `${name} ${JSON.stringify(input)}`
}
