import { push } from "@chorus/contracts"
import type { Schema } from "@chorus/store"
import { operation } from "../../operation.ts"
import { closeLane } from "../../deliveries/outbox.ts"
import { pushLane } from "../../push/notice.ts"
import { ensureVapid } from "../../push/vapid.ts"

export const getPush = operation(push.getPush, async ({ db, actor }) => {
  const rows = await db
    .selectFrom("pushSubscriptions")
    .selectAll()
    .where("userUuid", "=", actor.uuid)
    .orderBy("createdAt")
    .orderBy("uuid")
    .execute()
  return { publicKey: (await ensureVapid(db)).publicKey, subscriptions: rows.map(subscriptionRow) }
})

/** A browser is called for whoever subscribed it last. */
export const subscribePush = operation(
  push.subscribePush,
  async ({ db, actor, now, newId }, { endpoint, keys, browser }) => {
    const values = { userUuid: actor.uuid, p256dh: keys.p256dh, auth: keys.auth, browser: browser ?? null }
    const row = await db
      .insertInto("pushSubscriptions")
      .values({ uuid: newId(), endpoint, ...values, createdAt: now, lastSentAt: null })
      .onConflict((conflict) => conflict.column("endpoint").doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow()
    return subscriptionRow(row)
  },
)

export const unsubscribePush = operation(push.unsubscribePush, async ({ db, actor }, { endpoint }) => {
  const gone = await db
    .deleteFrom("pushSubscriptions")
    .where("endpoint", "=", endpoint)
    .where("userUuid", "=", actor.uuid)
    .returning("uuid")
    .executeTakeFirst()
  if (gone !== undefined) await closeLane({ db }, pushLane(gone.uuid))
  return { removed: gone !== undefined }
})

export const notePageInView = operation(push.notePageInView, async ({ db, actor, now }) => {
  await db
    .insertInto("personPresence")
    .values({ userUuid: actor.uuid, visibleAt: now })
    .onConflict((conflict) => conflict.column("userUuid").doUpdateSet({ visibleAt: now }))
    .execute()
  return { visibleAt: now }
})

function subscriptionRow({
  uuid,
  browser,
  createdAt,
  lastSentAt,
}: Schema["pushSubscriptions"]): push.PushSubscriptionRow {
  return { uuid, browser, createdAt, lastSentAt }
}
