import type { sessions } from "@chorus/contracts"
import { sessionStatus } from "@chorus/core"
import type { Schema } from "@chorus/store"

export type SessionRecord = Schema["sessions"]

export function sessionRow(record: SessionRecord, now: string, inactiveMinutes: number): sessions.SessionRow {
  const { touching: _, ...rest } = record
  return { ...rest, status: sessionStatus(record, now, inactiveMinutes) }
}
