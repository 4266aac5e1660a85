import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ChorusError, type landings } from "@chorus/contracts"
import { ownWork, SHOWN } from "./beginning.ts"
import { conflictText } from "./conflict.ts"
import { git, gitEnd, gitWorktree, OWN_NAME } from "./git.ts"
import { type Merged, mergedTree, pickedTree } from "./merge.ts"
import { assertNothingInTheWay, assertUntouched, checkoutOf, targetBranch } from "./target.ts"
import { withScratchObjects, writeTree } from "./tree.ts"

const MOST_TRIES = 5
const ADVANCE_MS = 3_600_000
const NAMED = 10
const MARK = "Chorus-Landing"
const HOOKS = ["pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg"]

/** The work as it was reviewed, and what becomes of it. */
export type Work = Pick<
  landings.LeasedLanding,
  | "uuid"
  | "how"
  | "branch"
  | "shortId"
  | "title"
  | "criteria"
  | "tree"
  | "headCommit"
  | "baseRef"
  | "workBranch"
  | "runUuid"
> & {
  /** What it was compared with, where it may have begun among what was not committed. */
  readonly baseCommit?: string | null | undefined
  /** Of a team, whose work it is instead of a task's. */
  readonly member?: string | undefined
}

export interface LandOptions {
  readonly repository: string
  /** The checkout in which the work was done, where there is one; it may hold what no commit does. */
  readonly folder: string
  readonly work: Work
}

export interface RealLandOptions extends LandOptions {
  /** Where a checkout of the merged tree is made, if hooks or checks want to see one. */
  readonly scratch: string
  /** Says what the merged tree in this folder breaks, if anything. */
  readonly check?: ((folder: string) => Promise<string | undefined>) | undefined
}

/** What became of it, as it is told to the server. Refusals are thrown. */
export interface Outcome {
  readonly state: "landed" | "clean" | "conflict" | "broken"
  readonly branch: string
  readonly onto: string
  readonly commit?: string
  readonly files?: readonly string[]
  readonly reason?: string
}

/**
 * Whether the work would go into its branch as that is now, and what keeps it from being put there yet. Touches
 * nothing: not even an object stays behind.
 */
export async function previewLanding({ repository, folder, work }: LandOptions): Promise<Outcome> {
  return withScratchObjects(repository, async (env) => {
    const source = await sourceOf({ repository, folder, work }, env)
    const branch = await targetBranch(repository, work)
    const onto = await git(repository, ["rev-parse", `refs/heads/${branch}`])
    const made = await compose(repository, work, { onto, source }, env)
    if ("conflicts" in made) return conflict(repository, { branch, onto, made }, env)
    if (made.tree === (await git(repository, ["rev-parse", `${onto}^{tree}`])))
      return { state: "clean", branch, onto, commit: onto, reason: inItAlready(branch) }
    const checkout = await checkoutOf(repository, branch)
    const words = ["diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", onto, made.tree]
    const added = (await git(repository, words, { env })).split("\0")
    const reason = checkout === undefined ? undefined : await inTheWay(checkout, branch, added)
    return { state: "clean", branch, onto, ...(reason === undefined ? {} : { reason }) }
  })
}

/**
 * Brings the work into its branch as one step: the branch moves from where it was to the finished commit, or not at
 * all. One that has moved meanwhile is merged with anew; a commit with this landing's mark is this landing, whoever was
 * killed when.
 */
export async function landWork(options: RealLandOptions): Promise<Outcome> {
  const { repository, folder, work } = options
  const source = await sourceOf({ repository, folder, work })
  const branch = await targetBranch(repository, work)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const onto = await git(repository, ["rev-parse", `refs/heads/${branch}`])
    const before = await landedBefore(repository, source, onto, work.uuid)
    if (before !== undefined) return landedAs(repository, branch, before)
    const checkout = await checkoutOf(repository, branch)
    if (checkout !== undefined) await assertUntouched(checkout, branch)
    const made = await compose(repository, work, { onto, source })
    if ("conflicts" in made) return conflict(repository, { branch, onto, made })
    const there = await git(repository, ["rev-parse", `${onto}^{tree}`])
    if (made.tree === there) return { state: "landed", branch, onto, commit: onto, reason: inItAlready(branch) }
    const commit = await committed(options, { onto, source, made })
    if ("reason" in commit) return { state: "broken", branch, onto, reason: commit.reason }
    if (await advance(repository, branch, onto, commit.id)) return { state: "landed", branch, onto, commit: commit.id }
  }
  throw new ChorusError("branch_moves", `${branch} moved ${MOST_TRIES} times while the work was merged with it.`, {
    status: 409,
    next: "Land it again when fewer others do.",
  })
}

