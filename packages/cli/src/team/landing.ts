import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { git, landingMade, landWork, type Outcome, previewLanding, type Work } from "@chorus/changes"
import { ChorusError, type landings } from "@chorus/contracts"
import { memberLiveness, type MemberWorktree, spawnNoteOf, type Team } from "@chorus/teams"
import { clearWorktree, dropMerged } from "./worktree.ts"

const TITLE = 100
const NAMED = 5

export interface MemberLanding {
  /** Known again by it, a landing is made once, whoever is killed when. */
  readonly mark: string
  readonly how: landings.LandingHow
  /** The branch; else the one that was checked out when the member began. */
  readonly into?: string | undefined
  readonly preview?: boolean | undefined
  /** Put on its branch first what lies in its checkout; a sandbox may keep a member from committing. */
  readonly commit?: boolean | undefined
}

/** The checkout that Chorus gave a member, also of one that has left; throws where it has none. */
export function worktreeOf(team: Team, member: string): MemberWorktree {
  const { worktree } = spawnNoteOf(team.paths, member) ?? {}
  if (worktree !== undefined) return worktree
  throw new ChorusError("no_branch", `${member} has no branch of its own in ${team.name}.`, {
    status: 409,
    next: "Members have one where the team was made with `chorus team create NAME --worktrees`.",
  })
}

/** Brings what a member has committed into the branch it was begun from, as reviewed work is landed. */
export async function landMember(team: Team, member: string, landing: MemberLanding): Promise<Outcome> {
  await team.assertOwnInbox(member)
  const worktree = worktreeOf(team, member)
  const { repository, path, branch } = worktree
  const title = await titleOf(team, member)
  if (existsSync(path)) await settleCheckout(team, member, worktree, { commit: landing.commit === true, title })
  const headCommit = await tipOf(repository, branch)
  if (headCommit === undefined) return landedBefore(worktree, landing)
  const work: Work = {
    uuid: landing.mark,
    how: landing.how,
    branch: landing.into ?? null,
    shortId: member,
    title: title ?? (await git(repository, ["log", "-1", "--format=%s", headCommit])),
    criteria: [],
    tree: await git(repository, ["rev-parse", `${headCommit}^{tree}`]),
    headCommit,
    baseRef: worktree.onto ?? null,
    workBranch: branch,
    runUuid: null,
    member: `${member}@${team.name}`,
  }
  const at = { repository, folder: path, work }
  const outcome =
    landing.preview === true
      ? await previewLanding(at)
      : await landWork({ ...at, scratch: join(tmpdir(), `chorus-landing-${landing.mark}`) })
  if (outcome.state === "landed") {
    // Who is still there goes on in it. What cannot go now the doctor names.
    await clearWorktree(team, member).catch(() => undefined)
    await dropMerged(team, member, outcome.branch)
  }
  return outcome.state === "conflict" ? { ...outcome, reason: conflictIn(member, outcome) } : outcome
}

/** Its branch goes with the merge of a member that has left, and whoever made that may have been killed before it said so. */
async function landedBefore(
  { repository, branch: workBranch, baseCommit, onto, mergedInto }: MemberWorktree,
  { mark: uuid, into }: MemberLanding,
): Promise<Outcome> {
  const work = { uuid, branch: into ?? null, baseRef: onto ?? null, workBranch }
  const made = await landingMade(repository, work, baseCommit)
  if (made !== undefined) return made
  const commit = mergedInto === undefined ? undefined : await tipOf(repository, mergedInto)
  if (mergedInto !== undefined && commit !== undefined && (into ?? mergedInto) === mergedInto)
    return {
      state: "landed",
      branch: mergedInto,
      onto: commit,
      commit,
      reason: `Everything in it is in ${mergedInto} already.`,
    }
  throw new ChorusError("branch_missing", `There is no branch ${workBranch} in ${repository} any more.`, {
    status: 409,
    next: "If it was merged by hand, nothing is left to do.",
  })
}

/** What lies in its checkout and in no commit would be left behind without a word. */
async function settleCheckout(
  team: Team,
  member: string,
  worktree: MemberWorktree,
  { commit, title }: Settling,
): Promise<void> {
  const { path } = worktree
  const env = await ownGit(worktree)
  const status = await git(path, ["status", "--porcelain", "--no-renames", "-z"], { env })
  const lines = status.split("\0").filter(Boolean)
  const files = lines.map((line) => line.slice("XY ".length))
  if (files.length === 0) return
  if (!commit)
    throw new ChorusError("not_committed", `${member} has changes that are not committed: ${named(files)}.`, {
      status: 409,
      next: `Ask ${member} to commit them, or land them too: \`chorus team land "${member}" --commit\`. They lie in ${path}.`,
    })
  const config = await team.config()
  const there = config.members.find(({ name }) => name === member)
  if (there?.isActive === true && memberLiveness(team.paths, there, config) !== "dead")
    throw new ChorusError("member_at_work", `${member} is at work on ${named(files)}.`, {
      status: 409,
      next: "Land it when it is idle.",
    })
  await git(path, ["add", "--all"], { env })
  await git(path, ["commit", "--quiet", "--message", title ?? `What ${member} left uncommitted`], { env })
}

/**
 * The repository as the person has it, whatever the member has put into its checkout under that name: a configuration
 * of its own making could have git run anything.
 */
async function ownGit({ repository, path }: MemberWorktree): Promise<Readonly<Record<string, string>>> {
  const common = await git(repository, ["rev-parse", "--path-format=absolute", "--git-common-dir"])
  return { GIT_DIR: join(common, "worktrees", basename(path)), GIT_WORK_TREE: path }
}

interface Settling {
  readonly commit: boolean
  readonly title: string | undefined
}

/** The tasks it has done; undefined where there are none. */
async function titleOf(team: Team, member: string): Promise<string | undefined> {
  const done = (await team.tasks()).filter(({ owner, status }) => owner === member && status === "completed")
  const subjects = done.map(({ subject }) => subject).join(", ")
  if (subjects === "") return undefined
  return subjects.length > TITLE ? `${subjects.slice(0, TITLE - 1)}…` : subjects
}

async function tipOf(repository: string, branch: string): Promise<string | undefined> {
  return git(repository, ["rev-parse", "--verify", "-q", `refs/heads/${branch}^{commit}`]).catch(() => undefined)
}

function conflictIn(member: string, { branch, onto, files = [] }: Outcome): string {
  const what = `${member}'s work conflicts with ${branch} (${onto.slice(0, 12)}) in ${named(files)}.`
  return `${what} Ask ${member} to merge ${branch} into its branch and settle what conflicts; then land again.`
}

function named(files: readonly string[]): string {
  return `${files.slice(0, NAMED).join(", ")}${files.length > NAMED ? ` and ${files.length - NAMED} more` : ""}`
}
