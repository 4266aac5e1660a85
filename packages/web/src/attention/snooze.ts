import { useCallback } from "react"
import { readUntil, tellSnoozed, type Until, useSnoozeKey, useUntil } from "./awake.ts"

export const SNOOZES = ["hour", "tomorrow", "monday"] as const
export type Snooze = (typeof SNOOZES)[number]

/** When something put off comes back: in an hour, or at nine in the morning of a day. */
export function endOf(snooze: Snooze, now: Date): Date {
  if (snooze === "hour") return new Date(now.getTime() + 3_600_000)
  const days = snooze === "tomorrow" ? 1 : (8 - now.getDay()) % 7 || 7
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9)
}

/** What this person has put off on this device, and until when. */
export function useSnoozed(): {
  readonly until: Until
  snooze(uuids: readonly string[], end: Date | undefined): void
} {
  const key = useSnoozeKey()
  const until = useUntil()
  const snooze = useCallback(
    (uuids: readonly string[], end: Date | undefined) => {
      const now = Date.now()
      const others = Object.entries(readUntil(localStorage.getItem(key))).filter(
        ([uuid, at]) => at > now && !uuids.includes(uuid),
      )
      const next = Object.fromEntries([...others, ...uuids.flatMap((uuid) => (end ? [[uuid, end.getTime()]] : []))])
      localStorage.setItem(key, JSON.stringify(next))
      tellSnoozed()
    },
    [key],
  )
  return { until, snooze }
}
