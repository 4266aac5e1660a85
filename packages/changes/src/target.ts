import { existsSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type landings } from "@chorus/contracts"
import { git, gitWorktree } from "./git.ts"

const NAMED = 5
const BUSY_MS = 15_000
const LOOK_MS = 50
/** What lies in a checkout's own folder while somebody is in the middle of something. */
const UNDER_WAY = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"]

/**
 * The branch that work goes into: the one that was named, the one it was compared with, or the one that is checked out.
 */
export async function targetBranch(
  repository: string,
  { branch, baseRef, workBranch }: Pick<landings.LeasedLanding, "branch" | "baseRef" | "workBranch">,
): Promise<string> {
  const isThere = (name: string) =>
    git(repository, ["rev-parse", "--verify", "-q", `refs/heads/${name}^{commit}`]).then(
      () => true,
      () => false,
    )
  if (branch !== null) {
    if (await isThere(branch)) return branch
    throw new ChorusError("branch_missing", `There is no branch ${branch} in ${repository}.`, {
      status: 409,
      next: "Make it, or name another with --into.",
    })
  }
  const usual = [baseRef?.replace(/^origin\//, ""), await checkedOut(repository)]
  for (const name of usual) if (name !== undefined && name !== workBranch && (await isThere(name))) return name
  throw new ChorusError("branch_unknown", `Nothing tells which branch of ${repository} the work goes into.`, {
    status: 409,
    next: "Name it with --into.",
  })
}

/** The branch that is checked out there; undefined where none is. */
export async function checkedOut(folder: string): Promise<string | undefined> {
  return (await git(folder, ["symbolic-ref", "-q", "--short", "HEAD"]).catch(() => "")) || undefined
}

/** Where a branch is checked out; undefined where it is not. */
export async function checkoutOf(repository: string, branch: string): Promise<string | undefined> {
  const listed = await gitWorktree(repository, "list", "--porcelain", "-z")
  const places = listed.split("\0\0").map((place) => place.split("\0"))
  const found = places.find((lines) => lines.includes(`branch refs/heads/${branch}`))
  const path = found?.[0]?.slice("worktree ".length)
  return path !== undefined && existsSync(path) ? path : undefined
}

/**
 * Refuses a checkout in which somebody has something that is not committed, staged or not, or is in the middle of
 * something.
 */
export async function assertUntouched(checkout: string, branch: string): Promise<void> {
  const folder = await git(checkout, ["rev-parse", "--absolute-git-dir"])
  const begun = UNDER_WAY.find((name) => existsSync(join(folder, name)))
  if (begun !== undefined)
    throw new ChorusError("checkout_busy", `${branch} is checked out in ${checkout}, in the middle of ${begun}.`, {
      status: 409,
      next: "End that there, then land again.",
    })
  await lockIsFree(join(folder, "index.lock"), checkout)
  const status = await git(checkout, ["status", "--porcelain", "-z", "--untracked-files=no"])
  const dirty = status.split("\0").filter(Boolean)
  if (dirty.length === 0) return
  const names = named(dirty.map((line) => line.slice(3)))
  throw new ChorusError(
    "checkout_dirty",
    `${branch} is checked out in ${checkout} with changes that are not committed: ${names}.`,
    { status: 409, next: "Commit them there, or stash them, then land again." },
  )
}

/** Refuses a checkout in which files that git does not know lie where the work brings new ones. */
export async function assertNothingInTheWay(checkout: string, branch: string, added: readonly string[]): Promise<void> {
  const listed = await git(checkout, ["ls-files", "--others", "--exclude-standard", "-z"])
  const inside = (one: string, other: string) => one === other || one.startsWith(`${other}/`)
  const inTheWay = listed
    .split("\0")
    .filter((file) => file !== "" && added.some((path) => path !== "" && (inside(path, file) || inside(file, path))))
  if (inTheWay.length === 0) return
  throw new ChorusError(
    "checkout_dirty",
    `${branch} is checked out in ${checkout}, where files that git does not know are in the way: ${named(inTheWay)}.`,
    { status: 409, next: "Move them away there, then land again." },
  )
}

function named(files: readonly string[]): string {
  return `${files.slice(0, NAMED).join(", ")}${files.length > NAMED ? ` and ${files.length - NAMED} more` : ""}`
}

/** A git that somebody else has begun there is let end. */
async function lockIsFree(lock: string, checkout: string): Promise<void> {
  for (const end = Date.now() + BUSY_MS; existsSync(lock);) {
    if (Date.now() > end)
      throw new ChorusError("checkout_busy", `Another git is at work in ${checkout}, or was cut off: ${lock}.`, {
        status: 409,
        next: "Wait for it; if there is none, take that file away and land again.",
      })
    await new Promise((go) => setTimeout(go, LOOK_MS))
  }
}
