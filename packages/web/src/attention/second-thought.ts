import { toast } from "../design/index.ts"

const UNDO_MS = 10_000
const waiting = new Set<() => void>()

/**
 * Says what was decided and lets it be taken back for ten seconds. True once it stands: the time is over, or the page is left.
 * A phone may end a page that is out of sight without another word, so it stands then too.
 */
export function secondThought(title: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const stand = () => {
    waiting.delete(stand)
    resolve(true)
  }
  waiting.add(stand)
  const undo = () => {
    waiting.delete(stand)
    resolve(false)
  }
  toast(title, { ms: UNDO_MS, undo, gone: stand })
  return promise
}

const standAll = () => {
  for (const stand of waiting) stand()
}
addEventListener("pagehide", standAll)
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") standAll()
})
