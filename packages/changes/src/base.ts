import { ChorusError } from "@chorus/contracts"
import { isBeginning } from "./beginning.ts"
import { git } from "./git.ts"

/** What a change is compared with. */
export interface Base {
  /** Where the work left its base; null where there is none, and everything is new. */
  readonly commit: string | null
  readonly tree: string
  /** What it is called, where it has a name. */
  readonly ref: string | null
  /** What whoever reads the change should know of the choice. */
  readonly said: readonly string[]
}

const REMOTE = ["refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"]
const LOCAL = ["refs/heads/main", "refs/heads/master"]
const MOST_NAMED = 5
/** What the log of a checkout says where it went to a commit that was there already. */
const ONLY_MOVED =
  /^((merge|pull)\b.*: Fast-forward$|(rebase|pull)\b[^:]*\((start|finish|abort)\):|(reset|checkout|clone):)/

/** Finds where the work began. What was named and cannot be found is an error, and a choice that nobody made is said. */
export async function baseOf(folder: string, named?: string): Promise<Base> {
  const head = await resolved(folder, "HEAD", "commit")
  if (named === undefined) {
    if (head === undefined) return empty(folder)
    const [found] = await usualBases(folder)
    if (found === undefined) throw unknown(folder)
    const said = `Nobody named a base: it is compared with where the branch left ${shortName(found.ref)}.`
    return fromCommit(folder, head, found.commit, shortName(found.ref), [said])
  }
  const commit = await resolved(folder, named, "commit")
  // What lay in the checkout when the work began; it is in no history that could be looked at for a fork.
  if (commit !== undefined && (await isBeginning(folder, commit)))
    return { commit, tree: await git(folder, ["rev-parse", `${commit}^{tree}`]), ref: null, said: [] }
  if (commit !== undefined && head !== undefined) {
    if (!isId(named)) return fromCommit(folder, head, commit, named, [])
    const later = await takenIn(folder, head, commit)
    return fromCommit(folder, head, later?.commit ?? commit, null, later === undefined ? [] : [later.said])
  }
  const tree = await resolved(folder, named, "tree")
  if (tree === undefined) throw missing(folder, named)
  // The tree that was there when the work began; it has no history to look for a fork in.
  return { commit: commit ?? null, tree, ref: isId(named) ? null : named, said: [] }
}

async function fromCommit(
  folder: string,
  head: string,
  base: string,
  ref: string | null,
  said: readonly string[],
): Promise<Base> {
  const forks = (await git(folder, ["merge-base", "--all", base, head]).catch(() => "")).split("\n").filter(Boolean)
  const [commit] = forks
  if (commit === undefined) throw unrelated(folder, ref ?? base)
  const ahead = Number(await git(folder, ["rev-list", "--count", `${commit}..${base}`]))
  return {
    commit,
    tree: await git(folder, ["rev-parse", `${commit}^{tree}`]),
    ref,
    said: [
      ...said,
      ...(forks.length > 1 ? [`The histories meet in ${forks.length} commits; ${commit.slice(0, 12)} was taken.`] : []),
      ...(ahead > 0
        ? [
            `${ref ?? base.slice(0, 12)} has ${ahead} newer ${ahead === 1 ? "commit" : "commits"} that this work does not have.`,
          ]
        : []),
    ],
  }
}

/**
 * How far the work has taken in the branch it is to go into since it began: what came from there is not its own. Where
 * the branch has every commit of the work, those that were made in this checkout stay the work's own, or moving the
 * branch to the work would hide it.
 */
async function takenIn(folder: string, head: string, base: string) {
  let newest: { ref: string; commit: string } | undefined
  for (const { ref, commit } of await usualBases(folder)) {
    const before = newest?.commit ?? base
    const fork = await git(folder, ["merge-base", commit, head]).catch(() => undefined)
    const taken = fork === head ? await broughtHere(folder, head, before) : fork
    if (taken === undefined || taken === before || !(await contains(folder, taken, before))) continue
    newest = { ref, commit: taken }
  }
  return newest && { commit: newest.commit, said: await sayTaken(folder, base, newest) }
}