function inItAlready(branch: string): string {
  return `Everything in it is in ${branch} already.`
}

/** Why the checkout that goes along with the branch cannot take the work as it is now. */
async function inTheWay(checkout: string, branch: string, added: readonly string[]): Promise<string | undefined> {
  try {
    await assertUntouched(checkout, branch)
    await assertNothingInTheWay(checkout, branch, added)
    return undefined
  } catch (error) {
    if (error instanceof ChorusError) return error.message
    throw error
  }
}

/** What a landing writes into history: the task, what it had to meet, and the marks it is known again by. */
export function landingMessage(work: Work): string {
  return `${workMessage(work)}\n${MARK}: ${work.uuid}`
}

export function workMessage(work: Work): string {
  const { shortId, title, criteria } = work
  const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim()
  return [
    `${shortId}: ${oneLine(title)}`,
    ...(criteria.length === 0 ? [] : [["Criteria:", ...criteria.map((item) => `- ${oneLine(item)}`)].join("\n")]),
    whoseWork(work),
  ].join("\n\n")
}

function whoseWork({ shortId, member }: Work): string {
  return member === undefined ? `Chorus-Task: ${shortId}` : `Chorus-Member: ${member}`
}

interface Ends {
  readonly onto: string
  readonly source: string
}

/** With commits of its own where each was put on top. */
type Composed = { readonly tree: string; readonly tip?: string } | Exclude<Merged, { tree: string }>

interface Against {
  readonly branch: string
  readonly onto: string
  readonly made: Exclude<Merged, { tree: string }>
}

interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** Where its object goes instead of the repository's own store; then it is a draft, and not signed. */
  readonly scratch?: Readonly<Record<string, string>>
  readonly author?: Readonly<Record<string, string>>
}

/** A commit that holds exactly what was reviewed, and nothing that lay in the checkout before the work began. */
export async function sourceOf(options: LandOptions, env = {}): Promise<string> {
  const { repository, work } = options
  const source = await wholeSource(options, env)
  const { tree, baseCommit } = work
  if (tree === null || typeof baseCommit !== "string") return source
  return (await ownWork(repository, { tree, baseCommit, message: landingMessage(work) }, env)) ?? source
}

/** One that is there, a checkpoint of the run, what was kept when it was shown, or the checkout as it is. */
async function wholeSource({ repository, folder, work }: LandOptions, env = {}): Promise<string> {
  const { tree, headCommit, runUuid, shortId } = work
  if (tree !== null) {
    const treeOf = (name: string) => git(repository, ["rev-parse", "--verify", "-q", `${name}^{tree}`]).catch(() => "")
    if (headCommit !== null && (await treeOf(headCommit)) === tree) return headCommit
    const kept = runUuid === null ? SHOWN : `refs/chorus/runs/${runUuid}/`
    const listed = await git(repository, ["for-each-ref", "--format=%(tree) %(objectname)", kept])
    const found = listed.split("\n").find((line) => line.startsWith(`${tree} `))
    if (found !== undefined) return found.slice(tree.length + 1)
    if (existsSync(folder)) {
      const present = await writeTree(folder, { env, withoutEmbedded: true })
      if (present.tree === tree)
        return git(folder, ["commit-tree", tree, "-p", "HEAD", "-m", landingMessage(work)], { env })
    }
  }
  throw new ChorusError("work_missing", `What was reviewed for ${shortId} is not in ${folder} as it was then.`, {
    status: 409,
    next: "Send it back, or reopen it, and show the present work: `chorus change push`.",
  })
}

/** What this landing made, where what it landed may be gone; `since` is a commit from before it. */
export async function landingMade(
  repository: string,
  work: Pick<Work, "uuid" | "branch" | "baseRef" | "workBranch">,
  since: string,
): Promise<Outcome | undefined> {
  const branch = await targetBranch(repository, work)
  const tip = await git(repository, ["rev-parse", `refs/heads/${branch}`])
  const commit = await landedBefore(repository, since, tip, work.uuid)
  return commit === undefined ? undefined : landedAs(repository, branch, commit)
}

