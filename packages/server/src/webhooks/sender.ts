import { type Store, toLogEvent } from "@chorus/store"
import type { Logger } from "pino"
import type { Resolve } from "./address.ts"
import { type DueDelivery, makeOut, nextDue, type Outcome, settle, takeDue } from "./outbox.ts"
import { post } from "./post.ts"

/** Waits before the second, third … attempt; after the last the delivery has failed. */
const WAITS_MS = [10_000, 60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 6 * 3_600_000, 12 * 3_600_000]
const AT_ONCE = 8
const LONGEST_SLEEP_MS = 60_000
const RETRY_MS = 5000
/** Changes that come close together are looked at together. */
const GATHER_MS = 30

export interface SenderOptions {
  readonly log?: Logger | undefined
  readonly now?: (() => Date) | undefined
  readonly resolve?: Resolve | undefined
  readonly waitsMs?: readonly number[] | undefined
  readonly timeoutMs?: number | undefined
}

export interface WebhookSender {
  close(): Promise<void>
}

/** Sends the log to webhooks, as it grows: deliveries are made out first, so that none is lost when the server stops, then sent until they arrive. */
export function startWebhooks(store: Store, options: SenderOptions = {}): WebhookSender {
  const now = options.now ?? (() => new Date())
  const waits = options.waitsMs ?? WAITS_MS
  let closed = false
  let running: Promise<void> | undefined
  let wanted = false
  let timer: NodeJS.Timeout | undefined
  let gathering: NodeJS.Timeout | undefined

  const stopListening = store.onGrowth(() => {
    gathering ??= setTimeout(() => {
      gathering = undefined
      wake()
    }, GATHER_MS).unref()
  })
  wake()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      clearTimeout(gathering)
      stopListening()
      await running
    },
  }

  function wake(): void {
    wanted = true
    if (closed || running !== undefined) return
    running = work().finally(() => {
      running = undefined
      if (wanted) wake()
    })
  }

  async function work(): Promise<void> {
    clearTimeout(timer)
    wanted = false
    let sleep = RETRY_MS
    try {
      while (!closed && (await makeOut(store, now())));
      for (;;) {
        const due = closed ? [] : await takeDue(store, now(), AT_ONCE)
        if (due.length === 0) break
        await Promise.all(due.map(deliver))
      }
      sleep = await untilNext()
    } catch (error) {
      // The store is away; what is due stays due.
      options.log?.warn({ err: error }, "webhooks wait for the store")
    }
    if (!closed) timer = setTimeout(wake, sleep).unref()
  }

  async function deliver(due: DueDelivery): Promise<void> {
    await settle(store, due.delivery.uuid, await attempt(due))
  }

  async function attempt({ delivery, webhook }: DueDelivery): Promise<Outcome> {
    const row = await store.db
      .selectFrom("events")
      .selectAll()
      .where("workspaceUuid", "=", webhook.workspaceUuid)
      .where("id", "=", delivery.eventId)
      .executeTakeFirst()
    if (row === undefined)
      return {
        status: "failed",
        nextAttemptAt: null,
        responseStatus: null,
        error: "The event is no longer kept.",
        deliveredAt: null,
      }
    const body = JSON.stringify({ delivery: delivery.uuid, event: toLogEvent(row) })
    const parcel = {
      url: webhook.url,
      secret: webhook.secret,
      allowPrivate: webhook.allowPrivate === 1,
      deliveryUuid: delivery.uuid,
      kind: row.kind,
      body,
      now: now(),
    }
    try {
      const responseStatus = await post(parcel, { resolve: options.resolve, timeoutMs: options.timeoutMs })
      if (responseStatus >= 200 && responseStatus < 300)
        return {
          status: "delivered",
          nextAttemptAt: null,
          responseStatus,
          error: null,
          deliveredAt: now().toISOString(),
        }
      return again(delivery.attempts, responseStatus, `It answered ${responseStatus}.`)
    } catch (error) {
      return again(delivery.attempts, null, error instanceof Error ? error.message.slice(0, 500) : String(error))
    }
  }

  function again(attempts: number, responseStatus: number | null, error: string): Outcome {
    const wait = waits[attempts - 1]
    const nextAttemptAt = wait === undefined ? null : new Date(now().getTime() + wait).toISOString()
    return {
      status: wait === undefined ? "failed" : "pending",
      nextAttemptAt,
      responseStatus,
      error,
      deliveredAt: null,
    }
  }

  async function untilNext(): Promise<number> {
    const at = await nextDue(store)
    return at === undefined
      ? LONGEST_SLEEP_MS
      : Math.min(LONGEST_SLEEP_MS, Math.max(10, Date.parse(at) - now().getTime()))
  }
}
