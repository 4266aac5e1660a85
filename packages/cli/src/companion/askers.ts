import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { livenessOf, processStart, readText, replaceFile } from "@chorus/disk"
import { claudeConfigDir, hostOf, openTeam, teamNames } from "@chorus/teams"

/** Who asked for a companion on demand: one file for each process, named by its id, that says when it began. */
export interface Askers {
  ask(pid: number): void
  /** Whether anybody who asked still lives, or a team member that this machine hosts; those who do not are forgotten. */
  remain(): Promise<boolean>
}

export function openAskers(directory: string): Askers {
  const folder = join(directory, "for")
  return {
    ask(pid) {
      replaceFile(join(folder, String(pid)), processStart(pid) ?? "", { mode: 0o600, fleeting: true })
    },
    remain: async () => sessionsIn(folder).length > 0 || (await membersAtWork()),
  }
}

function sessionsIn(folder: string): string[] {
  return entriesOf(folder).filter((name) => {
    // Whoever's parent is the first process asked in the name of one that had ended.
    const asker = { pid: Number(name), procStart: readText(join(folder, name)) }
    const alive = asker.pid > 1 && livenessOf(asker) !== "dead"
    if (!alive) rmSync(join(folder, name), { force: true })
    return alive
  })
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A team outlives the session that began it; while one of its members runs here, people want to see it. */
async function membersAtWork(): Promise<boolean> {
  for (const name of teamNames(claudeConfigDir())) {
    const team = await openTeam(name).catch(() => undefined)
    const members = (await team?.config().catch(() => undefined))?.members ?? []
    if (team !== undefined && members.some((member) => hostOf(team.paths, member.name) !== undefined)) return true
  }
  return false
}
