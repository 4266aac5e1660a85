import { useContext, useMemo, useSyncExternalStore } from "react"
import { useNow } from "../agents/use-now.ts"
import { SignedInContext } from "../sign-in/signed-in.ts"
import type { Item } from "./decide.ts"

/** When what was put off comes back, by its uuid. */
export type Until = Readonly<Record<string, number>>

/** Under what a person's list of what they have put off is kept on this device. */
export function useSnoozeKey(): string {
  return `chorus.snoozed.${useContext(SignedInContext)?.person.uuid ?? ""}`
}

export function useUntil(): Until {
  const key = useSnoozeKey()
  const kept = useSyncExternalStore(listen, () => localStorage.getItem(key))
  return useMemo(() => readUntil(kept), [kept])
}

/** What still waits: neither put off nor lapsed. */
export function awakeAt(items: readonly Item[], until: Until, now: number): readonly Item[] {
  const lapses = ({ attention }: Item) => Date.parse(attention?.expiresAt ?? "") || Infinity
  return items.filter((item) => (until[item.uuid] ?? 0) <= now && lapses(item) > now)
}

/** How many things wait, wherever that is told: also beyond those that are held here. */
export function useAwakeCount({ items, total }: { readonly items: readonly Item[]; readonly total: number }): number {
  return awakeAt(items, useUntil(), useNow()).length + total - items.length
}

/** The browser tells only the other tabs what is kept anew. */
export function tellSnoozed(): void {
  dispatchEvent(new Event("storage"))
}

export function readUntil(kept: string | null): Until {
  return JSON.parse(kept ?? "{}") as Until
}

function listen(hear: () => void): () => void {
  addEventListener("storage", hear)
  return () => removeEventListener("storage", hear)
}
