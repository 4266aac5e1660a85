import { ChorusError } from "@chorus/contracts"
import type { Schema, Store } from "@chorus/store"
import type { Logger } from "pino"
import { encryptPush } from "./encrypt.ts"
import { postPush, type PushRoute } from "./post-push.ts"
import { findVapid, vapidHeader } from "./vapid.ts"

/** Waits before the second, third … attempt; after the last it is too late to call anybody. */
const WAITS_MS = [5000, 30_000, 2 * 60_000, 10 * 60_000]
const TTL_SECONDS = 3600
/** Until then no other server tries the same call. */
const HOLD_MS = 60_000
const KEPT_MS = 24 * 3_600_000
const LONGEST_SLEEP_MS = 60_000
const AT_ONCE = 8

export interface PushSenderOptions extends PushRoute {
  readonly log?: Logger | undefined
  readonly now?: (() => Date) | undefined
  readonly waitsMs?: readonly number[] | undefined
  /** Whom a push service may write to about these messages. */
  readonly subject?: string | undefined
}

export interface PushSender {
  close(): Promise<void>
}

interface Due {
  readonly message: Schema["pushMessages"]
  readonly browser: Schema["pushSubscriptions"]
}

type Outcome = Partial<Pick<Schema["pushMessages"], "status" | "nextAttemptAt" | "responseStatus" | "error" | "sentAt">>

/** Sends calls as they fall due. A call counts as sent when its push service has taken it; a browser that is no more is forgotten. */
export function startPush(store: Store, options: PushSenderOptions = {}): PushSender {
  const now = options.now ?? (() => new Date())
  const waits = options.waitsMs ?? WAITS_MS
  let closed = false
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const stopListening = store.onGrowth(() => wake(50))
  wake(0)
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      stopListening()
      await running
    },
  }

  function wake(inMs: number): void {
    if (closed) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (running !== undefined) return wake(50)
      running = work().finally(() => (running = undefined))
    }, inMs).unref()
  }

  async function work(): Promise<void> {
    let sleep = LONGEST_SLEEP_MS
    try {
      for (let due = await takeDue(); due.length > 0 && !closed; due = await takeDue())
        await Promise.all(due.map(deliver))
      sleep = await untilNext()
    } catch (error) {
      options.log?.warn({ err: error }, "calls wait for the store")
    }
    wake(sleep)
  }

  async function takeDue(): Promise<Due[]> {
    const at = now().toISOString()
    const due = await store.db
      .selectFrom("pushMessages")
      .select("uuid")
      .where("status", "=", "pending")
      .where("nextAttemptAt", "<=", at)
      .orderBy("nextAttemptAt")
      .limit(AT_ONCE)
      .execute()
    if (due.length === 0) return []
    const held = new Date(now().getTime() + HOLD_MS).toISOString()
    return store.write(async ({ db }) => {
      await db
        .deleteFrom("pushMessages")
        .where("status", "!=", "pending")
        .where("createdAt", "<", new Date(now().getTime() - KEPT_MS).toISOString())
        .execute()
      const taken: Due[] = []
      for (const { uuid } of due) {
        const message = await db
          .updateTable("pushMessages")
          .set((set) => ({ attempts: set("attempts", "+", 1), nextAttemptAt: held }))
          .where("uuid", "=", uuid)
          .where("status", "=", "pending")
          .where("nextAttemptAt", "<=", at)
          .returningAll()
          .executeTakeFirst()
        const browser =
          message === undefined
            ? undefined
            : await db
                .selectFrom("pushSubscriptions")
                .selectAll()
                .where("uuid", "=", message.subscriptionUuid)
                .executeTakeFirst()
        if (message !== undefined && browser !== undefined) taken.push({ message, browser })
      }
      return taken
    })
  }

  async function deliver({ message, browser }: Due): Promise<void> {
    const outcome = await attempt(message, browser)
    await store.write(async ({ db }) => {
      if (outcome === "gone")
        return void (await db.deleteFrom("pushSubscriptions").where("uuid", "=", browser.uuid).execute())
      await db.updateTable("pushMessages").set(outcome).where("uuid", "=", message.uuid).execute()
      if (outcome.status === "sent")
        await db
          .updateTable("pushSubscriptions")
          .set({ lastSentAt: now().toISOString() })
          .where("uuid", "=", browser.uuid)
          .execute()
    })
  }

  async function attempt(
    message: Schema["pushMessages"],
    browser: Schema["pushSubscriptions"],
  ): Promise<Outcome | "gone"> {
    try {
      const vapid = await findVapid(store.db)
      if (vapid === undefined)
        return { status: "failed", nextAttemptAt: null, error: "The key it was subscribed with is gone." }
      const headers = {
        authorization: vapidHeader(vapid, browser.endpoint, options.subject ?? "mailto:chorus@localhost", now()),
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        ttl: String(TTL_SECONDS),
        urgency: "high",
      }
      const responseStatus = await postPush(
        { endpoint: browser.endpoint, body: encryptPush(message.payload, browser), headers },
        options,
      )
      if (responseStatus === 404 || responseStatus === 410) return "gone"
      if (responseStatus >= 200 && responseStatus < 300)
        return { status: "sent", nextAttemptAt: null, responseStatus, error: null, sentAt: now().toISOString() }
      const forGood = responseStatus < 500 && responseStatus !== 429 && responseStatus !== 408
      return later(message.attempts, { responseStatus, error: `It answered ${responseStatus}.` }, forGood)
    } catch (error) {
      return later(
        message.attempts,
        { error: error instanceof Error ? error.message.slice(0, 500) : String(error) },
        error instanceof ChorusError,
      )
    }
  }

  function later(attempts: number, facts: Outcome, forGood: boolean): Outcome {
    const wait = forGood ? undefined : waits[attempts - 1]
    if (wait === undefined) return { ...facts, status: "failed", nextAttemptAt: null }
    return { ...facts, status: "pending", nextAttemptAt: new Date(now().getTime() + wait).toISOString() }
  }

  async function untilNext(): Promise<number> {
    const row = await store.db
      .selectFrom("pushMessages")
      .select(({ fn }) => fn.min("nextAttemptAt").as("at"))
      .where("status", "=", "pending")
      .executeTakeFirst()
    return row?.at ? Math.min(LONGEST_SLEEP_MS, Math.max(0, Date.parse(row.at) - now().getTime())) : LONGEST_SLEEP_MS
  }
}
