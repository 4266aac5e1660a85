import { claudeConfigDir, openTeam, teamNames } from "@chorus/teams"
import { clearLeft } from "../team/worktree.ts"
import { pause } from "./pause.ts"

const SOON_MS = 1_000
const LATEST_MS = 600_000

export interface Tidying {
  /** Somebody has left. */
  nudge(): void
  close(): Promise<void>
}

/**
 * Takes away the checkouts of members that have left. Nothing tells when the last process in one has ended, or when what
 * it held up has been committed, so what stays is looked at again, less and less often.
 */
export function startTidying(root: string | undefined): Tidying {
  const closing = new AbortController()
  let nudged = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    let wait = SOON_MS
    while (!closing.signal.aborted) {
      nudged = new AbortController()
      const { signal } = nudged
      const stays = await tidied(root)
      await pause(stays ? wait : LATEST_MS, AbortSignal.any([signal, closing.signal]))
      wait = stays && !signal.aborted ? Math.min(wait * 2, LATEST_MS) : SOON_MS
    }
  }

  return {
    nudge: () => nudged.abort(),
    async close() {
      closing.abort()
      await running
    },
  }
}

/** Whether anything stays. */
async function tidied(root: string | undefined): Promise<boolean> {
  const left = await Promise.all(
    teamNames(root ?? claudeConfigDir()).map(async (name) => {
      try {
        return (await clearLeft(await openTeam(name, { root }))).some(({ stays }) => stays)
      } catch {
        // A team that cannot be read now, or a repository that somebody else is at work in.
        return true
      }
    }),
  )
  return left.includes(true)
}
