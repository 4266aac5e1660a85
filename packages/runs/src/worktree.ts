import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { git, gitWorktree, writeTree } from "@chorus/changes"
import { ChorusError } from "@chorus/contracts"
import { isInUse } from "./processes.ts"
import { isUntouchedSubmodule } from "./submodules.ts"

const FETCH_MS = 20_000
const INCLUDED = ".worktreeinclude"

/** A run's own checkout. What is stored here is never worked out again: branches move, and so do bases. */
export interface Worktree {
  readonly path: string
  readonly repository: string
  readonly branch: string
  readonly baseCommit: string
  /** The repository's own checkout, for one run at a time. */
  readonly inPlace: boolean
}

export interface NewWorktree {
  readonly runUuid: string
  readonly repository: string
  /** Under which worktrees lie, outside every repository. */
  readonly place: string
  readonly taskTitle: string
  readonly inPlace: boolean
  /** Ask the remote first what its default branch is at. */
  readonly fetch: boolean
  /** A checkpoint of another run to begin from instead. */
  readonly from?: string | undefined
  /** Commits of work that this one builds on. */
  readonly builtOn?: readonly string[] | undefined
}

/** What git shows of a run's work. */
export interface WorkFacts {
  readonly branch: string
  readonly files: number
  readonly insertions: number
  readonly deletions: number
  readonly commits: number
  readonly checkpoint: string
  readonly tree: string
}

/** What is kept of a tree, and the commit it stood on. */
export interface Checkpoint {
  readonly commit: string
  readonly tree: string
  readonly head: string
}

export async function makeWorktree(wanted: NewWorktree): Promise<Worktree> {
  const { repository, runUuid, place, inPlace } = wanted
  const path = join(place, repositoryId(repository), runUuid)
  const [head] = await Promise.all([headOf(repository), inPlace ? undefined : forgetWorktree(repository, path)])
  if (inPlace)
    return { path: repository, repository, branch: await branchOf(repository), baseCommit: head, inPlace: true }
  const baseCommit =
    wanted.from === undefined
      ? await baseOf(repository, head, wanted)
      : await git(repository, ["rev-parse", "--verify", "--end-of-options", `${wanted.from}^{commit}`])
  const branch = `chorus/${slug(wanted.taskTitle)}-${runUuid.slice(0, 8)}`
  const made = { path, repository, baseCommit, inPlace: false }
  if (existsSync(path)) return { ...made, branch: await branchOf(path) }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await gitWorktree(repository, "add", "--no-track", "-b", branch, path, baseCommit)
  await copyIncluded(repository, path)
  return { ...made, branch }
}

function headOf(repository: string): Promise<string> {
  return git(repository, ["rev-parse", "--verify", "HEAD"]).catch(() => {
    throw new ChorusError("no_commit", `${repository} has no commit to begin from.`, {
      status: 409,
      next: "Commit something there first.",
    })
  })
}

/** Makes a worktree again that was taken away: its branch, and on top of that what the last checkpoint holds. */
export async function restoreWorktree(
  { path, repository, branch, baseCommit }: Worktree,
  runUuid: string,
): Promise<void> {
  const known = (ref: string) => git(repository, ["rev-parse", "--verify", "--quiet", ref]).catch(() => undefined)
  const last = await known(refOf(runUuid, "last"))
  const onBranch = (await known(`refs/heads/${branch}`)) !== undefined
  await forgetWorktree(repository, path)
  await gitWorktree(repository, "add", ...(onBranch ? [path, branch] : ["-b", branch, path, baseCommit]))
  if (last !== undefined) await git(path, ["restore", `--source=${last}`, "--worktree", "--no-overlay", "--", "."])
}

/** Forgets one whose folder is gone; `prune` would take those along that others are making at this moment. */
async function forgetWorktree(repository: string, path: string): Promise<void> {
  if (existsSync(path)) return
  await gitWorktree(repository, "remove", "--force", "--force", path).catch(() => "")
}

/** While a run works there, nobody else takes its worktree away. */
export async function lockWorktree({ path, repository, inPlace }: Worktree, runUuid: string): Promise<void> {
  if (inPlace) return
  await gitWorktree(repository, "lock", "--reason", `chorus run ${runUuid}`, path).catch(() => "")
}

/** Lets go, also of what a git that was killed held on to. Nothing of the run is alive any more. */
export async function unlockWorktree({ path, repository, inPlace }: Worktree): Promise<void> {
  if (inPlace) return
  await gitWorktree(repository, "unlock", path).catch(() => "")
  const folder = await git(path, ["rev-parse", "--absolute-git-dir"]).catch(() => undefined)
  for (const name of ["index.lock", "HEAD.lock"]) if (folder !== undefined) rmSync(join(folder, name), { force: true })
}

/** Keeps the tree as it is now under a ref of the run's, and touches neither index nor branch nor files. */
export async function checkpoint({ path }: Worktree, runUuid: string, name: string): Promise<Checkpoint> {
  const [{ tree }, head] = await Promise.all([writeTree(path), git(path, ["rev-parse", "HEAD"])])
  const commit = await git(path, ["commit-tree", tree, "-p", head, "-m", `chorus run ${runUuid}: ${name}`])
  const refs = [name, "last"].map((one) => `update ${refOf(runUuid, one)} ${commit}\n`)
  await git(path, ["update-ref", "--stdin"], { input: refs.join("") })
  return { commit, tree, head }
}

