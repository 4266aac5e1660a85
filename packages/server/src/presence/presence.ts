import type { ActorRef } from "@chorus/contracts"
import { actorRef } from "../actor.ts"
import type { Touch } from "../registry.ts"

const SHOWN: ReadonlySet<string> = new Set(["task", "idea", "proposal", "document"])
const QUIET_MS = 2000
const MOST_REMEMBERED = 5000

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

/** Passes on what agents touch. The same agent on the same thing is told every two seconds at most, unless it goes from looking to changing. */
export class Presence {
  readonly #watchers = new Set<Watcher>()
  readonly #told = new Map<string, number>()

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  note({ actor, kind, reached, at }: Touch): void {
    if (actor.type !== "agent" || this.#watchers.size === 0) return
    for (const { noun, uuid, projectUuid } of reached) {
      if (!SHOWN.has(noun) || this.#isRepeat(`${actor.uuid} ${uuid} ${kind}`, Date.parse(at))) continue
      const sighting: Sighting = {
        workspaceUuid: actor.workspaceUuid,
        projectUuid,
        entityType: noun,
        entityUuid: uuid,
        action: kind === "read" ? "view" : "mutate",
        agent: actorRef(actor),
        at,
      }
      for (const watcher of this.#watchers) watcher(sighting)
    }
  }

  #isRepeat(key: string, time: number): boolean {
    const last = this.#told.get(key)
    if (last !== undefined && time - last < QUIET_MS) return true
    if (this.#told.size >= MOST_REMEMBERED) this.#told.clear()
    this.#told.set(key, time)
    return false
  }
}
