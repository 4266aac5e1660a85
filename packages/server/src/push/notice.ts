import type { StatusRow } from "@chorus/contracts"
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
}

/** What to call a person for when a terminal changes: its agent needs input, or has finished what it did. */
export function terminalNotice(row: StatusRow, before: StatusRow | undefined, tag: string): PushNotice | undefined {
  if (row.state === before?.state && row.since === before.since) return undefined
  const about = row.title ?? row.terminalId
  if (row.state === "needsInput")
    return {
      tag,
      title: `${row.agent} needs you`,
      body: clip(`${about}: ${row.detail ?? "a question waits"}`),
      path: "/agents",
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

/** Puts the notice on its way to every browser of the person, unless they are looking at the page. Whoever else is connected does not count. */
export async function callPerson(
  { db, now, newId }: OperationContext,
  userUuid: string,
  notice: PushNotice,
): Promise<void> {
  const browsers = await db.selectFrom("pushSubscriptions").select("uuid").where("userUuid", "=", userUuid).execute()
  if (browsers.length === 0) return
  const lately = new Date(Date.parse(now) - PRESENT_MS).toISOString()
  const present = await db
    .selectFrom("personPresence")
    .select("visibleAt")
    .where("userUuid", "=", userUuid)
    .where("visibleAt", ">", lately)
    .executeTakeFirst()
  if (present !== undefined) return
  const payload = JSON.stringify({ ...notice, at: now })
  if (Buffer.byteLength(payload) > MOST_PAYLOAD) return
  const due = new Date(Date.parse(now) + SETTLE_MS).toISOString()
  const rows = browsers.map(({ uuid }) => ({
    uuid: newId(),
    subscriptionUuid: uuid,
    tag: notice.tag,
    payload,
    status: "pending" as const,
    attempts: 0,
    nextAttemptAt: due,
    responseStatus: null,
    error: null,
    createdAt: now,
    sentAt: null,
  }))
  await withdrawCalls({ db }, notice.tag)
  await db.insertInto("pushMessages").values(rows).execute()
}

/** Takes back what has not been tried yet: the person answered before anybody was called. */
export async function withdrawCalls({ db }: Pick<OperationContext, "db">, tag: string): Promise<void> {
  await db
    .deleteFrom("pushMessages")
    .where("tag", "=", tag)
    .where("status", "=", "pending")
    .where("attempts", "=", 0)
    .execute()
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS - 1)}…` : line
}
