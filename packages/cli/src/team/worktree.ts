import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { checkedOut, git, repositoryOf } from "@chorus/changes"
import { lockNotes, withLock } from "@chorus/disk"
import { isPartOf, makeWorktree, removeWorktree, whyItStays } from "@chorus/runs"
import { membersWithWorktrees, type MemberWorktree, spawnNoteOf, type Team, writeSpawnNote } from "@chorus/teams"
import { dataDirectory } from "../output.ts"

/** Not among the files of the team: Claude Code asks before it writes anything below its own folder. */
export function teamWorktrees(data: string): string {
  return join(data, "team-worktrees")
}

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

/** What became of the checkout of a member that has left. */
export interface Cleared {
  readonly member: string
  readonly stays: boolean
  readonly says: string
}

/**
 * Takes away the checkout of a member that has left, and its branch where all of it is merged. Says why where that
 * would lose something. Of several who do so at once each says the same.
 */
export async function clearWorktree(team: Team, member: string): Promise<Cleared | undefined> {
  if (spawnNoteOf(team.paths, member)?.worktree === undefined) return undefined
  return withLock(join(team.paths.own, "checkouts"), { notes: lockNotes(team.paths.root) }, async () => {
    const { worktree } = spawnNoteOf(team.paths, member) ?? {}
    // Another may have begun under that name meanwhile.
    if (worktree === undefined || (await team.config()).members.some(({ name }) => name === member)) return undefined
    const { path, branch, onto = "HEAD", mergedInto } = worktree
    const why = existsSync(path) ? await whyItIsStillThere(worktree, member) : undefined
    if (why !== undefined) return { member, stays: true, says: `${path} stays: ${why}` }
    const says =
      mergedInto !== undefined || (await dropMerged(team, member, onto))
        ? `All of its work is in ${mergedInto ?? onto}, so its branch ${branch} has gone as well.`
        : `Its work is on the branch ${branch}; \`chorus team land "${member}"\` merges it.`
    return { member, stays: false, says }
  })
}

/** Takes it away, or says why not; its repository may be gone, or what the member left in its place no longer a checkout. */
async function whyItIsStillThere(worktree: MemberWorktree, member: string): Promise<string | undefined> {
  const tree = { ...worktree, inPlace: false }
  try {
    const why = await whyItStays(tree, member)
    if (why === undefined) await removeWorktree(tree)
    return why
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The same for everybody who has left, however that came. */
export async function clearLeft(team: Team): Promise<Cleared[]> {
  const cleared: Cleared[] = []
  for (const { name } of await leftBehind(team)) {
    const one = await clearWorktree(team, name)
    if (one !== undefined) cleared.push(one)
  }
  return cleared
}

/** The checkouts of those that have left. */
export async function leftBehind(team: Team): Promise<{ readonly name: string; readonly worktree: MemberWorktree }[]> {
  // Before the roster, on which whoever has one now was put first.
  const known = checkoutsOf(team)
  const { members } = await team.config()
  return known.filter(({ name }) => !members.some((member) => member.name === name))
}

export function checkoutsOf(team: Team): { readonly name: string; readonly worktree: MemberWorktree }[] {
  return membersWithWorktrees(team.paths).filter(({ worktree }) => existsSync(worktree.path))
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
