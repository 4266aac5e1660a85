import { rmSync } from "node:fs"
import { join } from "node:path"
import type { TeamPermissionMode } from "@chorus/contracts"
import { readJson, replaceFile } from "@chorus/disk"
import { entriesOf, fileNameOf, type TeamPaths } from "../files/index.ts"
import type { Backend } from "../backends/backend.ts"
import type { AgentChoice } from "./member-program.ts"

/** Whose word on a plan is enough. */
export type PlanDecider = "person" | "lead"

export interface MemberWorktree {
  readonly path: string
  readonly repository: string
  readonly branch: string
  readonly baseCommit: string
  /** What was checked out where it was begun, and is what its work goes into. */
  readonly onto?: string | undefined
  /** The branch in which all of it is; its own has gone since. */
  readonly mergedInto?: string | undefined
}

/** How a member was started, to start it again. Its environment is not in it, as that holds keys. */
export interface SpawnNote extends AgentChoice {
  readonly backend: Backend["type"]
  readonly mode?: TeamPermissionMode | undefined
  readonly planDecider?: PlanDecider | undefined
  /** What Claude Code uses without asking, besides what its mode allows. */
  readonly allowedTools?: readonly string[] | undefined
  readonly native?: boolean | undefined
  readonly socket?: string | undefined
  /** Its own checkout. */
  readonly worktree?: MemberWorktree | undefined
  /** It joined a team that somebody else leads. */
  readonly joined?: boolean | undefined
}

export function writeSpawnNote(paths: TeamPaths, agent: string, note: SpawnNote): void {
  replaceFile(spawnPath(paths, agent), JSON.stringify({ ...note, name: agent }))
}

function spawnedFolder(paths: TeamPaths): string {
  return join(paths.own, "spawned")
}

/** The members that have or had a checkout of their own, also those that have left. */
export function membersWithWorktrees(paths: TeamPaths): { readonly name: string; readonly worktree: MemberWorktree }[] {
  const folder = spawnedFolder(paths)
  return entriesOf(folder).flatMap((file) => {
    const { name, worktree } = (readJson(join(folder, file)) ?? {}) as Partial<SpawnNote> & { name?: string }
    return name === undefined || worktree === undefined ? [] : [{ name, worktree }]
  })
}

export function spawnNoteOf(paths: TeamPaths, agent: string): SpawnNote | undefined {
  return (readJson(spawnPath(paths, agent)) as SpawnNote | null | undefined) ?? undefined
}

/** Claude Code's own team mode believes whoever writes as its lead. */
export function planDeciderOf(paths: TeamPaths, agent: string): PlanDecider {
  const note = spawnNoteOf(paths, agent)
  return note?.native === true ? "lead" : (note?.planDecider ?? "lead")
}

export function dropSpawnNote(paths: TeamPaths, agent: string): void {
  rmSync(spawnPath(paths, agent), { force: true })
}

function spawnPath(paths: TeamPaths, agent: string): string {
  return join(spawnedFolder(paths), `${fileNameOf(agent)}.json`)
}
