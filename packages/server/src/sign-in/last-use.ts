import type { Store } from "@chorus/store"

const AT_MOST_EVERY_MS = 60_000
const GATHER_MS = 1000
const MOST_PER_STATEMENT = 500

type Kind = "apiKeys" | "agents" | "signIns"

/**
 * Keeps when keys, agents and sign-ins were last used: at most once a minute each, gathered and written after the answers
 * have gone out, so that no call waits for it.
 */
export class LastUse {
  readonly #store: Store
  readonly #onError: (error: unknown) => void
  readonly #waiting: Record<Kind, Map<string, string>> = { apiKeys: new Map(), agents: new Map(), signIns: new Map() }
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(store: Store, onError: (error: unknown) => void) {
    this.#store = store
    this.#onError = onError
  }

  key(key: { uuid: string; agentUuid: string; lastUsedAt: string | null }, now: string): void {
    if (key.lastUsedAt !== null && Date.parse(now) - Date.parse(key.lastUsedAt) < AT_MOST_EVERY_MS) return
    this.#note("apiKeys", key.uuid, now)
    this.#note("agents", key.agentUuid, now)
  }

  /** The first use of a new token is always kept: from then on the one before it is dead. */
  signIn(signIn: { uuid: string; isCurrent: boolean; lastUsedAt: string; rotatedAt: string }, now: string): void {
    if (!signIn.isCurrent) return
    const isFirst = signIn.lastUsedAt < signIn.rotatedAt
    if (isFirst || Date.parse(now) - Date.parse(signIn.lastUsedAt) >= AT_MOST_EVERY_MS)
      this.#note("signIns", signIn.uuid, now)
  }

  /** Writes what is waiting; resolves when it is written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#onError)
    return this.#writing
  }

  #note(kind: Kind, uuid: string, now: string): void {
    this.#waiting[kind].set(uuid, now)
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref()
  }

  async #write(): Promise<void> {
    const batch = {
      apiKeys: take(this.#waiting.apiKeys),
      agents: take(this.#waiting.agents),
      signIns: take(this.#waiting.signIns),
    }
    if (batch.apiKeys.size + batch.signIns.size === 0) return
    const at = [...batch.apiKeys.values()].sort().at(-1) ?? null
    await this.#store.write(async ({ db }) => {
      for (const uuids of chunks(batch.apiKeys))
        await db.updateTable("apiKeys").set({ lastUsedAt: at }).where("uuid", "in", uuids).execute()
      for (const uuids of chunks(batch.agents))
        await db.updateTable("agents").set({ lastActiveAt: at }).where("uuid", "in", uuids).execute()
      // Each with its own time: a token replaced since then must not look as if it had been used.
      for (const [uuid, usedAt] of [...batch.signIns].sort())
        await db.updateTable("signIns").set({ lastUsedAt: usedAt }).where("uuid", "=", uuid).execute()
    })
  }
}

function take(noted: Map<string, string>): Map<string, string> {
  const taken = new Map(noted)
  noted.clear()
  return taken
}

/** Sorted, so that two servers that write at the same time take their rows in the same order. */
function chunks(noted: ReadonlyMap<string, string>): string[][] {
  const uuids = [...noted.keys()].sort()
  return Array.from({ length: Math.ceil(uuids.length / MOST_PER_STATEMENT) }, (_, index) =>
    uuids.slice(index * MOST_PER_STATEMENT, (index + 1) * MOST_PER_STATEMENT),
  )
}
