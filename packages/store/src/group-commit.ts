import type { DatabaseSync } from "node:sqlite"

interface Waiting {
  work(): Promise<unknown>
  resolve(value: unknown): void
  reject(reason: unknown): void
}

/** Tells the caller how its change ended; called once the batch is durable. */
type Outcome = () => void

/**
 * Serialises changes on one connection and lets those that wait together share one durable commit.
 * Each change has its own savepoint: a failing one leaves no trace and does not disturb its neighbours.
 * Nobody is answered before the shared commit is on disk.
 */
export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #maxBatch: number
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
      if (this.#database.isTransaction) this.#database.exec("rollback")
      for (const waiting of batch) waiting.reject(error)
      return
    }
    for (const settle of outcomes) settle()
  }

  async #attempt({ work, resolve, reject }: Waiting): Promise<Outcome> {
    this.#database.exec("savepoint change")
    try {
      const value = await work()
      this.#database.exec("release change")
      return () => resolve(value)
    } catch (error) {
      // A disk error may have ended the whole transaction already; then the batch fails together.
      if (!this.#database.isTransaction) throw error
      this.#database.exec("rollback to change; release change")
      return () => reject(error)
    }
  }
}
