import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { updateConfig } from "../src/files/config-file.ts"
import { createTeam, type Clock, type Team } from "../src/team.ts"

/** Team files are synced at every write; in memory that costs nothing. */
export const SCRATCH_PLACE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

/** A folder of one test, gone when the test is over. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(SCRATCH_PLACE, "chorus-team-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A team that Chorus leads, with these members, in a folder of its own. */
export async function scratchTeam(members: readonly string[] = [], clock?: Clock): Promise<Team> {
  const team = await createTeam({ name: "t" }, { root: scratchFolder(), clock })
  for (const name of members) await team.join({ name })
  return team
}

/** Makes a team look like one that a Claude Code session leads. */
export async function ledByClaude(team: Team): Promise<Team> {
  await updateConfig(team.paths, (config) => ({
    ...config,
    leadSessionId: "a-session-of-claude-code",
    leadProcess: { pid: process.pid },
  }))
  return team
}

export function jsonIn(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"))
}

/** The code of the ChorusError that the work ends with; undefined when it succeeds. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: { code?: unknown }) => error.code ?? error,
  )
}

/** What `look` finds once it finds something; in between everybody else gets their turn. */
export async function found<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await look()
    if (value !== undefined) return value
    await new Promise((resolve) => setImmediate(resolve))
  }
}
