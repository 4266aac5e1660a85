import { toast } from "./toasts.ts"

const UNDO_MS = 10_000
const waiting = new Set<() => void>()

/**
 * Says what was decided and lets it be taken back for ten seconds. True once it stands: the time is over, or the page is left.
 * A phone may end a page that is out of sight without another word, so it stands then too; a tab behind others lives on.
 */
export function secondThought(title: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const stand = () => {
    waiting.delete(stand)
    resolve(true)
  }
  waiting.add(stand)
  addEventListener("pagehide", standAll)
  document.addEventListener("visibilitychange", standOutOfSight)
  const undo = () => {
    waiting.delete(stand)
    resolve(false)
  }
  toast(title, { ms: UNDO_MS, undo, gone: stand })
  return promise
}

interface Held {
  /** Sent only when this says so; nothing, or false, where the server did not take it. */
  send(held: Promise<boolean>): Promise<unknown>
  /** Out of sight until the server has answered. */
  close(): void
  /** The server did not take it: it is asked again, with the words. */
  back(): void
}

/** A decision with words. They are kept where they were written until the server has them; says whether it has. */
export async function secondThoughtOf(title: string, { send, close, back }: Held): Promise<boolean> {
  const held = secondThought(title)
  close()
  const done = await send(held)
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
