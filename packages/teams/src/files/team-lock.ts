import { type HeldLock, isErrno, lockNotes, withLocks } from "@chorus/disk"
import { teamFileFault, teamGone } from "./file-fault.ts"
import type { TeamPaths } from "./team-paths.ts"

const NEXT = "Run `chorus team doctor`; it names the owner and clears a lock that nobody holds."

/** Holds the lock of one or more of the team's files; a team that vanished meanwhile is named as such. */
export async function withTeamLock<T>(
  paths: TeamPaths,
  target: string | readonly string[],
  work: (held: HeldLock) => T,
): Promise<T> {
  const targets = typeof target === "string" ? [target] : target
  try {
    return await withLocks(targets, { notes: lockNotes(paths.root), next: NEXT }, work)
  } catch (error) {
    if (isErrno(error, "ENOENT")) throw teamGone(paths.team)
    throw teamFileFault(error, targets[0] ?? paths.directory)
  }
}
