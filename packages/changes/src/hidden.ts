import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { git, gitBytes, gitEnd } from "./git.ts"

type Env = Readonly<Record<string, string>>

/** Where Chorus keeps what an agent's program cannot tell it at once, and what may hold such a place. */
const OUR_PLACE = /(^|\/)\.chorus\/(claude|codex|opencode)\//
const OUR_FOLDER = /(^|\/)\.chorus\/$/

/** Files that git was told to take for unchanged; whoever works in a checkout can say so of any. */
const NOT_LOOKED_AT = [
  { flag: /[a-z]/, words: "--no-assume-unchanged" },
  { flag: /s/i, words: "--no-skip-worktree" },
]

/**
 * Makes the index of `env` look at every file again. What a sparse checkout has left out is not there and stays as the
 * index has it.
 */
export async function lookEverywhere(folder: string, env: Env): Promise<void> {
  const listed = (await git(folder, ["ls-files", "-v", "-z"], { env })).split("\0")
  const marked = listed.filter((line) => /^[a-zS] /.test(line))
  if (marked.length === 0) return
  const isSparse = (await git(folder, ["config", "--type=bool", "core.sparseCheckout"]).catch(() => "")) === "true"
  for (const { flag, words } of NOT_LOOKED_AT) {
    const paths = marked
      .filter((line) => flag.test(line.charAt(0)))
      .map((line) => line.slice(2))
      .filter((path) => !isSparse || lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined)
    if (paths.length > 0)
      await git(folder, ["update-index", words, "-z", "--stdin"], { env, input: `${paths.join("\0")}\0` })
  }
}

/**
 * What lies in a checkout and is ignored, though by no rule that the repository had before the work: not by the
 * `.gitignore`s of that tree, nor by what its person ignores everywhere. Folders of which nothing else is known end
 * with a stroke. What Chorus itself keeps there is no part of the work.
 */
export async function hiddenPlaces(folder: string, before: string): Promise<string[]> {
  const ignored = await ignoredPlaces(folder)
  const ours = ignored.filter((path) => OUR_FOLDER.test(path))
  const inside = ours.length === 0 ? [] : await ignoredIn(folder, "--", ...ours)
  const places = [...ignored.filter((path) => !ours.includes(path)), ...inside].filter((path) => !OUR_PLACE.test(path))
  return places.length === 0 ? [] : withRules(folder, before, (unknown) => unknown(places))
}

/** The same, file by file, and all of it: a check can run what was put where Chorus keeps its own. */
export async function hiddenFiles(folder: string, before: string): Promise<string[]> {
  const ignored = await ignoredPlaces(folder)
  if (ignored.length === 0) return []
  return withRules(folder, before, async (unknown) => {
    const places = await unknown(ignored)
    const folders = places.filter((path) => path.endsWith("/"))
    const inside = folders.length === 0 ? [] : await unknown(await ignoredIn(folder, "--", ...folders))
    return [...places.filter((path) => !path.endsWith("/")), ...inside]
  })
}

async function ignoredPlaces(folder: string): Promise<string[]> {
  const listed = await ignoredIn(folder, "--directory")
  // Of a folder that its own rules ignore git names what is in it too.
  const folders = listed.filter((path) => path.endsWith("/"))
  return listed.filter((path) => !folders.some((one) => path !== one && path.startsWith(one)))
}

async function ignoredIn(folder: string, ...words: string[]): Promise<string[]> {
  const all = ["--literal-pathspecs", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", ...words]
  return (await git(folder, all)).split("\0").filter(Boolean)
}

/** Lets `work` ask which of some paths those rules do not ignore, in an empty repository that has nothing but them. */
async function withRules<T>(
  folder: string,
  before: string,
  work: (unknown: (paths: readonly string[]) => Promise<string[]>) => Promise<T>,
): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), "chorus-rules-"))
  try {
    await git(scratch, ["init", "-q", "--template="])
    const listed = (await git(folder, ["ls-tree", "-r", "-z", before])).split("\0")
    for (const line of listed) {
      const [about = "", path = ""] = line.split("\t")
      const [mode = "", , id = ""] = about.split(" ")
      if (basename(path) !== ".gitignore" || !mode.startsWith("100")) continue
      mkdirSync(dirname(join(scratch, path)), { recursive: true })
      writeFileSync(join(scratch, path), await gitBytes(folder, ["cat-file", "blob", id]))
    }
    return await work(async (paths) => {
      const input = paths.map((path) => `${path}\0`).join("")
      const { stdout } = await gitEnd(scratch, ["check-ignore", "--no-index", "-z", "--stdin"], { input })
      const known = new Set(stdout.split("\0"))
      return paths.filter((path) => !known.has(path))
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
