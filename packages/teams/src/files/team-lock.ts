import { join } from "node:path"
import { withLocks } from "./directory-lock.ts"
import { isErrno, teamGone } from "./file-fault.ts"
import type { HeldLock } from "./held-lock.ts"
import type { TeamPaths } from "./team-paths.ts"

/** Holds the lock of one or more of the team's files; a team that vanished meanwhile is named as such. */
export async function withTeamLock<T>(
  paths: TeamPaths,
  target: string | readonly string[],
  work: (held: HeldLock) => T,
): Promise<T> {
  try {
    return await withLocks(typeof target === "string" ? [target] : target, { notes: lockNotes(paths.root) }, work)
  } catch (error) {
    if (isErrno(error, "ENOENT")) throw teamGone(paths.team)
    throw error
  }
}

export function lockNotes(root: string): string {
  return join(root, "chorus", "locks")
}
