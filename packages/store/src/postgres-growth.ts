import { Client } from "pg"
import type { LogGrowth } from "./store.ts"

const RECONNECT_MS = 250

/**
 * Hears NOTIFY on one connection of its own and finds it again when it breaks.
 * Notices sent while it was away are lost, so after each reconnect it says "look again" for every workspace it knows of.
 */
export class GrowthListener {
  readonly #url: string
  readonly #channel: string
  readonly #listeners = new Set<LogGrowth>()
  readonly #known = new Set<string>()
  #client: Client | undefined
  #stopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(url: string, channel: string) {
    this.#url = url
    this.#channel = channel
  }

  async start(): Promise<void> {
    const client = new Client({ connectionString: this.#url, keepAlive: true, connectionTimeoutMillis: 5000 })
    client.on("error", () => undefined)
    client.on("notification", ({ payload }) => this.#heard(payload ?? ""))
    try {
      await client.connect()
      await client.query(`listen ${this.#channel}`)
    } catch (error) {
      client.end().catch(() => undefined)
      throw error
    }
    // Only a connection that worked is found again when it ends; one that never did is the caller's to retry.
    client.on("end", () => this.#reconnect())
    this.#client = client
    if (this.#stopped) await client.end()
  }

  subscribe(listener: LogGrowth): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  #heard(payload: string): void {
    const [workspaceUuid, position] = payload.split(":")
    if (workspaceUuid === undefined || position === undefined) return
    this.#known.add(workspaceUuid)
    this.#tell(workspaceUuid, Number(position))
  }

  #tell(workspaceUuid: string, position: number): void {
    for (const listener of this.#listeners) listener(workspaceUuid, position)
  }

  #reconnect(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.start().then(
        () => this.#known.forEach((workspaceUuid) => this.#tell(workspaceUuid, Number.MAX_SAFE_INTEGER)),
        () => this.#reconnect(),
      )
    }, RECONNECT_MS)
  }
}
