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
/** So far back a branch is searched for work that came in and was changed again. */
const MOST_LOOKED_AT = 500

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
  /** Where work that stays is found once its worktree has gone. */
  readonly work?: { readonly repository: string; readonly ref: string }
}

export interface CleaningOptions {
  /** The runner's own folder. */
  readonly directory: string
  readonly policy: RunnerPolicy | undefined
  /** Only what ended longer ago than this. */
  readonly days: number
  /** Tell what would go, and touch nothing. */
  readonly dryRun?: boolean
  /**
   * Nobody goes on here: take worktrees along that hold something new, and those of runs that have not ended. Their
   * branches keep the work.
   */
  readonly keepFirst?: boolean
}

/**
 * Takes away what ended runs left, as far as nothing is lost by that: their worktrees, and the branches and checkpoints
 * whose work has landed, is part of the repository's own branch or was part of it, or was none. Both ways: worktrees that no run knows are
 * judged alike.
 */
export async function cleanUp(options: CleaningOptions): Promise<Leftover[]> {
  const { directory, days, keepFirst = false } = options
  const known = keptRuns(directory)
  const old = known.filter(
    ({ run, over, worktree }) => (over || keepFirst) && worktree !== undefined && ageOf(directory, run.uuid) >= days,
  )
  const trees = old.flatMap(({ run, worktree }) =>
    worktree === undefined ? [] : [{ runUuid: run.uuid, tree: worktree }],
  )
  // One that was stopped while its worktree was being made does not know of it.
  const named = new Set(known.flatMap(({ run, over, worktree }) => (over && worktree === undefined ? [] : [run.uuid])))
  const strays = await strayTrees(directory, named)
  const found: Leftover[] = []
  for (const { runUuid, tree } of [...trees, ...strays]) found.push(await judge(runUuid, tree, options))
  for (const { run, over, worktree } of keepFirst ? [] : known)
    if (!over && worktree?.inPlace === false) found.push(await atWork(run.uuid, worktree))
  return found
}

/** What is there and is not to be judged yet: also a runner that was ended goes on with its runs when it comes back. */
async function atWork(runUuid: string, { path, branch }: Worktree): Promise<Leftover> {
  const stays = "Its run has not ended; a runner goes on with it."
  return { runUuid, path, branch, megabytes: await megabytesIn(path), goes: [], stays }
}

async function judge(runUuid: string, tree: Worktree, options: CleaningOptions): Promise<Leftover> {
  const { directory, dryRun = false, keepFirst = false } = options
  const there = !tree.inPlace && existsSync(tree.path)
  const about = { runUuid, path: tree.path, branch: tree.branch, megabytes: there ? await megabytesIn(tree.path) : 0 }
  const isGone = !existsSync(tree.repository)
  try {
    if (there && keepFirst && !dryRun) await checkpoint(tree, runUuid, "removal")
    const held = there ? await whyItStays(tree, runUuid) : undefined
    if (held !== undefined) return { ...about, goes: [], stays: held }
    const { discarded = false, landed } = filesOf(directory, runUuid).read() ?? {}
    const contained = isGone || discarded || (await isContained(tree, runUuid, landed))
    if (!dryRun) {
      if (there) await takeAway(runUuid, tree, options)
      if (contained && !isGone) await removeRefs(runUuid, tree)
      if (contained) rmSync(filesOf(directory, runUuid).folder, { recursive: true, force: true })
    }
    const work = contained || !keepFirst || dryRun ? undefined : await workOf(runUuid, tree)
    const goes = [...(there ? (["worktree"] as const) : []), ...(contained ? (["branch"] as const) : [])]
    const stays = contained ? undefined : "Its work is not part of the repository's branch yet."
    return { ...about, goes, stays, ...(work === undefined ? {} : { work }) }
  } catch (error) {
    return { ...about, goes: [], stays: error instanceof Error ? error.message : String(error) }
  }
}

/** Brings a run's branch up to its last checkpoint, which nobody looks for; where people went on in it, that stays apart. */
async function workOf(runUuid: string, { repository, branch }: Worktree): Promise<NonNullable<Leftover["work"]>> {
  const last = refOf(runUuid, "last")
  const isAhead = await git(repository, ["merge-base", "--is-ancestor", `refs/heads/${branch}`, last]).then(
    () => true,
    () => false,
  )
  if (!isAhead) return { repository, ref: (await idOf(repository, last)) === undefined ? branch : last }
  return git(repository, ["branch", "--force", branch, last]).then(
    () => ({ repository, ref: branch }),
    () => ({ repository, ref: last }),
  )
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
  await removeBranch(tree)
  filesOf(directory, runUuid).write({ ...kept, discarded: true })
}