async function landedAs(repository: string, branch: string, commit: string): Promise<Outcome> {
  return { state: "landed", branch, onto: await git(repository, ["rev-parse", `${commit}^`]), commit }
}

async function landedBefore(
  repository: string,
  source: string,
  onto: string,
  mark: string,
): Promise<string | undefined> {
  const fork = await git(repository, ["merge-base", source, onto]).catch(() => undefined)
  const range = fork === undefined ? onto : `${fork}..${onto}`
  const words = ["log", "-1", "--format=%H", "--fixed-strings", `--grep=${MARK}: ${mark}`, range]
  return (await git(repository, words)) || undefined
}

async function compose(
  repository: string,
  work: Work,
  { onto, source }: Ends,
  scratch: Readonly<Record<string, string>> = {},
): Promise<Composed> {
  if (work.how !== "rebase") return mergedTree(repository, onto, source, scratch)
  const ask = (...words: string[]) => git(repository, words, { env: scratch })
  const fork = await ask("merge-base", onto, source)
  const listed = await ask("rev-list", "--reverse", "--topo-order", "--parents", `${fork}..${source}`)
  const commits = listed.split("\n").filter(Boolean)
  if (commits.some((line) => line.split(" ").length > 2))
    throw new ChorusError("not_linear", "The work holds merges, which cannot be put on top of a branch one by one.", {
      status: 409,
      next: "Land it with --how squash or --how merge.",
    })
  let tip = onto
  let tree = await ask("rev-parse", `${onto}^{tree}`)
  for (const [commit = ""] of commits.map((line) => line.split(" "))) {
    const picked = await pickedTree(repository, tip, commit, scratch)
    if ("conflicts" in picked) return picked
    if (picked.tree === tree) continue
    tree = picked.tree
    tip = await rewritten(repository, work, { commit, tree, parent: tip, scratch })
  }
  return { tree, tip }
}

/** The same commit on another parent: its author and its words, with the marks of this landing. */
async function rewritten(
  repository: string,
  work: Work,
  {
    commit,
    tree,
    parent,
    scratch,
  }: { commit: string; tree: string; parent: string; scratch: Readonly<Record<string, string>> },
): Promise<string> {
  const words = ["show", "-s", "--date=raw", "--format=%an%x00%ae%x00%ad%x00%B", commit]
  const shown = await git(repository, words, { env: scratch })
  const [name = "", email = "", date = "", said = ""] = shown.split("\0")
  // What no commit of theirs held is a checkpoint of ours, which has no words of its own.
  if (commit !== work.headCommit && email === OWN_NAME.GIT_AUTHOR_EMAIL)
    return commitTree(repository, { tree, parents: [parent], message: landingMessage(work), scratch })
  const marks = [whoseWork(work), `${MARK}: ${work.uuid}`].flatMap((mark) => ["--trailer", mark])
  const message = await git(repository, ["interpret-trailers", ...marks], { input: `${said.trimEnd()}\n` })
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date }
  return commitTree(repository, { tree, parents: [parent], message, scratch, author })
}

/** The finished commit, once the repository's own hooks and the checks have seen its tree; or what it breaks. */
async function committed(
  { repository, work, scratch, check }: RealLandOptions,
  { onto, source, made }: Ends & { readonly made: Extract<Composed, { tree: string }> },
): Promise<{ readonly id: string } | { readonly reason: string }> {
  const hooks = await git(repository, ["rev-parse", "--path-format=absolute", "--git-path", "hooks"], { asOwner: true })
  // Git itself asks none of them where commits are put on top of a branch.
  const isWatched = made.tip === undefined && HOOKS.some((name) => existsSync(join(hooks, name)))
  let seen = { tree: made.tree, message: landingMessage(work) }
  if (isWatched || check !== undefined) {
    const reason = await inCheckout(repository, { scratch, onto, tree: made.tree }, async () => {
      if (isWatched) seen = await afterHooks(scratch, work.how, seen.message)
      return check?.(scratch)
    })
    if (reason !== undefined) return { reason }
  }
  if (made.tip !== undefined) return { id: made.tip }
  const parents = work.how === "merge" ? [onto, source] : [onto]
  return { id: await commitTree(repository, { ...seen, parents }) }
}

