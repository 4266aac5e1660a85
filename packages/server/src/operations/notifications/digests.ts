import { notifications } from "@chorus/contracts"
import { plainWords } from "@chorus/core"
import { operation } from "../../operation.ts"
import { callPerson } from "../../push/notice.ts"

const HOUR_MS = 3_600_000
const PERIOD_MS = { hourly: HOUR_MS, daily: 24 * HOUR_MS }
const NAMED = 3

/** One push for all that came since the last one and is still unread; silence where there is nothing. */
export const sendDigests = operation(notifications.sendDigests, async (context) => {
  const { db, actor, now } = context
  const wanting = await db
    .selectFrom("notificationPreferences as p")
    .innerJoin("users as u", "u.uuid", "p.ownerUuid")
    .select(["p.ownerUuid", "p.digest", "p.digestAt"])
    .where("u.workspaceUuid", "=", actor.workspaceUuid)
    .where("u.disabledAt", "is", null)
    .where("p.digest", "<>", "off")
    .execute()
  let sent = 0
  for (const { ownerUuid, digest, digestAt } of wanting) {
    const since = digestAt ?? now
    if (digest === "off" || Date.parse(now) - Date.parse(since) < PERIOD_MS[digest]) continue
    const unread = await db
      .selectFrom("notifications")
      .select("message")
      .where("recipientUuid", "=", ownerUuid)
      .where("createdAt", ">", since)
      .where("readAt", "is", null)
      .where("archivedAt", "is", null)
      .orderBy("createdAt", "desc")
      .limit(100)
      .execute()
    await db.updateTable("notificationPreferences").set({ digestAt: now }).where("ownerUuid", "=", ownerUuid).execute()
    if (unread.length === 0) continue
    const count = unread.length === 100 ? "More than 99" : String(unread.length)
    const words = unread.slice(0, NAMED).map(({ message }) => plainWords(message).slice(0, 90))
    await callPerson(context, ownerUuid, {
      tag: `digest:${ownerUuid}`,
      title: `${count} unread ${unread.length === 1 ? "notification" : "notifications"}`,
      body: words.join("\n"),
      path: "/notifications",
    })
    sent++
  }
  return { sent }
})
