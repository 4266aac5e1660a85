import { createHash } from "node:crypto"
import { ChorusError } from "@chorus/contracts"
import type { Store } from "@chorus/store"
import { type ChannelOptions, sendToChannel } from "../channels/sender.ts"
import { closeLane } from "../deliveries/outbox.ts"
import type { Sender } from "../deliveries/post-office.ts"
import { subjectOf } from "../deliveries/settle.ts"
import { encryptPush } from "./encrypt.ts"
import { dropSeen } from "./notice.ts"
import { postPush, type PushRoute } from "./post-push.ts"
import { findVapid, vapidHeader } from "./vapid.ts"

const TTL_SECONDS = 3600

export interface PushOptions extends PushRoute {
  readonly channels: ChannelOptions
  /** Whom a push service may write to about these messages. */
  readonly subject?: string | undefined
}

/**
 * Calls people, in their browsers and elsewhere. A call to a browser has arrived when its push service has taken it; a
 * browser that is no more is forgotten.
 */
export function pushSender(store: Store, options: PushOptions): Sender {
  return {
    kind: "call",
    atOnce: 2,
    gather: () => dropSeen(store),
    async send(delivery, now, signal) {
      const { lane, tag, payload } = delivery
      if (lane.startsWith("channel:")) return sendToChannel(store, delivery, options.channels, signal)
      const browser = await store.db
        .selectFrom("pushSubscriptions")
        .selectAll()
        .where("uuid", "=", subjectOf(lane))
        .executeTakeFirst()
      if (browser === undefined) return gone(lane)
      try {
        const vapid = await findVapid(store.db)
        if (vapid === undefined)
          return { arrived: false, error: "The key it was subscribed with is gone.", forGood: true }
        const headers = {
          authorization: vapidHeader(vapid, browser.endpoint, options.subject ?? "mailto:chorus@localhost", now),
          "content-encoding": "aes128gcm",
          "content-type": "application/octet-stream",
          ttl: String(TTL_SECONDS),
          urgency: "high",
          // What the service still holds about the same gives way to this; so does the same call sent twice.
          topic: createHash("sha256")
            .update(tag ?? "")
            .digest("base64url")
            .slice(0, 32),
        }
        const { endpoint } = browser
        const responseStatus = await postPush(
          { endpoint, body: encryptPush(payload, browser), headers },
          { ...options, signal },
        )
        if (responseStatus === 404 || responseStatus === 410) return await gone(lane)
        if (responseStatus >= 200 && responseStatus < 300) return { arrived: true, responseStatus }
        const forGood = responseStatus < 500 && responseStatus !== 429 && responseStatus !== 408
        return { arrived: false, responseStatus, error: `It answered ${responseStatus}.`, forGood }
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return { arrived: false, error: message, forGood: error instanceof ChorusError }
      }
    },
  }

  async function gone(lane: string) {
    await store.write(async ({ db }) => {
      await db.deleteFrom("pushSubscriptions").where("uuid", "=", subjectOf(lane)).execute()
      await closeLane({ db }, lane)
    })
    return { arrived: false as const, error: "The browser is gone.", forGood: true }
  }
}
