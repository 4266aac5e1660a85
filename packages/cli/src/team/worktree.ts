import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { repositoryOf } from "@chorus/changes"
import { livenessOf, type ProcessIdentity } from "@chorus/disk"
import { makeWorktree, removeWorktree, whyItStays } from "@chorus/runs"
import { type SpawnNote, spawnNoteOf, type Team } from "@chorus/teams"

type MemberWorktree = NonNullable<SpawnNote["worktree"]>

/** A checkout of a member's own, on a branch of its own, beside whatever its person works on. */
export async function worktreeFor(team: Team, member: string, cwd: string): Promise<MemberWorktree> {
  const { path, repository, branch, baseCommit } = await makeWorktree({
    runUuid: randomUUID(),
    repository: await repositoryOf(cwd),
    place: join(team.paths.root, "chorus", "worktrees"),
    taskTitle: `${team.name} ${member}`,
    inPlace: false,
    fetch: false,
  })
  return { path, repository, branch, baseCommit }
}

/** Takes away the checkout of a member that has gone; its branch stays. Says why where that would lose something. */
export async function clearWorktree(
  team: Team,
  member: string,
  host: ProcessIdentity | undefined,
): Promise<string | undefined> {
  const { worktree } = spawnNoteOf(team.paths, member) ?? {}
  if (worktree === undefined) return undefined
  // It has said goodbye and ends what it runs; nothing tells of the end of a process that is not ours.
  for (let n = 0; n < 100 && host !== undefined && livenessOf(host) === "alive"; n++) await pause(100)
  const tree = { ...worktree, inPlace: false }
  const why = await whyItStays(tree, member)
  if (why !== undefined) return `${worktree.path} stays: ${why}`
  await removeWorktree(tree)
  return `Its work is on the branch ${worktree.branch}.`
}
