import { AsyncLocalStorage } from "node:async_hooks"
import type { DatabaseSync } from "node:sqlite"
import { ChorusError } from "@chorus/contracts"

const PATIENCE_MS = 10_000

interface Waiting {
  work(): Promise<unknown>
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** Tells the caller how its change ended; called once the batch is durable. */
type Outcome = () => void

/** Runs out when a change has asked nothing for too long. */
type Patience = NodeJS.Timeout

/**
 * Serialises changes on one connection and lets those that wait together share one durable commit.
 * Each change has its own savepoint: a failing one leaves no trace and does not disturb its neighbours.
 * Nobody is answered before the shared commit is on disk. A change that has gone silent is undone: all others wait behind it.
 */
export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #maxBatch: number
  readonly #changes = new AsyncLocalStorage<Patience>()
  #underWay: Patience | undefined
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined

  constructor(database: DatabaseSync, maxBatch = 64) {
    this.#database = database
    this.#maxBatch = maxBatch
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: (value) => resolve(value as T), reject })
      this.#running ??= this.#drain()
    })
  }

  /** Asked before each statement. A handle that outlives its change would write into somebody else's. */
  assertUnderWay(): void {
    const change = this.#changes.getStore()
    if (change === undefined || change !== this.#underWay) throw changeOver()
    change.refresh()
  }

  /** Resolves when every change handed in so far is decided. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #drain(): Promise<void> {
    // Requests that arrived in the same turn of the event loop join the batch.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) await this.#commitBatch(this.#waiting.splice(0, this.#maxBatch))
    this.#running = undefined
  }

  async #commitBatch(batch: readonly Waiting[]): Promise<void> {
    const outcomes: Outcome[] = []
    try {
      this.#database.exec("begin immediate")
      for (const waiting of batch) outcomes.push(await this.#attempt(waiting))
      this.#database.exec("commit")
    } catch (error) {
      if (this.#isInTransaction()) this.#database.exec("rollback")
      for (const waiting of batch) waiting.reject(error)
      return
    }
    for (const settle of outcomes) settle()
  }

  async #attempt({ work, resolve, reject }: Waiting): Promise<Outcome> {
    this.#database.exec("savepoint change")
    const silence = Promise.withResolvers<never>()
    const change = setTimeout(() => silence.reject(changeStuck()), PATIENCE_MS)
    this.#underWay = change
    try {
      const value = await Promise.race([this.#changes.run(change, work), silence.promise])
      this.#database.exec("release change")
      return () => resolve(value)
    } catch (error) {
      // A disk error may have ended the whole transaction already; then the batch fails together.
      if (!this.#isInTransaction()) throw error
      this.#database.exec("rollback to change; release change")
      return () => reject(error)
    } finally {
      this.#underWay = undefined
      clearTimeout(change)
    }
  }

  /** A database that was closed meanwhile has none, and throws when it is asked. */
  #isInTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction
  }
}

function changeStuck(): ChorusError {
  return new ChorusError("change_stuck", `A change did nothing for ${PATIENCE_MS / 1000} seconds and was undone.`, {
    status: 500,
    next: "Try again. If it happens again, report it with the server's log: a change must not wait for anything outside.",
  })
}

export function changeOver(): ChorusError {
  return new ChorusError("change_over", "This change is over; nothing more can be written in it.", {
    status: 500,
    next: "Report it with the server's log: something was still at work when its change had ended.",
  })
}
