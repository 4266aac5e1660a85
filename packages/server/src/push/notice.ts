import type { StatusRow } from "@chorus/contracts"
import { pathOfWaiting } from "@chorus/core"
import type { Store } from "@chorus/store"
import { channelLane } from "../channels/sender.ts"
import { enqueue, withdraw } from "../deliveries/outbox.ts"
import type { OperationContext } from "../operation.ts"
import { MOST_PAYLOAD } from "./encrypt.ts"

/** A page in view this lately means that the person is there. */
const PRESENT_MS = 90_000
/** A state must last this long before anybody is called: retries and quick answers are not worth a person's attention. */
const SETTLE_MS = 1500
const MOST_WORDS = 300

export interface PushNotice {
  /** What it is about; a later one about the same takes its place on the person's screen. */
  readonly tag: string
  readonly title: string
  readonly body: string
  /** Where a click leads. */
  readonly path: string
  /** Of this one call: whoever gets it twice knows that by it. */
  readonly mark?: string
}

/** What to call a person for when a terminal changes: its agent needs input, or has finished what it did. What waits is the attention. */
export function terminalNotice(
  row: StatusRow,
  before: (StatusRow & { formerly?: Pick<StatusRow, "state" | "since"> | undefined }) | undefined,
  tag: string,
  attentionUuid: string | undefined,
): PushNotice | undefined {
  const known = before?.formerly ?? before
  if (row.state === known?.state && row.since === known.since) return undefined
  const about = row.title ?? row.folder ?? row.terminalId
  if (row.state === "needsInput")
    return {
      tag,
      title: `${row.agent} needs you`,
      body: clip(`${about}: ${row.detail ?? "a question waits"}`),
      path: attentionUuid === undefined ? "/agents" : pathOfWaiting(attentionUuid),
    }
  if (row.state !== "finished" || before?.state === "finished") return undefined
  const failed = row.exitCode !== null && row.exitCode !== 0
  return {
    tag,
    title: failed ? `${row.agent} failed` : `${row.agent} has finished`,
    body: clip(`${about}: ${(failed ? row.reason : row.summary) ?? ""}`),
    path: "/agents",
  }
}

/**
 * Puts the notice on its way to every browser and channel of the person, unless they are looking at the page. Whoever
 * else is connected does not count.
 */
export async function callPerson(context: OperationContext, userUuid: string, notice: PushNotice): Promise<void> {
  const { db, actor, now, newId } = context
  const browsers = await db
    .selectFrom("pushSubscriptions")
    .select("uuid")
    .where("userUuid", "=", userUuid)
    .orderBy("uuid")
    .execute()
  const channels = await db
    .selectFrom("channels")
    .select("uuid")
    .where("userUuid", "=", userUuid)
    .orderBy("uuid")
    .execute()
  const lanes = [...browsers.map(({ uuid }) => pushLane(uuid)), ...channels.map(({ uuid }) => channelLane(uuid))]
  if (lanes.length === 0) return
  const seen = await db
    .selectFrom("personPresence")
    .select("visibleAt")
    .where("userUuid", "=", userUuid)
    .executeTakeFirst()
  const payload = { ...notice, at: now, mark: newId() }
  if (Buffer.byteLength(JSON.stringify(payload)) > MOST_PAYLOAD) return
  const { tag, title } = notice
  const call = { workspaceUuid: actor.workspaceUuid, kind: "call" as const, tag, title, payload, byUuid: userUuid }
  // Somebody who was there a moment ago may have left: it goes out unless they turn up again meanwhile (`dropSeen`).
  const leftAt = seen === undefined ? 0 : Date.parse(seen.visibleAt) + PRESENT_MS
  const dueAt = new Date(Math.max(Date.parse(now) + SETTLE_MS, leftAt)).toISOString()
  await withdraw(context, "call", tag)
  for (const lane of lanes) await enqueue(context, { ...call, lane, dueAt })
}

/** Takes back calls to people who have had the page in view since: they have seen what it was about. */
export async function dropSeen(store: Store): Promise<void> {
  const seen = await store.db
    .selectFrom("deliveries as d")
    .innerJoin("personPresence as p", "p.userUuid", "d.byUuid")
    .select("d.uuid")
    .where("d.kind", "=", "call")
    .where("d.state", "=", "pending")
    .where("d.tag", "is not", null)
    .whereRef("p.visibleAt", ">", "d.createdAt")
    .execute()
  if (seen.length === 0) return
  const uuids = seen.map(({ uuid }) => uuid)
  await store.write(({ db }) =>
    db.deleteFrom("deliveries").where("uuid", "in", uuids).where("state", "=", "pending").execute(),
  )
}

/** The lane of the calls to this browser. */
export function pushLane(subscriptionUuid: string): string {
  return `push:${subscriptionUuid}`
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS - 1)}…` : line
}