/**
 * Takes away the worktree and the branch of a run whose work has landed; its checkpoints stay until the rule takes what
 * is old, and make it again if the run goes on. Says why something stays: the work has landed all the same.
 */
export async function tidyLanded(
  runUuid: string,
  { directory, policy }: Pick<CleaningOptions, "directory" | "policy">,
): Promise<string | undefined> {
  const { worktree: tree, over, landed } = filesOf(directory, runUuid).read() ?? {}
  if (tree === undefined || tree.inPlace) return undefined
  const stays = (why: string) => `Its worktree and branch ${tree.branch} stay: ${why}`
  try {
    if (over !== true) return stays("Its run is at work.")
    const there = existsSync(tree.path)
    const held = there ? await whyItStays(tree, runUuid) : undefined
    if (held !== undefined) return stays(held)
    if (!(await isContained(tree, runUuid, landed))) return stays("They hold work that has not landed.")
    if (there) await takeAway(runUuid, tree, { directory, policy })
    await removeBranch(tree)
    return undefined
  } catch (error) {
    return stays(error instanceof Error ? error.message : String(error))
  }
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

/** Whether nothing is lost with a run's branch and checkpoints; somebody may have gone on in the branch by themselves. */
async function isContained({ repository, branch }: Worktree, runUuid: string, landed?: string): Promise<boolean> {
  const found = await Promise.all([refOf(runUuid, "last"), `refs/heads/${branch}`].map((ref) => idOf(repository, ref)))
  const [last = "", tip = ""] = found
  const isBehind = (await git(repository, ["merge-base", tip, last]).catch(() => "")) === tip
  const ends = [last, isBehind ? "" : tip].filter((end) => end !== "")
  for (const end of ends) {
    if (landed !== undefined && (await idOf(repository, `${end}^{tree}`)) === landed) continue
    if (!(await isPartOf(repository, "HEAD", end)) && !(await isPartOf(repository, "refs/remotes/origin/HEAD", end)))
      return false
  }
  return ends.length > 0
}

/**
 * Whether a merge of the commit would bring a branch nothing new, as that is now or as it was since they parted: what
 * has come in may have changed again.
 */
export async function isPartOf(repository: string, branch: string, commit: string): Promise<boolean> {
  const ask = (words: string[], input = "") =>
    git(repository, ["--literal-pathspecs", ...words], { input }).catch(() => "")
  const bringsNothing = async (place: string) => {
    const [merged = ""] = (await ask(["merge-tree", "--write-tree", place, commit])).split("\n")
    return merged !== "" && merged === (await idOf(repository, `${place}^{tree}`))
  }
  if (await bringsNothing(branch)) return true
  const fork = await ask(["merge-base", branch, commit])
  if (fork === "") return false
  const files = (await ask(["diff", "--name-only", "--no-renames", "-z", fork, commit])).split("\0")
  const asked = [branch, `^${fork}`, "--", ...files.filter((file) => file !== "" && !file.includes("\n"))]
  const since = await ask(["rev-list", "--first-parent", `--max-count=${MOST_LOOKED_AT}`, "--stdin"], asked.join("\n"))
  for (const place of since.split("\n").filter(Boolean)) if (await bringsNothing(place)) return true
  return false
}

function idOf(repository: string, name: string): Promise<string | undefined> {
  return git(repository, ["rev-parse", "--verify", "-q", name]).catch(() => undefined)
}

/** One that a person has checked out git keeps. */
async function removeBranch({ repository, branch }: Worktree): Promise<void> {
  if (branch.startsWith("chorus/")) await git(repository, ["branch", "-D", branch]).catch(() => "")
}

/** The branch in place is the person's own. */
async function removeRefs(runUuid: string, tree: Worktree): Promise<void> {
  const { repository } = tree
  if (!tree.inPlace) await removeBranch(tree)
  const refs = await git(repository, ["for-each-ref", "--format=%(refname)", refOf(runUuid, "")])
  const words = refs.split("\n").flatMap((ref) => (ref === "" ? [] : [`delete ${ref}\n`]))
  await git(repository, ["update-ref", "--stdin"], { input: words.join("") })
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
  // A file's time is finer than the clock's: one just written can lie a part of a millisecond ahead of it.
  return Math.max(0, Date.now() - statSync(join(filesOf(directory, runUuid).folder, "run.json")).mtimeMs) / DAY_MS
}

/** How much disk a folder takes; none where it is not there. */
export function megabytesIn(path: string): Promise<number> {
  return new Promise((resolve) =>
    execFile("du", ["-sk", path], (_error, stdout) => resolve(Math.ceil(Number.parseInt(stdout, 10) / 1024) || 0)),
  )
}
