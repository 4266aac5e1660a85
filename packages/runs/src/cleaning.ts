import { execFile } from "node:child_process"
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { git } from "@chorus/changes"
import { ChorusError, type RunnerPolicy } from "@chorus/contracts"
import { environmentFor } from "./programs.ts"
import { filesOf, keptRuns } from "./run-files.ts"
import { runScript } from "./set-up.ts"
import { commonFolder } from "./submodules.ts"
import { branchOf, checkpoint, refOf, removeWorktree, whyItStays, type Worktree } from "./worktree.ts"

const DAY_MS = 86_400_000

/** What a run left on this machine, and what became of it. */
export interface Leftover {
  readonly runUuid: string
  readonly path: string
  readonly branch: string
  readonly megabytes: number
  /** What went, or would go. */
  readonly goes: readonly ("worktree" | "branch")[]
  /** Why something stays. */
  readonly stays: string | undefined
}

export interface CleaningOptions {
  /** The runner's own folder. */
  readonly directory: string
  readonly policy: RunnerPolicy | undefined
  /** Only what ended longer ago than this. */
  readonly days: number
  /** Tell what would go, and touch nothing. */
  readonly dryRun?: boolean
  /** Take worktrees along that hold something new; a checkpoint in their repository keeps it. */
  readonly keepFirst?: boolean
}

/**
 * Takes away what ended runs left, as far as nothing is lost by that: their worktrees, and the branches and checkpoints
 * whose work is part of the repository's own branch by now, or was none. Both ways: worktrees that no run knows are
 * judged alike.
 */
export async function cleanUp(options: CleaningOptions): Promise<Leftover[]> {
  const { directory, days } = options
  const known = keptRuns(directory)
  const old = known.filter(
    ({ run, over, worktree }) => over && worktree !== undefined && ageOf(directory, run.uuid) >= days,
  )
  const trees = old.flatMap(({ run, worktree }) =>
    worktree === undefined ? [] : [{ runUuid: run.uuid, tree: worktree }],
  )
  // One that was stopped while its worktree was being made does not know of it.
  const named = new Set(known.flatMap(({ run, over, worktree }) => (over && worktree === undefined ? [] : [run.uuid])))
  const strays = await strayTrees(directory, named)
  const found: Leftover[] = []
  for (const { runUuid, tree } of [...trees, ...strays]) found.push(await judge(runUuid, tree, options))
  return found
}

