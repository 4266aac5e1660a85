import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { checkedOut, git, repositoryOf } from "@chorus/changes"
import { isPartOf, makeWorktree, removeWorktree, whyItStays } from "@chorus/runs"
import { type SpawnNote, spawnNoteOf, type Team, writeSpawnNote } from "@chorus/teams"
import { dataDirectory } from "../output.ts"

/** Not among the files of the team: Claude Code asks before it writes anything below its own folder. */
export function teamWorktrees(data: string): string {
  return join(data, "team-worktrees")
}

type MemberWorktree = NonNullable<SpawnNote["worktree"]>

/** A checkout of a member's own, on a branch of its own, beside whatever its person works on. */
export async function worktreeFor(team: Team, member: string, cwd: string): Promise<MemberWorktree> {
  const repository = await repositoryOf(cwd)
  const onto = await checkedOut(repository)
  const { path, branch, baseCommit } = await makeWorktree({
    runUuid: randomUUID(),
    repository,
    place: teamWorktrees(dataDirectory()),
    taskTitle: `${team.name} ${member}`,
    inPlace: false,
    fetch: false,
  })
  return { path, repository, branch, baseCommit, onto }
}

/** Takes back what was made for a member that could not be started. */
export async function dropWorktree({ path, repository, branch, baseCommit }: MemberWorktree): Promise<void> {
  await removeWorktree({ path, repository, branch, baseCommit, inPlace: false })
  await git(repository, ["update-ref", "-d", `refs/heads/${branch}`, baseCommit])
}

/**
 * Takes away the checkout of a member that has gone, and its branch where all of it is merged. Says why where that
 * would lose something.
 */
export async function clearWorktree(team: Team, member: string): Promise<string | undefined> {
  const { worktree } = spawnNoteOf(team.paths, member) ?? {}
  if (worktree === undefined) return undefined
  const tree = { ...worktree, inPlace: false }
  const why = await whyItStays(tree, member)
  if (why !== undefined) return `${worktree.path} stays: ${why}`
  await removeWorktree(tree)
  const { branch, onto = "HEAD" } = worktree
  if (await dropMerged(team, member, onto))
    return `All of its work is in ${onto}, so its branch ${branch} has gone as well.`
  return `Its work is on the branch ${branch}; \`chorus team land "${member}"\` merges it.`
}

/** Takes away the branch of a member that has left where all of it is in the other one; whether it has gone. */
export async function dropMerged(team: Team, member: string, into: string): Promise<boolean> {
  const note = spawnNoteOf(team.paths, member)
  if (note?.worktree === undefined) return false
  const { repository, path, branch } = note.worktree
  if (existsSync(path) || !(await isPartOf(repository, into, branch))) return false
  // First, so that nobody who finds no branch wonders what became of it.
  writeSpawnNote(team.paths, member, { ...note, worktree: { ...note.worktree, mergedInto: into } })
  return git(repository, ["branch", "-D", branch]).then(
    () => true,
    () => false,
  )
}