/** Whoever works in a repository can move its branches: the commits are named, so that one nobody knows is seen. */
async function sayTaken(folder: string, base: string, { ref, commit }: { ref: string; commit: string }) {
  const taken = `${base}..${commit}`
  const count = Number(await git(folder, ["rev-list", "--count", taken]))
  const form = "--format=%h%n%<(60,trunc)%s%n%<(40,trunc)%an%n"
  const named = await git(folder, ["log", "-n", String(MOST_NAMED), form, taken])
  const some = named.split("\n\n").map((entry) => {
    const [id = "", subject = "", author = ""] = entry.split("\n").map((line) => line.trim())
    return `${id} “${subject}” (${author})`
  })
  const which = [...some, ...(count > MOST_NAMED ? [`${count - MOST_NAMED} more`] : [])].join(", ")
  return (
    `It has taken in ${shortName(ref)} up to ${commit.slice(0, 12)}; what came from there is not shown as its own. ` +
    `That is ${count} ${count === 1 ? "commit" : "commits"}; look at those you do not know: ${which}.`
  )
}

/** The newest commit since the base that was not made in this checkout, as far as its log of HEAD reaches. */
async function broughtHere(folder: string, head: string, base: string): Promise<string | undefined> {
  const log = await git(folder, ["log", "-g", "--format=%H %gs", "HEAD"]).catch(() => "")
  const entries = log
    .split("\n")
    .map((line) => ({ commit: line.slice(0, head.length), why: line.slice(head.length + 1) }))
  if (!entries.some(({ commit }) => commit === base)) return undefined
  const made = new Set(entries.filter(({ why }) => !ONLY_MOVED.test(why)).map(({ commit }) => commit))
  const since = await git(folder, ["rev-list", "--topo-order", `${base}..${head}`])
  return since.split("\n").find((commit) => commit !== "" && !made.has(commit))
}

function contains(folder: string, commit: string, other: string): Promise<boolean> {
  return git(folder, ["merge-base", "--is-ancestor", other, commit]).then(
    () => true,
    () => false,
  )
}

/**
 * The branches that work usually goes into and that are there, the likeliest first: the remote's, the usual names, and
 * what the repository itself has checked out, where this is a worktree of it. Never the one that is checked out here.
 */
async function usualBases(folder: string): Promise<{ ref: string; commit: string }[]> {
  const present = await git(folder, ["symbolic-ref", "-q", "HEAD"]).catch(() => "")
  const common = await git(folder, ["rev-parse", "--path-format=absolute", "--git-common-dir"])
  const itsOwn = await git(folder, ["--git-dir", common, "symbolic-ref", "-q", "HEAD"]).catch(() => "")
  const names = [...new Set([...REMOTE, ...LOCAL, itsOwn])].filter((name) => name !== present && name !== "")
  const listed = await git(folder, ["for-each-ref", "--format=%(refname) %(objectname)", ...names]).catch(() => "")
  const commits = new Map(listed.split("\n").map((line) => line.split(" ") as [string, string]))
  return names.flatMap((ref) => {
    const commit = commits.get(ref)
    return commit === undefined ? [] : [{ ref, commit }]
  })
}

async function empty(folder: string): Promise<Base> {
  const tree = await git(folder, ["hash-object", "-t", "tree", "/dev/null"])
  return { commit: null, tree, ref: null, said: ["The repository has no commit; everything in it is new."] }
}

function resolved(folder: string, name: string, kind: "commit" | "tree"): Promise<string | undefined> {
  const words = ["rev-parse", "--verify", "-q", "--end-of-options", `${name}^{${kind}}`]
  return git(folder, words).then(
    (id) => id.split("\n").at(-1),
    () => undefined,
  )
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/(remotes|heads)\//, "")
}

function isId(name: string): boolean {
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(name)
}

function missing(folder: string, named: string): ChorusError {
  return new ChorusError("base_missing", `There is no ${named} in ${folder}, so nothing can be compared with it.`, {
    status: 409,
    next: "Fetch it if it was deleted or never fetched, or name another with --base.",
  })
}

function unrelated(folder: string, named: string): ChorusError {
  return new ChorusError("base_unrelated", `What is checked out in ${folder} has no commit in common with ${named}.`, {
    status: 409,
    next: "Name the branch or commit this work began from with --base.",
  })
}

function unknown(folder: string): ChorusError {
  return new ChorusError("base_unknown", `Nothing tells what the work in ${folder} began from.`, {
    status: 409,
    next: "Name the branch or commit it began from with --base.",
  })
}
