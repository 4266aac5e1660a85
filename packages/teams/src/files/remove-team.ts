import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { isNews } from "../watch.ts"
import { withTeamLock } from "./team-lock.ts"
import { entriesOf, refuseLinks, type TeamPaths } from "./team-paths.ts"

/**
 * Takes away all there is of a team, in a moment in which nobody writes to it. Whoever comes later finds no folder, and makes none:
 * a member that has said goodbye may still be putting its things in order.
 */
export async function removeTeam(paths: TeamPaths): Promise<void> {
  refuseLinks(paths.directory, paths.tasks, paths.own)
  const inboxes = entriesOf(paths.inboxes)
    .filter(isNews)
    .map((name) => join(paths.inboxes, name))
  const tasks = existsSync(paths.tasks) ? [paths.taskListLock] : []
  // Each is out of the way in one step; taken away one by one, a file that is written meanwhile would keep its folder.
  const gone = join(paths.root, "chorus", "gone")
  const place = join(gone, randomUUID())
  await withTeamLock(paths, [paths.config, ...inboxes, ...tasks], () => {
    mkdirSync(place, { recursive: true, mode: 0o700 })
    // The roster first: without it nobody makes the others anew.
    for (const [n, path] of [paths.directory, paths.tasks, paths.own].entries())
      if (existsSync(path)) moveAway(path, join(place, `${n}-${basename(path)}`))
  })
  rmSync(gone, { recursive: true, force: true, maxRetries: 5 })
}

function moveAway(path: string, to: string): void {
  try {
    renameSync(path, to)
  } catch {
    // It lies on another disk.
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  }
}
