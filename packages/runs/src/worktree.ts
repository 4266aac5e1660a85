import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { git } from "./git.ts"

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

export async function makeWorktree(wanted: NewWorktree): Promise<Worktree> {
  const { repository, runUuid, place, inPlace } = wanted
  const head = await git(repository, ["rev-parse", "--verify", "HEAD"]).catch(() => {
    throw new ChorusError("no_commit", `${repository} has no commit to begin from.`, {
      status: 409,
      next: "Commit something there first.",
    })
  })
  if (inPlace)
    return { path: repository, repository, branch: await branchOf(repository), baseCommit: head, inPlace: true }
  const baseCommit =
    wanted.from === undefined
      ? await baseOf(repository, head, wanted.fetch)
      : await git(repository, ["rev-parse", "--verify", "--end-of-options", `${wanted.from}^{commit}`])
  const path = join(place, repositoryId(repository), runUuid)
  const branch = `chorus/${slug(wanted.taskTitle)}-${runUuid.slice(0, 8)}`
  if (existsSync(path)) return { path, repository, branch: await branchOf(path), baseCommit, inPlace: false }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await git(repository, ["worktree", "prune"])
  await git(repository, ["worktree", "add", "--no-track", "-b", branch, path, baseCommit])
  await git(repository, ["worktree", "lock", "--reason", `chorus run ${runUuid}`, path])
  await copyIncluded(repository, path)
  return { path, repository, branch, baseCommit, inPlace: false }
}

/** Keeps the tree as it is now under a ref of the run's, and touches neither index nor branch nor files. */
export async function checkpoint(tree: Worktree, runUuid: string, name: string): Promise<string> {
  const index = `${await git(tree.path, ["rev-parse", "--path-format=absolute", "--git-path", "index"])}`
  const own = `${index}.chorus-${process.pid}-${name.replaceAll("/", "-")}`
  try {
    if (existsSync(index)) copyFileSync(index, own)
    const env = { GIT_INDEX_FILE: own }
    await git(tree.path, ["add", "-A"], { env })
    const written = await git(tree.path, ["write-tree"], { env })
    const parent = await git(tree.path, ["rev-parse", "HEAD"])
    const words = ["commit-tree", written, "-p", parent, "-m", `chorus run ${runUuid}: ${name}`]
    const commit = await git(tree.path, words)
    await git(tree.path, ["update-ref", refOf(runUuid, name), commit])
    await git(tree.path, ["update-ref", refOf(runUuid, "last"), commit])
    return commit
  } finally {
    rmSync(own, { force: true })
    rmSync(`${own}.lock`, { force: true })
  }
}

export async function factsOf(tree: Worktree, commit: string): Promise<WorkFacts> {
  const since = await git(tree.path, ["merge-base", tree.baseCommit, commit])
  const shown = await git(tree.path, ["diff", "--shortstat", since, commit])
  const count = (what: RegExp) => Number(what.exec(shown)?.[1] ?? 0)
  return {
    branch: await branchOf(tree.path),
    files: count(/(\d+) files? changed/),
    insertions: count(/(\d+) insertions?/),
    deletions: count(/(\d+) deletions?/),
    commits: Number(await git(tree.path, ["rev-list", "--count", `${tree.baseCommit}..HEAD`])),
    checkpoint: commit,
    tree: await git(tree.path, ["rev-parse", `${commit}^{tree}`]),
  }
}

/**
 * Takes a worktree away if nothing can be lost by that: its last checkpoint holds the present tree to the byte, and no
 * repository lies inside that a checkpoint cannot hold. Branch and checkpoints stay. Tells why where it stays.
 */
export async function removeWorktree(tree: Worktree, runUuid: string): Promise<string | undefined> {
  if (tree.inPlace) return "It is the repository's own checkout."
  if (!existsSync(tree.path)) return undefined
  const last = await git(tree.path, ["rev-parse", "--verify", `${refOf(runUuid, "last")}^{tree}`]).catch(() => "")
  const commit = await checkpoint(tree, runUuid, "removal")
  const present = await git(tree.path, ["rev-parse", `${commit}^{tree}`])
  if (present !== last) return "It holds changes that came after the last checkpoint."
  const inside = await git(tree.path, ["ls-tree", "-r", commit])
  if (inside.split("\n").some((line) => line.startsWith("160000 "))) return "A repository lies inside it."
  await git(tree.repository, ["worktree", "unlock", tree.path]).catch(() => "")
  await git(tree.repository, ["worktree", "remove", "--force", tree.path])
  return undefined
}

export function refOf(runUuid: string, name: string): string {
  return `refs/chorus/runs/${runUuid}/${name}`
}

/** As git says it now; the agent may have changed it. */
export function branchOf(path: string): Promise<string> {
  return git(path, ["rev-parse", "--abbrev-ref", "HEAD"])
}

/** The remote's default branch where one may ask for it and it has something newer; else what is checked out, without what is not committed. */
async function baseOf(repository: string, head: string, fetch: boolean): Promise<string> {
  if (!fetch) return head
  const options = { timeoutMs: FETCH_MS }
  await git(repository, ["fetch", "--quiet", "origin"], options).catch(() => "")
  const remote = await git(repository, ["rev-parse", "--verify", "refs/remotes/origin/HEAD"]).catch(() => undefined)
  if (remote === undefined) return head
  return git(repository, ["merge-base", "--is-ancestor", remote, head]).then(
    () => head,
    () => remote,
  )
}

/** What git ignores and the repository wants in every worktree all the same, such as local settings. */
async function copyIncluded(repository: string, path: string): Promise<void> {
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

function slug(title: string): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
  return words.slice(0, 40).replace(/-+$/, "") || "task"
}
