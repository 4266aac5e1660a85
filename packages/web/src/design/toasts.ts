import { ChorusError } from "@chorus/contracts"

export interface Toast {
  readonly id: number
  readonly kind: "news" | "error"
  readonly title: string
  /** For an error: what to do next. */
  readonly detail?: string | undefined
  /** For an error: its stable code. */
  readonly code?: string | undefined
  readonly undo?: (() => void) | undefined
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

/** Says something in passing; `undo` adds the button that takes it back. */
export function toast(
  title: string,
  options: { readonly detail?: string; readonly undo?: (() => void) | undefined } = {},
): void {
  add({ id: ++lastId, kind: "news", title, ...options })
}

/** Says what went wrong, its code and what to do next. */
export function toastError(error: unknown): void {
  const known = error instanceof ChorusError ? error : undefined
  const title = error instanceof Error ? error.message : String(error)
  add({ id: ++lastId, kind: "error", title, code: known?.code, detail: known?.next })
}

export function dismissToast(id: number): void {
  set(shown.filter((each) => each.id !== id))
}

function add(next: Toast): void {
  set([...shown.filter((each) => each.title !== next.title), next].slice(-MOST))
  setTimeout(() => dismissToast(next.id), SHOWN_MS[next.kind])
}

function set(next: readonly Toast[]): void {
  if (next.length === shown.length && next.every((each, at) => each === shown[at])) return
  shown = next
  for (const listener of listeners) listener()
}
