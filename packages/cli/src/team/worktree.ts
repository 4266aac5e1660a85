import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { checkedOut, git, repositoryOf } from "@chorus/changes"
import { makeWorktree, removeWorktree, whyItStays } from "@chorus/runs"
import { type SpawnNote, spawnNoteOf, type Team } from "@chorus/teams"
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

/** Takes away the checkout of a member that has gone; its branch stays. Says why where that would lose something. */
export async function clearWorktree(team: Team, member: string): Promise<string | undefined> {
  const { worktree } = spawnNoteOf(team.paths, member) ?? {}
  if (worktree === undefined) return undefined
  const tree = { ...worktree, inPlace: false }
  const why = await whyItStays(tree, member)
  if (why !== undefined) return `${worktree.path} stays: ${why}`
  await removeWorktree(tree)
  const { repository, branch, onto = "HEAD" } = worktree
  const merged = await git(repository, ["merge-base", "--is-ancestor", branch, onto]).then(
    () => true,
    () => false,
  )
  return `Its work is on the branch ${branch}${merged ? ", and all of it is merged." : `; \`chorus team land "${member}"\` merges it.`}`
}
