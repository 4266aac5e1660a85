import { existsSync } from "node:fs"
import { join } from "node:path"
import { git } from "@chorus/changes"

const FETCH_MS = 120_000
/** Nothing is fetched by a way that could run something here. */
const SAFE_WAYS = ["-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "-c", "protocol.ssh.allow=always"]

/**
 * Fills a new worktree's submodules: from what the repository has of them on this machine, else over the network where
 * that is allowed. Names those that stay empty.
 */
export async function fillSubmodules(repository: string, worktree: string, network: boolean): Promise<string[]> {
  if (!existsSync(join(worktree, ".gitmodules"))) return []
  const listed = await git(worktree, ["config", "-f", ".gitmodules", "--get-regexp", String.raw`^submodule\..*\.path$`])
  const store = join(await commonFolder(repository), "modules")
  const empty: string[] = []
  for (const line of listed.split("\n").filter(Boolean)) {
    const [key = "", path = ""] = line.split(/\s(.*)/)
    const name = key.slice("submodule.".length, -".path".length)
    const here = join(store, name)
    // The person's own copy of it, named by us: a file that .gitmodules names is never read.
    const from = [
      "-c",
      `submodule.${name}.url=${here}`,
      "-c",
      "protocol.allow=never",
      "-c",
      "protocol.file.allow=always",
    ]
    const ways = [...(existsSync(here) ? [from] : []), ...(network ? [SAFE_WAYS] : [])]
    let filled = false
    for (const way of ways) {
      const words = [...way, "submodule", "update", "--init", "--checkout", "--", path]
      filled ||= await git(worktree, words, { timeoutMs: FETCH_MS }).then(
        () => true,
        () => false,
      )
    }
    if (!filled) empty.push(path)
  }
  return empty
}

/** Whether a submodule holds nothing that its repository lacks: never filled, or unchanged at the base's commit. */
export async function isUntouchedSubmodule(
  worktree: string,
  path: string,
  commit: string,
  base: string,
): Promise<boolean> {
  const inside = join(worktree, path)
  const before = await git(worktree, ["ls-tree", base, "--", path])
  if (!before.startsWith(`160000 commit ${commit}`)) return false
  if (!existsSync(join(inside, ".git"))) return true
  const changes = await git(inside, ["status", "--porcelain", "--untracked-files=all"])
  const own = await git(inside, ["rev-list", "--count", "--branches", "--not", commit])
  return changes === "" && own === "0"
}

export function commonFolder(repository: string): Promise<string> {
  return git(repository, ["rev-parse", "--path-format=absolute", "--git-common-dir"])
}
