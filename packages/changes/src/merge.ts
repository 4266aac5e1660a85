import { git, gitEnd, type GitOptions } from "./git.ts"

type Env = GitOptions["env"]

/** The tree that comes of a merge; or the files that stand against it, and a tree in which they carry git's marks. */
export type Merged = { readonly tree: string } | { readonly conflicts: readonly string[]; readonly marked: string }

/** Merges two commits without a checkout; nothing changes but that new objects may lie in the store. */
export async function mergedTree(folder: string, ours: string, theirs: string, env: Env = {}): Promise<Merged> {
  const style = ["-c", "merge.conflictStyle=merge"]
  const words = [...style, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs]
  const { code, stdout, stderr } = await gitEnd(folder, words, { env })
  const [tree = "", ...conflicts] = stdout.split("\0")
  if (code === 0 && tree !== "") return { tree }
  if (code === 1 && tree !== "") return { conflicts: [...new Set(conflicts.filter(Boolean))], marked: tree }
  throw new Error(`git merge-tree failed: ${stderr.trim()}`)
}

/** The tree that comes of doing to `onto` what `commit` did to its parent. */
export async function pickedTree(folder: string, onto: string, commit: string, env: Env = {}): Promise<Merged> {
  // The parent's tree is made the place where both meet; `merge-tree` learned to be told it only with git 2.40.
  const like = (name: string, ...parents: string[]) =>
    git(folder, ["commit-tree", `${name}^{tree}`, ...parents.flatMap((parent) => ["-p", parent]), "-m", "pick"], {
      env,
    })
  const parent = await like(`${commit}^`)
  const [ours, theirs] = await Promise.all([like(onto, parent), like(commit, parent)])
  return mergedTree(folder, ours, theirs, env)
}
