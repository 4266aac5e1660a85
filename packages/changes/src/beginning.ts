import { ChorusError } from "@chorus/contracts"
import { git } from "./git.ts"
import { pickedTree } from "./merge.ts"
import { writeTree } from "./tree.ts"

const PLACE = "refs/chorus/began/"
/** What was shown of work by hand, which may lie in no commit. */
export const SHOWN = "refs/chorus/shown/"

/** What lay in a checkout when work on a task began there. */
export interface Beginning {
  /** Holds the tree, on top of what was checked out; what was checked out itself where nothing else lay there. */
  readonly commit: string
  /** What was not committed then, and is not the work's own. */
  readonly uncommitted: readonly string[]
}

/**
 * Keeps what lies in a checkout as the beginning of a task's work. What is kept already stays: work that comes back
 * began when it first did. Index, HEAD and files stay as they are. Once it has looked it says so by `looked`; where that
 * fails, the work may have begun before, and nothing is kept.
 */
export async function keepBeginning(
  folder: string,
  taskUuid: string,
  looked: () => Promise<void> = async () => undefined,
): Promise<void> {
  if ((await kept(folder, PLACE + taskUuid)) !== undefined) return looked()
  const head = await kept(folder, "HEAD")
  const { tree } = await writeTree(folder, { withoutEmbedded: true })
  await looked()
  const parents = head === undefined ? [] : ["-p", head]
  const commit = await git(folder, ["commit-tree", tree, ...parents, "-m", `chorus task ${taskUuid}: began`])
  await git(folder, ["update-ref", PLACE + taskUuid, commit, ""])
}

export async function beginningOf(folder: string, taskUuid: string): Promise<Beginning | undefined> {
  const commit = await kept(folder, PLACE + taskUuid)
  if (commit === undefined) return undefined
  const parent = await kept(folder, `${commit}^`)
  const since = parent ?? (await git(folder, ["hash-object", "-t", "tree", "/dev/null"]))
  const listed = await git(folder, ["diff", "--name-only", "--no-renames", "-z", since, commit])
  const uncommitted = listed.split("\0").filter(Boolean)
  return { commit: uncommitted.length === 0 ? (parent ?? commit) : commit, uncommitted }
}

/** Whether a commit holds what lay in this checkout when some work began. */
export async function isBeginning(folder: string, commit: string): Promise<boolean> {
  return (await git(folder, ["for-each-ref", `--points-at=${commit}`, PLACE])) !== ""
}

/** Keeps what was shown of a task's work, so that it can land whatever becomes of the checkout meanwhile. */
export async function keepShown(folder: string, taskUuid: string, shown: string): Promise<void> {
  const { tree } = await writeTree(folder, { withoutEmbedded: true })
  if (tree !== shown) return
  const head = await kept(folder, "HEAD")
  const parents = head === undefined ? [] : ["-p", head]
  const commit = await git(folder, ["commit-tree", tree, ...parents, "-m", `chorus task ${taskUuid}: shown`])
  await git(folder, ["update-ref", SHOWN + taskUuid, commit])
}

/** Once the work has landed, nobody asks any more. */
export async function forgetBeginning(folder: string, taskUuid: string): Promise<void> {
  for (const place of [PLACE, SHOWN]) await git(folder, ["update-ref", "-d", place + taskUuid])
}

/**
 * What the work alone did, as a commit on what was checked out when it began; undefined where nothing else lay there,
 * and the work is all there is.
 */
export async function ownWork(
  folder: string,
  { tree, baseCommit, message }: { readonly tree: string; readonly baseCommit: string; readonly message: string },
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (!(await isBeginning(folder, baseCommit))) return undefined
  const parent = await kept(folder, `${baseCommit}^`)
  if (parent === undefined) return undefined
  const all = await git(folder, ["commit-tree", tree, "-p", baseCommit, "-m", message], { env })
  const picked = await pickedTree(folder, parent, all, env)
  if ("conflicts" in picked)
    throw new ChorusError(
      "work_mixed",
      `What was not committed when the work began lies in the same lines as the work: ${picked.conflicts.join(", ")}.`,
      { status: 409, next: "Commit there what is not the agent's, send the work back, and have it handed in again." },
    )
  return git(folder, ["commit-tree", picked.tree, "-p", parent, "-m", message], { env })
}

function kept(folder: string, name: string): Promise<string | undefined> {
  return git(folder, ["rev-parse", "--verify", "-q", "--end-of-options", `${name}^{commit}`]).then(
    (id) => id,
    () => undefined,
  )
}
