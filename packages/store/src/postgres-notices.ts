import { Client } from "pg"
import type { BroadcastListener, LogGrowth } from "./store.ts"

const GROWTH = "chorus_growth"
const BROADCAST = "chorus_broadcast"
const RECONNECT_MS = 250
/** How often the connection is asked whether it still stands; a network that went away says nothing by itself. */
const PULSE_MS = 10_000
const PULSE_PATIENCE_MS = 5000

/** What a server tells the others on the same database. Of growth the round tells that made it. */
export const notices = {
  broadcast: (topic: string, message: string) => ({ channel: BROADCAST, payload: `${topic} ${message}` }),
}

/**
 * Hears NOTIFY on one connection of its own and finds it again when it breaks. Notices sent while it was away are lost: of
 * growth, every workspace is told after each reconnect; a broadcast is missed.
 */
export class PostgresNotices {
  readonly #url: string
  readonly #pulseMs: number
  readonly #growth = new Set<LogGrowth>()
  readonly #broadcasts = new Map<string, Set<BroadcastListener>>()
  #client: Client | undefined
  #stopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(url: string, pulseMs = PULSE_MS) {
    this.#url = url
    this.#pulseMs = pulseMs
  }

  async start(): Promise<void> {
    const client = new Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: 5000,
      query_timeout: Math.min(this.#pulseMs, PULSE_PATIENCE_MS),
    })
    client.on("error", () => undefined)
    client.on("notification", ({ channel, payload }) => this.#heard(channel, payload ?? ""))
    try {
      await client.connect()
      await client.query(`listen ${GROWTH}; listen ${BROADCAST}`)
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
    const pulse = setInterval(() => void client.query("select 1").catch(() => cut(client)), this.#pulseMs).unref()
    // Only a connection that worked is found again when it ends; one that never did is the caller's to retry.
    client.on("end", () => {
      clearInterval(pulse)
      this.#reconnect()
    })
    this.#client = client
    if (this.#stopped) await client.end()
  }

  onGrowth(listener: LogGrowth): () => void {
    this.#growth.add(listener)
    return () => this.#growth.delete(listener)
  }

  onBroadcast(topic: string, listener: BroadcastListener): () => void {
    const listeners = this.#broadcasts.get(topic) ?? new Set()
    this.#broadcasts.set(topic, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  #heard(channel: string, payload: string): void {
    const separator = payload.indexOf(channel === GROWTH ? ":" : " ")
    if (separator < 0) return
    const [head, tail] = [payload.slice(0, separator), payload.slice(separator + 1)]
    if (channel === GROWTH) return this.#tell(head, Number(tail))
    for (const listener of this.#broadcasts.get(head) ?? []) listener(tail)
  }

  #tell(workspaceUuid: string, position: number): void {
    for (const listener of this.#growth) listener(workspaceUuid, position)
  }

  #reconnect(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.start()
        .then(() => this.#tellAll())
        .catch(() => this.#reconnect())
    }, RECONNECT_MS)
  }

  async #tellAll(): Promise<void> {
    const known = await this.#client
      ?.query<{ uuid: string; lastEvent: string }>(`select "uuid", "lastEvent" from workspaces`)
      .catch(() => undefined)
    for (const { uuid, lastEvent } of known?.rows ?? []) this.#tell(uuid, Number(lastEvent))
  }
}

/** Ends a connection that nobody answers on any more; saying goodbye would wait for an answer too. */
function cut(client: Client): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
