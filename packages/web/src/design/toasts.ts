import { wordsOf } from "./error-words.ts"

export interface Toast {
  readonly id: number
  readonly kind: "news" | "error"
  readonly title: string
  /** For an error: what to do next. */
  readonly detail?: string | undefined
  /** For an error: nothing helps but signing in again. */
  readonly signIn?: boolean
  /** Goes to what it tells of. */
  readonly open?: (() => void) | undefined
  readonly undo?: (() => void) | undefined
  /** Called when it is no longer shown, for whatever reason. */
  readonly gone?: (() => void) | undefined
}

const SHOWN_MS = { news: 5000, error: 10_000 }
const MOST = 4
const listeners = new Set<() => void>()
let shown: readonly Toast[] = []
let lastId = 0

export function toasts(): readonly Toast[] {
  return shown
}

export function onToasts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Says something in passing; `undo` adds the button that takes it back, `open` the one that goes there. */
export function toast(
  title: string,
  { ms = SHOWN_MS.news, ...options }: Pick<Toast, "detail" | "open" | "undo" | "gone"> & { readonly ms?: number } = {},
): number {
  const id = ++lastId
  add({ id, kind: "news", title, ...options }, ms)
  return id
}

/** Says what went wrong and what to do next. */
export function toastError(error: unknown): void {
  add({ id: ++lastId, kind: "error", ...wordsOf(error) })
}

export function dismissToast(id: number): void {
  set(shown.filter((each) => each.id !== id))
}

function add(next: Toast, ms = SHOWN_MS[next.kind]): void {
  set([...shown.filter((each) => each.title !== next.title), next].slice(-MOST))
  setTimeout(() => dismissToast(next.id), ms)
}

function set(next: readonly Toast[]): void {
  if (next.length === shown.length && next.every((each, at) => each === shown[at])) return
  const gone = shown.filter((each) => !next.includes(each))
  shown = next
  for (const listener of listeners) listener()
  for (const each of gone) each.gone?.()
}
