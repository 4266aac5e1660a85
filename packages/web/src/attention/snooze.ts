import { useCallback, useContext, useMemo, useSyncExternalStore } from "react"
import { useNow } from "../agents/use-now.ts"
import { SignedInContext } from "../sign-in/signed-in.ts"
import type { Item } from "./decide.ts"

type Snoozed = Readonly<Record<string, number>>

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
  readonly until: Snoozed
  snooze(uuids: readonly string[], end: Date | undefined): void
} {
  const key = `chorus.snoozed.${useContext(SignedInContext)?.person.uuid ?? ""}`
  const kept = useSyncExternalStore(listen, () => localStorage.getItem(key))
  const until = useMemo(() => read(kept), [kept])
  const snooze = useCallback(
    (uuids: readonly string[], end: Date | undefined) => {
      const now = Date.now()
      const others = Object.entries(read(localStorage.getItem(key))).filter(
        ([uuid, at]) => at > now && !uuids.includes(uuid),
      )
      const next = Object.fromEntries([...others, ...uuids.flatMap((uuid) => (end ? [[uuid, end.getTime()]] : []))])
      localStorage.setItem(key, JSON.stringify(next))
      TOLD.dispatchEvent(new Event("snoozed"))
    },
    [key],
  )
  return { until, snooze }
}

/** What still waits: neither put off nor lapsed. */
export function awakeAt(items: readonly Item[], until: Snoozed, now: number): readonly Item[] {
  const lapses = ({ attention }: Item) => Date.parse(attention?.expiresAt ?? "") || Infinity
  return items.filter((item) => (until[item.uuid] ?? 0) <= now && lapses(item) > now)
}

/** How many things wait, wherever that is told. */
export function useAwakeCount(items: readonly Item[]): number {
  const { until } = useSnoozed()
  return awakeAt(items, until, useNow()).length
}

/** The queue, the badge and the title tell the same number, and other tabs too. */
const TOLD = new EventTarget()

function listen(hear: () => void): () => void {
  TOLD.addEventListener("snoozed", hear)
  addEventListener("storage", hear)
  return () => {
    TOLD.removeEventListener("snoozed", hear)
    removeEventListener("storage", hear)
  }
}

function read(kept: string | null): Snoozed {
  return JSON.parse(kept ?? "{}") as Snoozed
}
