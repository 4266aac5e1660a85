import { attentions, type KindAbout } from "@chorus/contracts"
import { changeAsked } from "@chorus/core"
import type { Db, Schema } from "@chorus/store"
import { type NameOf, namesOf, notFound } from "../../operation.ts"

export type AttentionRecord = Schema["attentions"]

export function attentionState(record: AttentionRecord, now: string): attentions.AttentionRow["state"] {
  if (record.deliveredAt !== null) return "delivered"
  if (record.withdrawnAt !== null) return "withdrawn"
  if (record.answeredAt !== null) return "answered"
  return record.expiresAt !== null && record.expiresAt <= now ? "expired" : "open"
}

export function attentionRow(record: AttentionRecord, nameOf: NameOf, now: string): attentions.AttentionRow {
  const detail = JSON.parse(record.detail) as Record<string, unknown>
  return {
    uuid: record.uuid,
    projectUuid: record.projectUuid,
    agent: nameOf(record.agentUuid === null ? null : "agent", record.agentUuid),
    sessionUuid: record.sessionUuid,
    taskUuid: record.taskUuid,
    kind: record.kind,
    title: record.title,
    options: optionsOf(detail),
    detail,
    answerable: record.answerable === 1,
    notice: noticeOf(record),
    state: attentionState(record, now),
    answer: record.answer === null ? null : (JSON.parse(record.answer) as attentions.AttentionAnswer),
    answeredBy: nameOf(record.answeredByType, record.answeredByUuid),
    createdAt: record.createdAt,
    expiresAt: record.expiresAt,
    answeredAt: record.answeredAt,
    deliveredAt: record.deliveredAt,
  }
}

export function optionsOf({ options }: Record<string, unknown>): string[] {
  return Array.isArray(options) ? options.filter((option) => typeof option === "string") : []
}

export async function attentionRows(
  db: Db,
  records: readonly AttentionRecord[],
  now: string,
): Promise<attentions.AttentionRow[]> {
  const nameOf = await namesOf(
    db,
    records.flatMap((record) => [record.agentUuid, record.answeredByUuid]),
  )
  return records.map((record) => attentionRow(record, nameOf, now))
}

/** A change of an attention as its readers learn of it. */
export async function attentionEvent(
  db: Db,
  record: AttentionRecord,
  now: string,
  kind: KindAbout<"attention", "updated">,
) {
  const [row] = await attentionRows(db, [record], now)
  if (row === undefined) throw notFound("attention", record.uuid)
  const { uuid, projectUuid, state, answer, answeredBy, answeredAt, deliveredAt, title, sessionUuid, taskUuid } = row
  const { answerable, expiresAt } = row
  const change = { state, answer, answeredBy, answeredAt, deliveredAt, answerable, expiresAt }
  const asked = row.kind === "change" ? { asked: changeAsked(row.detail) } : {}
  const patch = { ...change, title, sessionUuid, taskUuid, agentUuid: record.agentUuid, ...asked }
  const about = { kind, entityType: "attention", entityUuid: uuid, projectUuid, action: "updated" } as const
  return { row, event: { ...about, patch } }
}

export const NOTICES: readonly attentions.AttentionNotice[] = attentions.AttentionNotice.options

/** By what of it Chorus knows a notice again. */
export function noticeId(notice: attentions.AttentionNotice, ofUuid: string): string {
  return `${notice}:${ofUuid}`
}

/** What a program asks under a name of its own waits for an answer, and is none. */
export function noticeOf({ requestId, answerable }: AttentionRecord): attentions.AttentionNotice | null {
  if (answerable === 1) return null
  return NOTICES.find((notice) => requestId?.startsWith(noticeId(notice, ""))) ?? null
}

/** Whether a question was raised because a terminal waits. */
export function isOfTerminal(requestId: string | null): boolean {
  return requestId?.startsWith("terminal:") ?? false
}
