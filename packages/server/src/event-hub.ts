import type { EventKind, LogEvent } from "@chorus/contracts"
import { setImmediate as othersFirst, setTimeout as pause } from "node:timers/promises"
import { type EventFilter, eventsAfter, eventsWithin, lastPosition, type Store } from "@chorus/store"

const BATCH = 500
/** Few readers hear at once; for many, events of a moment share one write each. */
const COALESCE_MS = { least: 5, most: 30, perReader: 0.03 }
const RETRY_MS = 500
/** How much of the log is looked through for one reader that catches up before everybody else has a turn. */
const SLICE = 200
/** Slices that were read lately: those who come back together, after a restart say, go through the same ones. */
const KEPT_SLICES = 32
/** After these somebody may see less than before, or nothing. */
const ABOUT_RIGHTS: ReadonlySet<string> = new Set<EventKind>([
  "agent.updated",
  "key.revoked",
  "key.updated",
  "member.updated",
  "member.signed_out",
  "member.password_changed",
  "member.password_reset",
])

export interface Subscription {
  readonly workspaceUuid: string
  /** Whose readers take turns with each other before they take turns with everybody's. */
  readonly caller?: string
  /** Deliver what comes after this position; undefined starts at the end of the log. */
  readonly after: number | undefined
  wants(event: LogEvent): boolean
  /** What the store can leave out by itself when a reader catches up; never more than `wants` refuses. */
  readonly only?: EventFilter
  /** Somebody's rights changed: the reader may no longer be who it was. */
  recheck?(): void
  /** Takes a batch; resolves when the reader can take more. */
  deliver(events: readonly LogEvent[], position: number): Promise<void> | void
}

export interface OpenSubscription {
  close(): void
}

interface Reader {
  readonly subscription: Subscription
  position: number
}

interface Tail {
  position: number
  readonly readers: Set<Reader>
  readonly live: Set<Reader>
  timer: NodeJS.Timeout | undefined
  reading: boolean
  /** When it was last read. */
  readAt: number
}

/**
 * Carries the log to its readers. One query per growth serves all live readers of a workspace; a reader that comes back
 * with an old position reads the log by itself until it has caught up, then joins the others.
 */
export class EventHub {
  readonly #store: Store
  readonly #tails = new Map<string, Tail>()
  readonly #stopListening: () => void
  readonly #slices = new Map<string, Promise<LogEvent[]>>()
  /** Resolves with the milliseconds that the last turn took. */
  #turn: Promise<number> = Promise.resolve(0)
  readonly #turnsOf = new Map<string, Promise<unknown>>()
  #closed = false

  constructor(store: Store) {
    this.#store = store
    this.#stopListening = store.onGrowth((workspaceUuid) => this.#wake(workspaceUuid))
  }

  /** Asks the store for what a subscription needs; whoever has waited for this is then subscribed without asking it. */
  async prepare(workspaceUuid: string): Promise<void> {
    await this.#tail(workspaceUuid)
  }

  async subscribe(subscription: Subscription): Promise<OpenSubscription> {
    const tail = await this.#tail(subscription.workspaceUuid)
    const reader: Reader = { subscription, position: subscription.after ?? tail.position }
    let open = true
    tail.readers.add(reader)
    void this.#catchUp(tail, reader, () => open && !this.#closed)
    return {
      close: () => {
        open = false
        tail.readers.delete(reader)
        tail.live.delete(reader)
      },
    }
  }