export async function factsOf(tree: Worktree, { commit, tree: kept }: Checkpoint): Promise<WorkFacts> {
  const since = await git(tree.path, ["merge-base", tree.baseCommit, commit])
  const [shown, branch, commits] = await Promise.all([
    git(tree.path, ["diff", "--shortstat", since, commit]),
    branchOf(tree.path),
    git(tree.path, ["rev-list", "--count", `${tree.baseCommit}..HEAD`]),
  ])
  const count = (what: RegExp) => Number(what.exec(shown)?.[1] ?? 0)
  return {
    branch,
    files: count(/(\d+) files? changed/),
    insertions: count(/(\d+) insertions?/),
    deletions: count(/(\d+) deletions?/),
    commits: Number(commits),
    checkpoint: commit,
    tree: kept,
  }
}

/**
 * Why a worktree has to stay; undefined where nothing can be lost by taking it away: its last checkpoint holds the
 * present tree to the byte, nobody is in it, and no repository lies inside that a checkpoint cannot hold.
 */
export async function whyItStays(tree: Worktree, runUuid: string): Promise<string | undefined> {
  if (tree.inPlace) return "It is the repository's own checkout."
  if (isInUse(tree.path)) return "A process is at work in it."
  const treeAt = (ref: string) => git(tree.path, ["rev-parse", "--verify", `${ref}^{tree}`]).catch(() => "")
  const { tree: present, embedded } = await writeTree(tree.path)
  if (embedded.length > 0) return "A repository lies inside it."
  const isCommitted = (await branchOf(tree.path)) !== "HEAD" && present === (await treeAt("HEAD"))
  if (!isCommitted && present !== (await treeAt(refOf(runUuid, "last"))))
    return "It holds changes that came after the last checkpoint."
  const links = (await git(tree.path, ["ls-tree", "-r", present]))
    .split("\n")
    .filter((line) => line.startsWith("160000 "))
  for (const link of links) {
    const [, commit = "", path = ""] = /^160000 commit (\w+)\t(.*)$/.exec(link) ?? []
    if (!(await isUntouchedSubmodule(tree.path, path, commit, tree.baseCommit))) return "A repository lies inside it."
  }
  return undefined
}

/** Takes a worktree away that need not stay. Branch and checkpoints are still there. */
export async function removeWorktree(tree: Worktree): Promise<void> {
  await gitWorktree(tree.repository, "unlock", tree.path).catch(() => "")
  await gitWorktree(tree.repository, "remove", "--force", tree.path)
}

export function refOf(runUuid: string, name: string): string {
  return `refs/chorus/runs/${runUuid}/${name}`
}

/** As git says it now; the agent may have changed it. */
export function branchOf(path: string): Promise<string> {
  return git(path, ["rev-parse", "--abbrev-ref", "HEAD"])
}

/** Those of some commits that a history does not hold; those that are not here are none of it. */
export async function notIn<T extends { readonly commit: string }>(
  repository: string,
  tip: string,
  wanted: readonly T[],
): Promise<T[]> {
  const missing: T[] = []
  for (const one of wanted) if (!(await holds(repository, tip, one.commit))) missing.push(one)
  return missing
}

/**
 * The remote's default branch where one may ask for it and it has something newer; else the commit checked out, and that
 * also where it holds more of what the work builds on: what has landed here need not have been pushed.
 */
async function baseOf(
  repository: string,
  head: string,
  { fetch, builtOn = [] }: Pick<NewWorktree, "fetch" | "builtOn">,
): Promise<string> {
  if (!fetch) return head
  const options = { timeoutMs: FETCH_MS }
  await git(repository, ["fetch", "--quiet", "origin"], options).catch(() => "")
  const remote = await git(repository, ["rev-parse", "--verify", "refs/remotes/origin/HEAD"]).catch(() => undefined)
  if (remote === undefined) return head
  if (await holds(repository, head, remote)) return head
  const wanted = builtOn.map((commit) => ({ commit }))
  const [missing, missingHere] = [await notIn(repository, remote, wanted), await notIn(repository, head, wanted)]
  return missingHere.length < missing.length ? head : remote
}

function holds(repository: string, tip: string, commit: string): Promise<boolean> {
  return git(repository, ["merge-base", "--is-ancestor", commit, tip]).then(
    () => true,
    () => false,
  )
}

/** What git ignores and the repository wants in every worktree all the same, such as local settings. */
export async function copyIncluded(repository: string, path: string): Promise<void> {
  if (!existsSync(join(repository, INCLUDED))) return
  const list = async (rule: string) =>
    (await git(repository, ["ls-files", "-z", "--others", "--ignored", rule])).split("\0").filter(Boolean)
  const ignored = new Set(await list("--exclude-standard"))
  for (const file of await list(`--exclude-from=${INCLUDED}`)) {
    const to = join(path, file)
    if (!ignored.has(file) || file.endsWith("/") || existsSync(to)) continue
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(join(repository, file), to)
  }
}

function repositoryId(repository: string): string {
  return `${basename(repository)}-${createHash("sha256").update(repository).digest("hex").slice(0, 8)}`
}

/** A title as branches are called: letters lose their marks, which are letters of their own until they are taken off. */
function slug(title: string): string {
  const words = title
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    // Only as capitals are letters such as ß those that everybody has.
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
  return words.slice(0, 40).replace(/-+$/, "") || "task"
}
