import { AsyncLocalStorage } from "node:async_hooks"
import type { CompiledQuery } from "kysely"
import type { Pool, PoolClient } from "pg"
import { answersStraight } from "./asked-often.ts"
import type { Appended } from "./event-log.ts"
import { changeOver } from "./group-commit.ts"
import { type Answer, PostgresPipe } from "./postgres-pipe.ts"
import type { PostgresRounds } from "./postgres-rounds.ts"
import { connection, queriesOver } from "./postgres-statements.ts"
import type { Db } from "./schema/index.ts"
import type { Unit } from "./store.ts"

const CONFLICTS = new Set(["40001", "40P01"])
const MAX_ATTEMPTS = 5

/**
 * The last statement of a change. It has a transaction number before it has a ticket, which rounds rely on, and a
 * workspace that is not there makes it fail.
 */
const APPEND = `with drawn as materialized (
    select nextval(case when pg_current_xact_id() is not null then '"changeTickets"'::regclass end) as "ticket"
  ), added as (
    insert into "eventsComing" ("workspaceUuid", "ticket", "place", "at", "actorType", "actorUuid", "actorName", "requestId",
      "kind", "entityType", "entityUuid", "projectUuid", "action", "patch")
    select (select w."uuid" from workspaces w where w."uuid" = $1), d."ticket", e.place, $2, $3, $4, $5, $6,
      e."kind", e."entityType", e."entityUuid", e."projectUuid", e."action", e."patch"
    from drawn d cross join rows from (json_to_recordset($7) as (
      "kind" text, "entityType" text, "entityUuid" text, "projectUuid" text, "action" text, "patch" text
    )) with ordinality as e("kind", "entityType", "entityUuid", "projectUuid", "action", "patch", place)
  ) select "ticket" from drawn`

/** What {@link APPEND} takes for some events. */
export function appending({ origin, events }: Appended): {
  readonly text: string
  readonly values: readonly unknown[]
} {
  const { workspaceUuid, at, actor, requestId } = origin
  const said = JSON.stringify(
    events.map(({ kind, entityType, entityUuid, projectUuid, action, patch }) => ({
      kind,
      entityType,
      entityUuid,
      projectUuid,
      action,
      patch: JSON.stringify(patch),
    })),
  )
  return { text: APPEND, values: [workspaceUuid, at, actor.type, actor.uuid, actor.name, requestId, said] }
}

/** Where the log of a workspace stands at least. */
export type KnownPosition = (workspaceUuid: string) => Promise<number>

/** What a change has kept, by the ticket under which its events wait for their positions. */
interface Ticket {
  readonly appended: Appended
  readonly ticket: number
  readonly since: number
}

/**
 * Changes, each in a transaction of its own and side by side. The beginning goes out with the first statement, the
 * events with the commit. Whoever asked is answered once its events have positions.
 */
export class PostgresChanges {
  readonly #pool: Pool
  readonly #rounds: PostgresRounds
  readonly #known: KnownPosition
  readonly #underWay = new AsyncLocalStorage<PostgresChange>()
  readonly #connections = new WeakMap<PoolClient, WriteConnection>()

  constructor(pool: Pool, rounds: PostgresRounds, known: KnownPosition) {
    this.#pool = pool
    this.#rounds = rounds
    this.#known = known
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
    const writing = this.#connection(client)
    const change = new PostgresChange(writing.pipe)
    writing.change = change
    let value: T
    let tickets: Ticket[]
    try {
      value = await this.#underWay.run(change, () => work(change.unit(writing.db)))
      // What is asked behind the commit, or behind the rollback, would be a change of its own.
      writing.change = undefined
      tickets = await change.commit(this.#known)
    } catch (error) {
      writing.change = undefined
      client.release(!(await change.undo()))
      throw error
    }
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
    const ask = async (text: string, values: readonly unknown[]) => {
      const change = this.#underWay.getStore()
      if (change === undefined || change !== writing.change) throw changeOver()
      return change.ask(text, values)
    }
    const asked = connection(ask, () => undefined)
    const queries = queriesOver(
      async () => asked,
      async () => undefined,
    )
    const db = answersStraight(queries, async (text, values) => (await ask(text, values)).rows)
    const writing: WriteConnection = { db, pipe: new PostgresPipe(client), change: undefined }
    this.#connections.set(client, writing)
    return writing
  }
}

/** A handle for queries on one connection, and the change that has it now. One that outlives its change is refused. */
interface WriteConnection {
  readonly db: Db
  readonly pipe: PostgresPipe
  change: PostgresChange | undefined
}

class PostgresChange {
  readonly #pipe: PostgresPipe
  readonly #appended: Appended[] = []
  readonly #last: CompiledQuery[] = []
  readonly #besides: Promise<unknown>[] = []
  readonly #afterCommit: (() => void)[] = []
  #begun: Promise<unknown> | undefined
  #isOver = false

  constructor(pipe: PostgresPipe) {
    this.#pipe = pipe
  }

  unit(db: Db): Unit {
    return {
      db,
      engine: "postgres",
      append: (origin, events, told) => events.length > 0 && this.#appended.push({ origin, events, told }),
      later: (statement) => this.#last.push(statement.compile()),
      besides: (statement) => {
        if (this.#isOver) throw changeOver()
        const { sql, parameters } = statement.compile()
        const asked = this.ask(sql, parameters)
        // A change that is undone has an error of its own to tell.
        asked.catch(() => undefined)
        this.#besides.push(asked)
      },
      onCommit: (run) => this.#afterCommit.push(run),
    }
  }

  ask(text: string, values: readonly unknown[] = []): Promise<Answer> {
    this.#begun ??= this.#pipe.ask("begin", [])
    this.#begun.catch(() => undefined)
    return this.#pipe.ask(text, values)
  }

  /** Durable when it resolves. */
  async commit(known: KnownPosition): Promise<Ticket[]> {
    this.#isOver = true
    const since = await Promise.all(this.#appended.map(({ origin }) => known(origin.workspaceUuid)))
    if (this.#begun === undefined && since.length === 0 && this.#last.length === 0) return []
    const last = this.#last.map(({ sql, parameters }) => this.ask(sql, parameters))
    const drawing = this.#appended.map((one) => {
      const { text, values } = appending(one)
      return this.ask(text, values)
    })
    const [{ command }, drawn] = await Promise.all([
      this.ask("commit"),
      Promise.all(drawing),
      ...last,
      ...this.#besides,
    ])
    if (command !== "COMMIT") throw new Error(`PostgreSQL answered a commit with ${command}.`)
    return this.#appended.map((appended, n) => {
      const ticket = drawn[n]?.rows[0]?.["ticket"]
      if (typeof ticket !== "number") throw new Error("PostgreSQL drew no ticket for a change.")
      return { appended, ticket, since: since[n] ?? 0 }
    })
  }

  /** Whether the connection can be used again. */
  async undo(): Promise<boolean> {
    this.#isOver = true
    if (this.#begun === undefined) return true
    return this.#pipe.ask("rollback", []).then(
      () => true,
      () => false,
    )
  }

  committed(): void {
    for (const run of this.#afterCommit) run()
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && CONFLICTS.has(error.code)
}
