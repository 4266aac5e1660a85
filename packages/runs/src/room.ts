import { freemem, totalmem } from "node:os"
import type { runs } from "@chorus/contracts"
import { megabytesIn } from "./cleaning.ts"

const MEGABYTE = 1024 * 1024
/** Worktrees are many small files: counting them is work for the disk. */
const COUNT_EVERY_MS = 3_600_000

/** What this machine has left; what its worktrees take is counted now and then, and nobody waits for it. */
export function openRoom(worktrees: string): () => runs.RunnerRoom {
  let taken: number | null = null
  let counted = 0
  return () => {
    if (Date.now() - counted > COUNT_EVERY_MS) {
      counted = Date.now()
      void megabytesIn(worktrees).then((megabytes) => (taken = megabytes))
    }
    return {
      memory: Math.round(totalmem() / MEGABYTE),
      freeMemory: Math.round(freemem() / MEGABYTE),
      worktrees: taken,
    }
  }
}
