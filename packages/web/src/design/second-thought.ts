import { useSyncExternalStore } from "react"
import { dismissToast, toast } from "./toasts.ts"

const UNDO_MS = 10_000
const waiting = new Set<() => void>()

/** What a decision is about, so that its own page and those around it show that it is being made. */
export interface DecidedOn {
  readonly kind: "proposal" | "task" | "attention"
  readonly uuid: string
  readonly projectUuid: string | null
  /** Approved or verified, not refused. */
  readonly yes: boolean
}

/** A decision that was made here and that the server does not know of yet. */
export interface Pending {
  readonly about: readonly DecidedOn[]
  readonly title: string
  /** Only while it can be taken back. */
  readonly undo: (() => void) | undefined
}

const listeners = new Set<() => void>()
let pending: ReadonlyMap<Promise<boolean>, Pending> = new Map()

/** The decision under way of which this is true. */
export function usePending(isMeant: (about: DecidedOn) => boolean): Pending | undefined {
  const all = useSyncExternalStore(follow, () => pending)
  return [...all.values()].find(({ about }) => about.some(isMeant))
}

/** The server has answered, or nothing is sent: what the pages show of it is true again. */
export function settle(held: Promise<boolean>): void {
  if (pending.has(held)) set(held, undefined)
}

/**
 * Says what was decided and lets it be taken back for ten seconds. True once it stands: the time is over, or the page is left.
 * A phone may end a page that is out of sight without another word, so it stands then too; a tab behind others lives on.
 */
export function secondThought(title: string, ...about: readonly DecidedOn[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const stand = () => {
    if (!waiting.delete(stand)) return
    set(promise, { about, title, undo: undefined })
    resolve(true)
  }
  waiting.add(stand)
  addEventListener("pagehide", standAll)
  document.addEventListener("visibilitychange", standOutOfSight)
  const undo = () => {
    waiting.delete(stand)
    set(promise, undefined)
    resolve(false)
    dismissToast(id)
  }
  set(promise, { about, title, undo })
  const id = toast(title, { ms: UNDO_MS, undo, gone: stand })
  return promise
}

interface Held {
  readonly about?: DecidedOn | undefined
  /** Sent only when this says so; nothing, or false, where the server did not take it. */
  send(held: Promise<boolean>): Promise<unknown>
  /** Out of sight until the server has answered. */
  close(): void
  /** The server did not take it: it is asked again, with the words. */
  back(): void
}

/** A decision with words. They are kept where they were written until the server has them; says whether it has. */
export async function secondThoughtOf(title: string, { about, send, close, back }: Held): Promise<boolean> {
  const held = secondThought(title, ...(about === undefined ? [] : [about]))
  close()
  const done = await send(held).finally(() => settle(held))
  if (done !== undefined && done !== false) return true
  if (await held) back()
  return false
}

const standAll = () => {
  for (const stand of waiting) stand()
}
const standOutOfSight = () => {
  if (document.visibilityState === "hidden" && matchMedia("(pointer: coarse)").matches) standAll()
}

function set(held: Promise<boolean>, next: Pending | undefined): void {
  const others = [...pending].filter(([each]) => each !== held)
  pending = new Map(next === undefined ? others : [...others, [held, next]])
  for (const listener of listeners) listener()
}

function follow(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
