import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { TEAM_LEAD, TeamConfig, type TeamMember } from "@chorus/contracts"
import { bodyOfKind } from "../protocol/body.ts"
import { replaceFile } from "@chorus/disk"
import { allInNow } from "./inbox-file.ts"
import { tryReadJson } from "./patient-json.ts"
import { withTeamLock } from "./team-lock.ts"
import { entriesOf, type TeamPaths } from "./team-paths.ts"

/**
 * The last whole roster of a team we take part in. Claude Code of February 2026 empties the file before it writes it, and has
 * been seen to stop in between: the roster is then gone for everybody, and this brings it back.
 */
export function keepSnapshot(paths: TeamPaths, config: TeamConfig, when: "always" | "if kept before"): void {
  const path = snapshotPath(paths)
  const text = JSON.stringify(config, null, 2)
  if (kept.get(path) === text || (when === "if kept before" && !existsSync(path))) return
  try {
    replaceFile(path, text)
  } catch (error) {
    if (existsSync(paths.config)) throw error
  }
  kept.set(path, text)
  // Whoever deletes a team takes the roster away first: then the folder of this one was just made anew.
  if (existsSync(paths.config)) return
  rmSync(path, { force: true })
  if (entriesOf(paths.own).length === 0) rmSync(paths.own, { recursive: true, force: true })
}

const kept = new Map<string, string>()

/** Puts the last whole roster back in place of one that is damaged; false when there is none. */
export async function restoreFromSnapshot(paths: TeamPaths): Promise<boolean> {
  const snapshot = tryReadJson(snapshotPath(paths)).value
  if (!TeamConfig.safeParse(snapshot).success) return false
  return withTeamLock(paths, paths.config, (held) => {
    if (tryReadJson(paths.config).state === "unfinished")
      replaceFile(paths.config, JSON.stringify(withoutLeavers(paths, snapshot as TeamConfig), null, 2), { held })
    return true
  })
}

/** The emptied write may have been the one that took a member off the roster: whoever has said goodbye does not come back. */
function withoutLeavers(paths: TeamPaths, config: TeamConfig): TeamConfig {
  const goodbyes = (allInNow(paths, TEAM_LEAD) ?? []).filter(
    ({ entry }) => bodyOfKind(entry.text, "shutdown_approved")?.from === entry.from,
  )
  const left = (member: TeamMember) =>
    goodbyes.some(({ entry }) => entry.from === member.name && Date.parse(entry.timestamp) > member.joinedAt)
  return { ...config, members: config.members.filter((member) => !left(member)) }
}

function snapshotPath(paths: TeamPaths): string {
  return join(paths.own, "config.json")
}