async function judge(runUuid: string, tree: Worktree, options: CleaningOptions): Promise<Leftover> {
  const { directory, dryRun = false, keepFirst = false } = options
  const there = !tree.inPlace && existsSync(tree.path)
  const about = { runUuid, path: tree.path, branch: tree.branch, megabytes: there ? await sizeOf(tree.path) : 0 }
  const isGone = !existsSync(tree.repository)
  try {
    if (there && keepFirst && !dryRun) await checkpoint(tree, runUuid, "removal")
    const stays = there ? await whyItStays(tree, runUuid) : undefined
    if (stays !== undefined) return { ...about, goes: [], stays }
    const unwanted = filesOf(directory, runUuid).read()?.discarded === true
    const contained = isGone || unwanted || (await isContained(tree, runUuid))
    if (!dryRun) {
      if (there) await takeAway(runUuid, tree, options)
      if (contained && !isGone) await removeRefs(runUuid, tree)
      if (contained) rmSync(filesOf(directory, runUuid).folder, { recursive: true, force: true })
    }
    const goes = [...(there ? (["worktree"] as const) : []), ...(contained ? (["branch"] as const) : [])]
    return { ...about, goes, stays: contained ? undefined : "Its work is not part of the repository's branch yet." }
  } catch (error) {
    return { ...about, goes: [], stays: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Takes away the worktree and the branch of a run whose work nobody wants. Its checkpoints stay until the rule takes
 * what is old, so that a change of mind finds everything.
 */
export async function discardWork(
  runUuid: string,
  { directory, policy }: Pick<CleaningOptions, "directory" | "policy">,
): Promise<void> {
  const kept = filesOf(directory, runUuid).read()
  if (kept?.worktree === undefined) throw notHere()
  const tree = kept.worktree
  if (tree.inPlace)
    throw new ChorusError("work_in_place", `It worked in ${tree.path} itself.`, {
      status: 409,
      next: "Undo there what you do not want; the checkpoint before each turn is under refs/chorus/runs.",
    })
  if (existsSync(tree.path)) {
    await checkpoint(tree, runUuid, "removal")
    const stays = await whyItStays(tree, runUuid)
    if (stays !== undefined)
      throw new ChorusError("worktree_stays", `${tree.path} stays: ${stays}`, {
        status: 409,
        next: "Look there first; `chorus runner clean` says the same of others.",
      })
    await takeAway(runUuid, tree, { directory, policy })
  }
  if (tree.branch.startsWith("chorus/")) await git(tree.repository, ["branch", "-D", tree.branch]).catch(() => "")
  filesOf(directory, runUuid).write({ ...kept, discarded: true })
}

export function notHere(): ChorusError {
  return new ChorusError("work_missing", "This machine does not have the worktree of that run any more.", {
    status: 409,
    next: "Land it in a checkout that has the work: `chorus change land`.",
  })
}

async function takeAway(
  runUuid: string,
  tree: Worktree,
  { directory, policy }: Pick<CleaningOptions, "directory" | "policy">,
): Promise<void> {
  const words = policy?.folders.find(({ path }) => path === tree.repository)?.tearDown
  if (words !== undefined && policy !== undefined) {
    const env = environmentFor("command", process.env, policy.environment)
    const log = join(filesOf(directory, runUuid).folder, "tear-down.log")
    const { failure } = await runScript({ words, cwd: tree.path, env, minutes: policy.scriptMinutes, log })
    if (failure !== undefined) throw new Error(`Its tear-down failed: ${failure} See ${log}.`)
  }
  await removeWorktree(tree)
}

/** Whether a merge with what is checked out, or with the remote's default branch, would bring nothing new. */
async function isContained({ repository, branch }: Worktree, runUuid: string): Promise<boolean> {
  const known = (ref: string) => git(repository, ["rev-parse", "--verify", ref]).catch(() => undefined)
  const last = (await known(refOf(runUuid, "last"))) ?? (await known(`refs/heads/${branch}`))
  if (last === undefined) return false
  for (const target of ["HEAD", "refs/remotes/origin/HEAD"]) {
    const own = await git(repository, ["rev-parse", "--verify", `${target}^{tree}`]).catch(() => undefined)
    const merged = await git(repository, ["merge-tree", "--write-tree", target, last]).catch(() => "")
    if (own !== undefined && merged.split("\n")[0] === own) return true
  }
  return false
}

/** The branch in place is the person's own, and so is one that they have checked out: git keeps that. */
async function removeRefs(runUuid: string, { repository, branch, inPlace }: Worktree): Promise<void> {
  if (!inPlace && branch.startsWith("chorus/")) await git(repository, ["branch", "-D", branch]).catch(() => "")
  const refs = await git(repository, ["for-each-ref", "--format=%(refname)", refOf(runUuid, "")])
  for (const ref of refs.split("\n").filter(Boolean)) await git(repository, ["update-ref", "-d", ref])
}

/** Worktrees that no run knows: whoever made them was killed before it could say so, or its notes were deleted. */
async function strayTrees(directory: string, known: ReadonlySet<string>) {
  const place = join(directory, "worktrees")
  const paths = namesIn(place).flatMap((folder) =>
    namesIn(join(place, folder)).map((uuid) => join(place, folder, uuid)),
  )
  const found: { runUuid: string; tree: Worktree }[] = []
  for (const path of paths.filter((one) => !known.has(basename(one)) && existsSync(join(one, ".git")))) {
    const repository = await commonFolder(path).then(dirname, () => undefined)
    if (repository === undefined) continue
    const [branch, baseCommit] = [await branchOf(path), await git(path, ["rev-parse", "HEAD"])]
    found.push({
      runUuid: basename(path),
      tree: { path, repository, branch, baseCommit, inPlace: false },
    })
  }
  return found
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

function ageOf(directory: string, runUuid: string): number {
  return (Date.now() - statSync(join(filesOf(directory, runUuid).folder, "run.json")).mtimeMs) / DAY_MS
}

function sizeOf(path: string): Promise<number> {
  return new Promise((resolve) =>
    execFile("du", ["-sk", path], (_error, stdout) => resolve(Math.ceil(Number.parseInt(stdout, 10) / 1024) || 0)),
  )
}
