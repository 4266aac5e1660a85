import { AsyncLocalStorage } from "node:async_hooks"
import type { Duplex } from "node:stream"
import type { CompiledQuery, KyselyPlugin } from "kysely"
import type { Pool, PoolClient } from "pg"
import { type Appended, eventRows } from "./event-log.ts"
import { changeOver } from "./group-commit.ts"
import type { PostgresRounds } from "./postgres-rounds.ts"
import { connection, named, queriesOver } from "./postgres-statements.ts"
import type { Db } from "./schema/index.ts"
import type { Unit } from "./store.ts"

const CONFLICTS = new Set(["40001", "40P01"])
const MAX_ATTEMPTS = 5

/** Where the log of a workspace stands at least. */
export type KnownPosition = (workspaceUuid: string) => Promise<number>

/** What a change has kept, by the ticket under which its events wait for their positions. */
interface Ticket {
  readonly appended: Appended
  readonly ticket: number
  readonly since: number
}

/**
 * Changes, each in a transaction of its own and side by side. Nothing waits for an answer it does not need: the beginning goes
 * out with the first statement, what is asked together in one packet, the events with the commit. Whoever asked is answered once its events have positions.
 */
export class PostgresChanges {
  readonly #pool: Pool
  readonly #rounds: PostgresRounds
  readonly #known: KnownPosition
  readonly #plugins: KyselyPlugin[]
  readonly #underWay = new AsyncLocalStorage<PostgresChange>()
  readonly #connections = new WeakMap<PoolClient, WriteConnection>()

  constructor(pool: Pool, rounds: PostgresRounds, known: KnownPosition, plugins: KyselyPlugin[]) {
    this.#pool = pool
    this.#rounds = rounds
    this.#known = known
    this.#plugins = plugins
  }

  async run<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(work)
      } catch (error) {
        if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
        await new Promise((wake) => setTimeout(wake, Math.random() * 20 * attempt))
      }
    }
  }

  async #attempt<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    const change = new PostgresChange(client)
    const writing = this.#connection(client)
    writing.change = change
    let value: T
    let tickets: Ticket[]
    try {
      value = await this.#underWay.run(change, () => work(change.unit(writing.db)))
      tickets = await change.commit(this.#known)
    } catch (error) {
      const undone = await change.undo()
      writing.change = undefined
      client.release(!undone)
      throw error
    }
    writing.change = undefined
    client.release()
    await Promise.all(
      tickets.map(async ({ appended, ticket, since }) => {
        const position = await this.#rounds.position(appended.origin.workspaceUuid, ticket, since)
        appended.told?.(position)
      }),
    )
    change.committed()
    return value
  }

  #connection(client: PoolClient): WriteConnection {
    const known = this.#connections.get(client)
    if (known !== undefined) return known
    const asked = connection(
      async (text, values) => {
        const change = this.#underWay.getStore()
        if (change === undefined || change !== writing.change) throw changeOver()
        return change.ask(text, values)
      },
      () => undefined,
    )
    const db = queriesOver(
      async () => asked,
      async () => undefined,
      this.#plugins,
    )
    const writing: WriteConnection = { db, change: undefined }
    this.#connections.set(client, writing)
    return writing
  }
}

/** A handle for queries on one connection, and the change that has it now. One that outlives its change is refused. */
interface WriteConnection {
  readonly db: Db
  change: PostgresChange | undefined
}

class PostgresChange {
  readonly #client: PoolClient
  readonly #appended: Appended[] = []
  readonly #last: CompiledQuery[] = []
  readonly #afterCommit: (() => void)[] = []
  #begun: Promise<unknown> | undefined

  constructor(client: PoolClient) {
    this.#client = client
  }

  unit(db: Db): Unit {
    return {
      db,
      engine: "postgres",
      append: (origin, events, told) => events.length > 0 && this.#appended.push({ origin, events, told }),
      later: (statement) => this.#last.push(statement.compile()),
      onCommit: (run) => this.#afterCommit.push(run),
    }
  }

  ask(text: string, parameters: readonly unknown[]) {
    this.#cork()
    this.#begin()
    return this.#client.query(named(text, parameters))
  }

  /** Durable when it resolves. */
  async commit(known: KnownPosition): Promise<Ticket[]> {
    const since = await Promise.all(this.#appended.map(({ origin }) => known(origin.workspaceUuid)))
    if (this.#begun === undefined && since.length === 0 && this.#last.length === 0) return []
    this.#cork()
    this.#begin()
    const last = this.#last.map(({ sql, parameters }) => this.#client.query(named(sql, parameters)))
    const appends = this.#appended.map((one) => this.#client.query<{ ticket: number }>(appendStatement(one)))
    const committing = this.#client.query("commit")
    // One that fails makes the rest fail and the commit a rollback; the first is the one to be heard.
    for (const following of [...appends, committing]) following.catch(() => undefined)
    await Promise.all(last)
    const drawn = await Promise.all(appends)
    const { command } = await committing
    if (command !== "COMMIT") throw new Error(`PostgreSQL answered a commit with ${command}.`)
    return this.#appended.map((appended, n) => {
      const ticket = drawn[n]?.rows[0]?.ticket
      if (ticket === undefined) throw new Error("PostgreSQL drew no ticket for a change.")
      return { appended, ticket, since: since[n] ?? 0 }
    })
  }

  /** Whether the connection can be used again. */
  async undo(): Promise<boolean> {
    if (this.#begun === undefined) return true
    return this.#client.query("rollback").then(
      () => true,
      () => false,
    )
  }

  committed(): void {
    for (const run of this.#afterCommit) run()
  }

  #begin(): void {
    this.#begun ??= this.#client.query("begin")
    this.#begun.catch(() => undefined)
  }

  /** What is sent before anything else is awaited goes out in one packet. */
  #cork(): void {
    const { stream } = (this.#client as unknown as { connection: { stream: Duplex } }).connection
    if (stream.writableCorked > 0) return
    stream.cork()
    process.nextTick(() => stream.uncork())
  }
}

function appendStatement(appended: Appended) {
  const said = JSON.stringify(eventRows(appended))
  return named("select chorus_append($1, $2) as ticket", [appended.origin.workspaceUuid, said])
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && CONFLICTS.has(error.code)
}
