import type { Store } from "@chorus/store"
import type { Logger } from "pino"
import type { Delivery } from "./outbox.ts"
import { type Outcome, settle } from "./settle.ts"

/** So long whoever took a delivery has it alone; a server that dies leaves it due again after that. */
const HELD_MS = 20_000
const LONGEST_SLEEP_MS = 60_000
const RETRY_MS = 5000
/** Changes that come close together are looked at together. */
const GATHER_MS = 30

/** One way out, for one kind of delivery. */
export interface Sender {
  readonly kind: Delivery["kind"]
  /** How many go to one destination at the same time. */
  readonly atOnce: number
  /** Makes out what there is to send, where that follows from the log. */
  gather?(now: Date): Promise<void>
  send(delivery: Delivery, now: Date, signal: AbortSignal): Promise<Outcome>
}

export interface PostOfficeOptions {
  readonly log?: Logger | undefined
  readonly now?: (() => Date) | undefined
  /** In place of what is usual for each kind. */
  readonly waitsMs?: readonly number[] | undefined
}

export interface PostOffice {
  close(): Promise<void>
}

/**
 * Sends what is due, each destination by itself, so that one that never answers delays nobody else. Deliveries are rows
 * before they are sent, and are tried until they arrive or are given up; of several servers on one store, one tries
 * each.
 */
export function startPostOffice(
  store: Store,
  senders: readonly Sender[],
  { log, now = () => new Date(), waitsMs }: PostOfficeOptions = {},
): PostOffice {
  const closing = new AbortController()
  const atWork = new Map<string, Promise<void>>()
  let looking: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Infinity

  const stopListening = store.onGrowth(() => wake(GATHER_MS))
  wake(0)
  return {
    close: async () => {
      closing.abort()
      clearTimeout(timer)
      stopListening()
      await looking
      await Promise.all(atWork.values())
    },
  }

  function wake(inMs: number): void {
    if (closing.signal.aborted) return
    if (looking !== undefined) return void (again = true)
    // What happens all the time must not put it off for ever.
    if (performance.now() + inMs >= wakesAt) return
    wakesAt = performance.now() + inMs
    clearTimeout(timer)
    timer = setTimeout(() => {
      wakesAt = Infinity
      looking = look().then((sleep) => {
        looking = undefined
        const soon = again
        again = false
        wake(soon ? GATHER_MS : sleep)
      })
    }, inMs).unref()
  }

  /** Sets off what is due and tells how long nothing else will be. */
  async function look(): Promise<number> {
    try {
      for (const sender of senders) await sender.gather?.(now())
      await expire()
      // One moment for both questions: what falls due between two would be in neither answer.
      const at = now().toISOString()
      for (const sender of senders)
        for (const lane of await lanesDue(sender.kind, at)) if (!atWork.has(lane)) setOff(sender, lane)
      return await untilNext(at)
    } catch (error) {
      // The store is away; what is due stays due.
      log?.warn({ err: error }, "deliveries wait for the store")
      return RETRY_MS
    }
  }

  function setOff(sender: Sender, lane: string): void {
    const work = empty(sender, lane)
      .catch((error: unknown) => log?.warn({ err: error, lane }, "a delivery waits for the store"))
      .then(() => {
        atWork.delete(lane)
        // Something may have fallen due while the lane was still at work.
        wake(GATHER_MS)
      })
    atWork.set(lane, work)
  }

  async function empty(sender: Sender, lane: string): Promise<void> {
    for (;;) {
      const taken = closing.signal.aborted ? [] : await take(sender, lane)
      if (taken.length === 0) return
      await Promise.all(taken.map((delivery) => deliver(sender, delivery)))
    }
  }

  async function deliver(sender: Sender, delivery: Delivery): Promise<void> {
    const outcome = await sender.send(delivery, now(), closing.signal)
    if (!outcome.arrived && closing.signal.aborted) return giveBack(delivery)
    await conclude(delivery, outcome)
  }

  async function conclude(delivery: Delivery, outcome: Outcome): Promise<void> {
    const { workspaceUuid } = delivery
    const at = now().toISOString()
    await store.write(async (unit) => {
      const events = await settle({ db: unit.db, now: at }, delivery, outcome, waitsMs)
      const actor = { type: "system", uuid: "chorus", name: "Chorus" } as const
      unit.append({ workspaceUuid, actor, at, requestId: null }, events)
    })
  }

  async function take({ atOnce }: Sender, lane: string): Promise<Delivery[]> {
    const at = now()
    const due = await store.db
      .selectFrom("deliveries")
      .select(["uuid", "nextAttemptAt"])
      .where("lane", "=", lane)
      .where("state", "=", "pending")
      .where("nextAttemptAt", "<=", at.toISOString())
      .orderBy("nextAttemptAt")
      .orderBy("place")
      .limit(atOnce)
      .execute()
    if (due.length === 0) return []
    return store.write(async ({ db }) => {
      const taken: Delivery[] = []
      for (const { uuid, nextAttemptAt } of due) {
        const delivery = await db
          .updateTable("deliveries")
          .set((set) => ({
            attempts: set("attempts", "+", 1),
            nextAttemptAt: new Date(at.getTime() + HELD_MS).toISOString(),
          }))
          .where("uuid", "=", uuid)
          .where("state", "=", "pending")
          .where("nextAttemptAt", "=", nextAttemptAt)
          .returningAll()
          .executeTakeFirst()
        if (delivery !== undefined) taken.push(delivery)
      }
      return taken
    })
  }

  /** It was not the receiver that failed: the next server begins with it. */
  async function giveBack({ uuid, nextAttemptAt }: Delivery): Promise<void> {
    await store.write(({ db }) =>
      db
        .updateTable("deliveries")
        .set((set) => ({ attempts: set("attempts", "-", 1), nextAttemptAt: now().toISOString() }))
        .where("uuid", "=", uuid)
        .where("nextAttemptAt", "=", nextAttemptAt)
        .execute(),
    )
  }

  async function expire(): Promise<void> {
    const late = await store.db
      .selectFrom("deliveries")
      .selectAll()
      .where("state", "=", "pending")
      .where("expiresAt", "<", now().toISOString())
      .execute()
    for (const delivery of late)
      await conclude(delivery, { arrived: false, error: "Nobody took it in time.", forGood: true, ...advice(delivery) })
  }

  async function lanesDue(kind: Delivery["kind"], at: string): Promise<string[]> {
    const rows = await store.db
      .selectFrom("deliveries")
      .select("lane")
      .distinct()
      .where("kind", "=", kind)
      .where("state", "=", "pending")
      .where("nextAttemptAt", "<=", at)
      .execute()
    return rows.map(({ lane }) => lane)
  }

  async function untilNext(at: string): Promise<number> {
    const row = await store.db
      .selectFrom("deliveries")
      .select(({ fn }) => fn.min("nextAttemptAt").as("at"))
      .where("state", "=", "pending")
      .where(
        "kind",
        "in",
        senders.map(({ kind }) => kind),
      )
      // Those that are due are at work, and say themselves when they are done.
      .where("nextAttemptAt", ">", at)
      .executeTakeFirst()
    return row?.at ? Math.min(LONGEST_SLEEP_MS, Math.max(10, Date.parse(row.at) - now().getTime())) : LONGEST_SLEEP_MS
  }
}

function advice({ lane }: Delivery): { next?: string } {
  return lane.startsWith("machine:") ? { next: "Start the companion on that machine, then send it again." } : {}
}
