import { useCallback, useContext, useEffect, useState } from "react"
import { SignedInContext } from "../sign-in/signed-in.ts"

const PREFIX = "chorus.draft"
const KEPT_MS = 30 * 86_400_000

export interface Draft<Value> {
  readonly value: Value
  /** It was begun earlier and never sent. */
  readonly resumed: boolean
  set(value: Value): void
  /** Sent, or given up: begins anew. */
  drop(): void
}

/**
 * What somebody is writing, kept on this device under their name with every letter until it is sent: neither a reload nor a
 * wrong click loses it, and who comes back finds it.
 */
export function useDraft<Value>(name: string, initial: Value): Draft<Value> {
  const key = useKey(name)
  const [begun, setBegun] = useState(() => begin(key, initial))
  const current = begun.key === key ? begun : begin(key, initial)
  if (current !== begun) setBegun(current)
  const start = JSON.stringify(initial)
  useEffect(() => {
    const hear = (told: CustomEvent<Begun<unknown>>) => {
      if (told.detail.key === key) setBegun((now) => ({ ...now, ...(told.detail as Begun<Value>) }))
    }
    TOLD.addEventListener("draft", hear as EventListener)
    return () => TOLD.removeEventListener("draft", hear as EventListener)
  }, [key])
  const set = useCallback(
    (value: Value) => {
      keep(key, JSON.stringify(value) === start ? undefined : value)
      tell({ key, value })
    },
    [key, start],
  )
  const drop = useCallback(() => {
    keep(key, undefined)
    tell({ key, value: JSON.parse(start) as Value, resumed: false })
  }, [key, start])
  return { value: current.value, resumed: current.resumed, set, drop }
}

/** Where the same is written in two places of the page, as in a card and its preview, each shows what the other has. */
const TOLD = new EventTarget()

function tell(detail: Partial<Begun<unknown>>): void {
  TOLD.dispatchEvent(new CustomEvent("draft", { detail }))
}

/** Whether something was begun under this name and never sent. */
export function useHasDraft(name: string): boolean {
  return read(useKey(name)) !== undefined
}

function useKey(name: string): string {
  return `${PREFIX}.${useContext(SignedInContext)?.person.uuid ?? ""}.${name}`
}

interface Begun<Value> {
  readonly key: string
  readonly value: Value
  readonly resumed: boolean
}

function begin<Value>(key: string, initial: Value): Begun<Value> {
  const kept = read(key)
  return kept === undefined
    ? { key, value: initial, resumed: false }
    : { key, value: kept.value as Value, resumed: true }
}

function read(key: string): { readonly at: number; readonly value: unknown } | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null") as { at: number; value: unknown } | null
    return kept === null || kept.at < Date.now() - KEPT_MS ? undefined : kept
  } catch {
    return undefined
  }
}

function keep(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify({ at: Date.now(), value }))
  } catch {
    // A browser without room or without leave to keep anything still lets one write.
  }
}

/** What somebody has begun on this device and not sent, by the keys under which it is kept. */
export function draftsOf(personUuid: string): readonly string[] {
  return Object.keys(localStorage).filter(
    (key) => key.startsWith(`${PREFIX}.${personUuid}.`) && read(key) !== undefined,
  )
}

export function forgetDrafts(personUuid: string): void {
  for (const key of draftsOf(personUuid)) localStorage.removeItem(key)
}

/** Forgets what nobody has come back to for a month. */
export function forgetOldDrafts(): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(`${PREFIX}.`) && read(key) === undefined) localStorage.removeItem(key)
}