async function commitTree(
  repository: string,
  { tree, parents, message, scratch = {}, author = {} }: NewCommit,
): Promise<string> {
  const config = (name: string) => git(repository, ["config", name], { asOwner: true }).catch(() => "")
  const isReal = scratch["GIT_OBJECT_DIRECTORY"] === undefined
  const signs = isReal && (await config("commit.gpgsign")) === "true"
  const env = { ...((await config("user.email")) === "" ? OWN_NAME : {}), ...scratch, ...author }
  const words = ["commit-tree", ...(signs ? ["-S"] : []), tree, ...parents.flatMap((one) => ["-p", one]), "-F", "-"]
  return git(repository, words, { asOwner: true, env, input: `${message.trimEnd()}\n` })
}

/** A checkout of the merged tree, apart from everybody's, as it would be just before the commit. */
async function inCheckout<T>(
  repository: string,
  { scratch, onto, tree }: { readonly scratch: string; readonly onto: string; readonly tree: string },
  work: () => Promise<T>,
): Promise<T> {
  const clear = async () => {
    await gitWorktree(repository, "remove", "-f", "-f", scratch).catch(() => "")
    rmSync(scratch, { recursive: true, force: true })
  }
  await clear()
  mkdirSync(dirname(scratch), { recursive: true, mode: 0o700 })
  try {
    await gitWorktree(repository, "add", "-f", "-f", "--detach", "--no-checkout", scratch, onto)
    await git(scratch, ["read-tree", "--reset", "-u", tree])
    return await work()
  } finally {
    await clear()
  }
}

/** Lets the hooks of a commit look at it and change it, as git would. */
async function afterHooks(folder: string, how: landings.LandingHow, message: string) {
  const file = await git(folder, ["rev-parse", "--path-format=absolute", "--git-path", "COMMIT_EDITMSG"])
  writeFileSync(file, `${message}\n`)
  const ask = async (name: string, ...args: string[]) => {
    const words = ["hook", "run", "--ignore-missing", name, ...(args.length === 0 ? [] : ["--", ...args])]
    const { code, stdout, stderr } = await gitEnd(folder, words, { asOwner: true, env: { GIT_EDITOR: ":" } })
    if (code === 0) return
    const said = [stdout, stderr].join("\n").trim().slice(-800)
    throw new ChorusError("hook_refused", `The repository's ${name} hook refused the commit: ${said}`, {
      status: 409,
      next: "Mend what it names, or change the hook, then land again.",
    })
  }
  await ask(how === "merge" ? "pre-merge-commit" : "pre-commit")
  await ask("prepare-commit-msg", file, how === "merge" ? "merge" : "message")
  await ask("commit-msg", file)
  const words = await git(folder, ["stripspace", "--strip-comments"], { input: readFileSync(file, "utf8") })
  return { tree: await git(folder, ["write-tree"]), message: words }
}

/** Moves the branch from `onto` to the commit, with the checkout it is in; false where it has moved meanwhile. */
async function advance(repository: string, branch: string, onto: string, commit: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`
  const checkout = await checkoutOf(repository, branch)
  if (checkout !== undefined) await assertUntouched(checkout, branch)
  const words =
    checkout === undefined
      ? ["update-ref", "-m", "chorus: landed", ref, commit, onto]
      : ["merge", "--ff-only", "--quiet", commit]
  const { code, stderr } = await gitEnd(checkout ?? repository, words, { asOwner: true, timeoutMs: ADVANCE_MS })
  if (code === 0) return true
  if ((await git(repository, ["rev-parse", ref])) !== onto) return false
  throw new ChorusError("git_refused", `git would not bring ${branch} along: ${stderr.trim()}`.slice(0, 900), {
    status: 409,
    next: "Mend what it names there, then land again.",
  })
}

/** With what whoever settles it has to know: the branch as it is now, and the lines on which both sides differ. */
async function conflict(repository: string, { branch, onto, made }: Against, env = {}): Promise<Outcome> {
  const { conflicts: files } = made
  const named = `${files.slice(0, NAMED).join(", ")}${files.length > NAMED ? ` and ${files.length - NAMED} more` : ""}`
  const what = `It conflicts with ${branch} (${onto.slice(0, 12)}) in ${named}.`
  const next = `Merge ${branch} into the work, settle what conflicts, and hand it in again.`
  const lines = await conflictText(repository, made, branch, env)
  const reason = [`${what} ${next}`, lines].filter(Boolean).join("\n\n")
  return { state: "conflict", branch, onto, files, reason }
}
