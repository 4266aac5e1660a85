import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { git, gitEnd, refusedBy } from "./git.ts"
import { lookEverywhere } from "./hidden.ts"

/** Whatever the repository says: nothing is refused for its line ends, and a file may be as old and long as it was. */
const STRICTLY = ["core.safecrlf=false", "core.trustctime=true", "core.checkStat=default"].flatMap((set) => ["-c", set])

export interface WrittenTree {
  readonly tree: string
  /** Repositories of their own that lie inside and are not in the tree: always those that have no commit yet. */
  readonly embedded: readonly string[]
}

export interface TreeOptions {
  /** Where new objects go instead of the repository's own store. */
  readonly env?: Readonly<Record<string, string>>
  /** Leaves out repositories that lie inside without being submodules. */
  readonly withoutEmbedded?: boolean
  /** Reads every file, whatever its size and time say: whoever wrote it could have set both to what they were. */
  readonly readsAll?: boolean
}

/**
 * Writes the working tree as it is now, with what is not tracked and without what is ignored, by an index of its own.
 * The repository's index, branch and files stay as they are.
 */
export async function writeTree(folder: string, options: TreeOptions = {}): Promise<WrittenTree> {
  const index = await git(folder, ["rev-parse", "--path-format=absolute", "--git-path", "index"])
  const scratch = mkdtempSync(join(tmpdir(), "chorus-index-"))
  try {
    const own = join(scratch, "index")
    copyIndex(index, own, options.readsAll === true)
    const env = { ...options.env, GIT_INDEX_FILE: own }
    await lookEverywhere(folder, env)
    const known = options.withoutEmbedded === true ? await gitlinks(folder, env) : new Set<string>()
    const unborn = await addAll(folder, env)
    const all = options.withoutEmbedded === true ? await gitlinks(folder, env) : new Set<string>()
    const embedded = [...all].filter((path) => !known.has(path))
    for (const path of embedded) await git(folder, ["update-index", "--force-remove", "--", path], { env })
    return { tree: await git(folder, ["write-tree"], { env }), embedded: [...embedded, ...unborn].sort() }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Puts all there is into the index, save repositories inside that have no commit: git takes none of those. */
async function addAll(folder: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const words = [...STRICTLY, "-c", "advice.addEmbeddedRepo=false", "add", "-A", "--ignore-errors"]
  const { code, stderr } = await gitEnd(folder, words, { env: { ...env, LC_ALL: "C" } })
  if (code === 0) return []
  const errors = stderr.split("\n").filter((line) => /^(error|fatal): /.test(line))
  if (errors.length === 0 || errors.some((line) => !line.endsWith("does not have a commit checked out")))
    throw refusedBy(words, { code, stderr })
  const left = await git(folder, ["ls-files", "-z", "--others", "--exclude-standard"], { env })
  return left.split("\0").flatMap((path) => (path.endsWith("/") ? [path.slice(0, -1)] : []))
}

/**
 * With its time: a file that is as old as the index may have changed since it was looked at, so git reads it again. A
 * copy that is younger would have it overlook what was written in the second of the last checkout, and one that is older
 * than all files has it read them all.
 */
function copyIndex(from: string, to: string, readsAll: boolean): void {
  const before = statSync(from, { throwIfNoEntry: false })
  if (before === undefined) return
  copyFileSync(from, to)
  utimesSync(to, before.atime, readsAll ? 1 : before.mtime)
}

/** Runs work whose new objects end with it, so that the repository does not grow by being looked at. */
export async function withScratchObjects<T>(
  folder: string,
  work: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const objects = await git(folder, ["rev-parse", "--path-format=absolute", "--git-path", "objects"])
  const scratch = mkdtempSync(join(tmpdir(), "chorus-objects-"))
  try {
    const own = join(scratch, "objects")
    mkdirSync(own)
    return await work({ GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function gitlinks(folder: string, env: Readonly<Record<string, string>>): Promise<Set<string>> {
  const listed = await git(folder, ["ls-files", "-z", "--stage"], { env })
  const links = listed.split("\0").filter((line) => line.startsWith("160000 "))
  return new Set(links.map((line) => line.slice(line.indexOf("\t") + 1)))
}
