import { setTimeout as wait } from "node:timers/promises"
import type { Pool, PoolClient } from "pg"
import { named } from "./postgres-statements.ts"

/** A server that died may have left events without a position; whoever is there looks for them so often. */
const LOOK_EVERY_MS = 1000
const RETRY_MS = 100
/** How long a committed change waits for its position when the database went away in between. */
const PATIENCE_MS = 10_000

interface Waiting {
  readonly ticket: number
  /** Its position is known to be beyond this one. */
  readonly since: number
  readonly resolve: (position: number) => void
  readonly reject: (reason: unknown) => void
  readonly until: number
}

interface Round {
  readonly newestTicket: string | number
  readonly ownXid: string | number | null
  readonly horizon: string | number
  readonly tickets: readonly (string | number)[] | null
  readonly positions: readonly (string | number)[] | null
}

/** Below `low` no event waits any more. Known by a connection, for a fail-over may bring an older sequence. */
interface Floor {
  low: number
  seen: { readonly ticket: number; readonly xid: number } | undefined
}

/** Gives positions to the events of changes that have committed: a round at a time in each workspace, for all that wait. */
export class PostgresRounds {
  readonly #pool: Pool
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #floors = new WeakMap<PoolClient, Map<string, Floor>>()
  #looking: NodeJS.Timeout | undefined
  #closed = false

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Looks from now on for what others left behind. */
  start(): void {
    this.#looking = setInterval(() => void this.#takeUp().catch(() => undefined), LOOK_EVERY_MS).unref()
  }

  /** The position of a committed change's last event. */
  position(workspaceUuid: string, ticket: number, since: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(workspaceUuid) ?? []
      waiting.push({ ticket, since, resolve, reject, until: Date.now() + PATIENCE_MS })
      this.#waiting.set(workspaceUuid, waiting)
      this.#start(workspaceUuid)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#looking)
    await Promise.all(this.#running.values())
    await this.#pool.end()
  }

  #start(workspaceUuid: string): void {
    if (this.#running.has(workspaceUuid)) return
    const running = this.#run(workspaceUuid).finally(() => {
      this.#running.delete(workspaceUuid)
      if (this.#waiting.has(workspaceUuid)) this.#start(workspaceUuid)
    })
    this.#running.set(workspaceUuid, running)
  }

  async #run(workspaceUuid: string): Promise<void> {
    do {
      const served = this.#waiting.get(workspaceUuid) ?? []
      this.#waiting.delete(workspaceUuid)
      const left = await this.#round(workspaceUuid, served).catch((error: unknown) => this.#giveUp(served, error))
      if (left.length === 0) continue
      this.#waiting.set(workspaceUuid, [...left, ...(this.#waiting.get(workspaceUuid) ?? [])])
      await wait(RETRY_MS)
    } while (this.#waiting.has(workspaceUuid))
  }

  /** Answers those whose events have positions now, and gives back the others. */
  async #round(workspaceUuid: string, served: readonly Waiting[]): Promise<readonly Waiting[]> {
    const client = await this.#pool.connect()
    let broken = true
    try {
      const floor = this.#floor(client, workspaceUuid)
      const tickets = served.map(({ ticket }) => ticket)
      const known = Math.min(...served.map(({ since }) => since))
      const asked = [workspaceUuid, floor.low, tickets, Number.isFinite(known) ? known : 0]
      const { rows } = await client.query<Round>(named("select * from chorus_round($1, $2, $3, $4)", asked))
      broken = false
      const [round] = rows
      if (round === undefined) return served
      raise(floor, round)
      const positions = new Map(round.tickets?.map((ticket, n) => [Number(ticket), Number(round.positions?.[n])]))
      const isLeft = ({ ticket, resolve }: Waiting) => {
        const position = positions.get(ticket)
        if (position !== undefined) resolve(position)
        return position === undefined
      }
      // The round took all that had committed, also what was told here only while it ran.
      const come = this.#waiting.get(workspaceUuid)?.filter(isLeft) ?? []
      if (come.length > 0) this.#waiting.set(workspaceUuid, come)
      else this.#waiting.delete(workspaceUuid)
      return served.filter(isLeft)
    } finally {
      client.release(broken)
    }
  }

  /** The changes are kept, but nobody can say where; those that waited long enough hear that, the others wait on. */
  #giveUp(served: readonly Waiting[], error: unknown): readonly Waiting[] {
    const now = Date.now()
    const over = (one: Waiting) => this.#closed || one.until <= now
    for (const one of served.filter(over)) one.reject(error)
    return served.filter((one) => !over(one))
  }

  async #takeUp(): Promise<void> {
    const { rows } = await this.#pool.query<{ workspaceUuid: string }>(
      `select distinct "workspaceUuid" from "eventsComing"`,
    )
    if (!this.#closed) for (const { workspaceUuid } of rows) this.#start(workspaceUuid)
  }

  #floor(client: PoolClient, workspaceUuid: string): Floor {
    const floors = this.#floors.get(client) ?? new Map<string, Floor>()
    this.#floors.set(client, floors)
    const floor = floors.get(workspaceUuid) ?? { low: 0, seen: undefined }
    floors.set(workspaceUuid, floor)
    return floor
  }
}

/**
 * Whoever drew a ticket up to the newest one seen had a transaction number below the round's own. Once the horizon has passed
 * that number, all of them have ended, and the round that saw this horizon has taken what they left.
 */
function raise(floor: Floor, { newestTicket, ownXid, horizon }: Round): void {
  if (floor.seen !== undefined && Number(horizon) >= floor.seen.xid) {
    floor.low = floor.seen.ticket + 1
    floor.seen = undefined
  }
  if (floor.seen === undefined && ownXid !== null) floor.seen = { ticket: Number(newestTicket), xid: Number(ownXid) }
}
