import type { ActorRef } from "@chorus/contracts"
import type { Store } from "@chorus/store"
import { actorRef } from "../operation.ts"
import type { Touch } from "../registry.ts"

const SHOWN: ReadonlySet<string> = new Set(["task", "idea", "proposal", "document"])
const TOPIC = "presence"
const QUIET_MS = 2000
const MOST_REMEMBERED = 5000
/** To the other servers, sightings of a moment go together, as many as one message holds. */
const GATHER_MS = 100
const MOST_BYTES = 7500

/** That an agent looks at something or works on it, right now. It is told to whoever watches and kept nowhere. */
export interface Sighting {
  readonly workspaceUuid: string
  readonly projectUuid: string | null
  readonly entityType: string
  readonly entityUuid: string
  readonly action: "view" | "mutate"
  readonly agent: ActorRef
  readonly at: string
}

type Watcher = (sighting: Sighting) => void

/**
 * Passes on what agents touch, on whichever server that was. The same agent on the same thing is told every two seconds at most,
 * unless it goes from looking to changing.
 */
export class Presence {
  readonly #bus: Pick<Store, "engine" | "broadcast" | "onBroadcast">
  readonly #watchers = new Set<Watcher>()
  readonly #sent = new Quiet()
  readonly #told = new Quiet()
  readonly #stopListening: () => void
  #waiting: Sighting[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(bus: Pick<Store, "engine" | "broadcast" | "onBroadcast">) {
    this.#bus = bus
    this.#stopListening = bus.onBroadcast(TOPIC, (message) => this.#tell(JSON.parse(message) as Sighting[]))
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  note({ actor, kind, reached, at }: Touch): void {
    const isAlone = this.#bus.engine === "sqlite"
    if (actor.type !== "agent" || (isAlone && this.#watchers.size === 0)) return
    for (const { noun, uuid, projectUuid } of reached.filter((thing) => SHOWN.has(thing.noun))) {
      const action = kind === "read" ? "view" : "mutate"
      const sighting: Sighting = {
        workspaceUuid: actor.workspaceUuid,
        projectUuid,
        entityType: noun,
        entityUuid: uuid,
        action,
        agent: actorRef(actor),
        at,
      }
      if (!this.#sent.isRepeat(sighting)) this.#waiting.push(sighting)
    }
    if (isAlone) return this.#send()
    this.#timer ??= setTimeout(() => this.#send(), GATHER_MS).unref()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#stopListening()
  }

  #send(): void {
    this.#timer = undefined
    const waiting = this.#waiting
    this.#waiting = []
    // Who was seen while the store was away is of no interest when it is back.
    for (const message of messagesOf(waiting)) void this.#bus.broadcast(TOPIC, message).catch(() => undefined)
  }

  #tell(sightings: readonly Sighting[]): void {
    if (this.#watchers.size === 0) return
    for (const sighting of sightings.filter((one) => !this.#told.isRepeat(one))) {
      for (const watcher of this.#watchers) watcher(sighting)
    }
  }
}

/** Remembers what was said lately. */
class Quiet {
  readonly #last = new Map<string, number>()

  isRepeat({ agent, entityUuid, action, at }: Sighting): boolean {
    const key = `${agent.uuid} ${entityUuid} ${action}`
    const time = Date.parse(at)
    const last = this.#last.get(key)
    if (last !== undefined && time - last < QUIET_MS) return true
    if (this.#last.size >= MOST_REMEMBERED) this.#last.clear()
    this.#last.set(key, time)
    return false
  }
}

function messagesOf(sightings: readonly Sighting[]): string[] {
  if (sightings.length === 0) return []
  const message = JSON.stringify(sightings)
  if (sightings.length === 1 || Buffer.byteLength(message) <= MOST_BYTES) return [message]
  const half = Math.ceil(sightings.length / 2)
  return [...messagesOf(sightings.slice(0, half)), ...messagesOf(sightings.slice(half))]
}