  /** Between which positions a reader may resume without having missed anything. */
  async bounds(workspaceUuid: string): Promise<{ first: number; last: number }> {
    const last = await lastPosition(this.#store.db, workspaceUuid)
    const row = await this.#store.db
      .selectFrom("events")
      .select(({ fn }) => fn.min("id").as("first"))
      .where("workspaceUuid", "=", workspaceUuid)
      .executeTakeFirst()
    return { first: row?.first ? row.first - 1 : last, last }
  }

  readers(): number {
    return [...this.#tails.values()].reduce((sum, tail) => sum + tail.live.size, 0)
  }

  close(): void {
    this.#closed = true
    this.#stopListening()
    for (const tail of this.#tails.values()) clearTimeout(tail.timer)
    this.#tails.clear()
  }

  async #catchUp(tail: Tail, reader: Reader, isOpen: () => boolean): Promise<void> {
    while (isOpen() && reader.position < tail.position) {
      const upTo = Math.min((Math.floor(reader.position / SLICE) + 1) * SLICE, tail.position)
      const given = await this.#inTurn(reader.subscription.caller ?? "", async () => {
        const events = isOpen() ? await this.#slice(reader, upTo) : []
        return { taken: this.#give(reader, events, upTo) }
      }).catch(() => undefined)
      // The store is away; the reader waits for it where it stands.
      if (given === undefined) await new Promise((wake) => setTimeout(wake, RETRY_MS).unref())
      else await given.taken
    }
    if (isOpen()) tail.live.add(reader)
  }

  #slice({ subscription: { workspaceUuid, only }, position: after }: Reader, upTo: number): Promise<LogEvent[]> {
    const key = JSON.stringify([workspaceUuid, after, upTo, only])
    const slice = this.#slices.get(key) ?? eventsWithin(this.#store.db, workspaceUuid, { after, upTo }, only)
    slice.catch(() => this.#slices.delete(key))
    const [oldest] = this.#slices.keys()
    if (this.#slices.size >= KEPT_SLICES && oldest !== undefined) this.#slices.delete(oldest)
    this.#slices.set(key, slice)
    return slice
  }

  /**
   * A caller has one slice under way, however many readers it opens, so that those of others do not wait for all of
   * them.
   */
  #inTurn<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turnsOf.get(caller) ?? Promise.resolve()
    const turn = before.catch(() => undefined).then(() => this.#amongAll(work))
    const last = turn.finally(() => {
      if (this.#turnsOf.get(caller) === last) this.#turnsOf.delete(caller)
    })
    this.#turnsOf.set(caller, last)
    return last
  }

  /**
   * One slice at a time, and then the others for as long: the embedded store reads on the main thread, and what is read
   * is put into words there.
   */
  #amongAll<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(async (rest) => {
      await (rest < 1 ? othersFirst() : pause(rest, undefined, { ref: false }))
      const began = performance.now()
      return { value: await work(), took: performance.now() - began }
    })
    this.#turn = turn.then(
      ({ took }) => took,
      () => 0,
    )
    return turn.then(({ value }) => value)
  }

  async #give(reader: Reader, events: readonly LogEvent[], upTo: number): Promise<void> {
    if (upTo <= reader.position) return
    const isFresh = (event: LogEvent) => event.id > reader.position && reader.subscription.wants(event)
    // The very same batch for all who want all of it: whoever delivers it puts it into words once.
    const fresh = events.every(isFresh) ? events : events.filter(isFresh)
    reader.position = upTo
    if (fresh.length > 0) await reader.subscription.deliver(fresh, upTo)
  }

  #wake(workspaceUuid: string): void {
    const tail = this.#tails.get(workspaceUuid)
    if (tail === undefined || tail.timer !== undefined) return
    // What comes after a silence is told at once.
    const apart = Math.min(COALESCE_MS.most, COALESCE_MS.least + tail.live.size * COALESCE_MS.perReader)
    tail.timer = setTimeout(
      () => {
        tail.timer = undefined
        void this.#advance(workspaceUuid, tail)
      },
      Math.max(0, tail.readAt + apart - performance.now()),
    )
  }

  async #advance(workspaceUuid: string, tail: Tail): Promise<void> {
    if (this.#closed) return
    if (tail.reading) return this.#wake(workspaceUuid)
    tail.reading = true
    tail.readAt = performance.now()
    try {
      for (;;) {
        const events = await eventsAfter(this.#store.db, workspaceUuid, tail.position, BATCH)
        const last = events.at(-1)
        if (last === undefined) break
        tail.position = last.id
        for (const reader of tail.live) void this.#give(reader, events, last.id)
        if (events.some(({ kind }) => ABOUT_RIGHTS.has(kind)))
          for (const { subscription } of tail.readers) subscription.recheck?.()
      }
    } catch {
      // The store is away; what it holds is read when it is back.
      if (!this.#closed) setTimeout(() => this.#wake(workspaceUuid), RETRY_MS).unref()
    } finally {
      tail.reading = false
    }
  }

  async #tail(workspaceUuid: string): Promise<Tail> {
    const known = this.#tails.get(workspaceUuid)
    if (known !== undefined) return known
    const position = await lastPosition(this.#store.db, workspaceUuid)
    const tail = this.#tails.get(workspaceUuid) ?? {
      position,
      readers: new Set(),
      live: new Set(),
      timer: undefined,
      reading: false,
      readAt: 0,
    }
    this.#tails.set(workspaceUuid, tail)
    // Growth that committed while the position was on its way was told to nobody.
    this.#wake(workspaceUuid)
    return tail
  }
}
