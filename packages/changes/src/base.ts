import { ChorusError } from "@chorus/contracts"
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
 * How far the work has taken in the branch it is to go into since it began: what came from there is not its own. Work
 * whose every commit is in that branch stays compared with its beginning, or nothing of it would be seen.
 */
async function takenIn(folder: string, head: string, base: string) {
  let newest: { commit: string; said: string } | undefined
  for (const { ref, commit } of await usualBases(folder)) {
    const before = newest?.commit ?? base
    const fork = await git(folder, ["merge-base", commit, head]).catch(() => head)
    const isLater = fork !== head && fork !== before && (await contains(folder, fork, before))
    const said = `It has taken in ${shortName(ref)} up to ${fork.slice(0, 12)}; what came from there is not shown as its own.`
    if (isLater) newest = { commit: fork, said }
  }
  return newest
}

function contains(folder: string, commit: string, other: string): Promise<boolean> {
  return git(folder, ["merge-base", "--is-ancestor", other, commit]).then(
    () => true,
    () => false,
  )
}

/** The branches that work usually goes into and that are there, the likeliest first; never the one that is checked out. */
async function usualBases(folder: string): Promise<{ ref: string; commit: string }[]> {
  const present = await git(folder, ["symbolic-ref", "-q", "HEAD"]).catch(() => "")
  const found = []
  for (const ref of [...REMOTE, ...LOCAL.filter((name) => name !== present)]) {
    const commit = await resolved(folder, ref, "commit")
    if (commit !== undefined) found.push({ ref, commit })
  }
  return found
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
