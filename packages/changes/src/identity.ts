import { hostname } from "node:os"
import { ChorusError, type changes } from "@chorus/contracts"
import { git, gitWorktree } from "./git.ts"
import { withoutPassword } from "./secrets.ts"

type Identity = changes.RepositoryIdentity

/** By what a repository is known again wherever it was cloned to: its first commits, and where it is fetched from. */
export async function identityOf(repository: string): Promise<Identity> {
  const ask = (...words: string[]) => git(repository, words).catch(() => "")
  const lines = async (...words: string[]) => (await ask(...words)).split("\n").filter(Boolean)
  const shallow = (await ask("rev-parse", "--is-shallow-repository")) === "true"
  const remotes = await lines("config", "--get-regexp", String.raw`^remote\..*\.url$`)
  return {
    // Where history is cut off, its first commits are not known.
    roots: shallow ? [] : (await lines("rev-list", "--max-parents=0", "HEAD")).slice(0, 100),
    remotes: remotes.map((line) => withoutPassword(line.slice(line.indexOf(" ") + 1))).slice(0, 20),
    checkout: { machine: hostname(), folder: repository, repository: await mainCheckout(repository) },
  }
}

/** Where the repository lies of which a checkout is a worktree, or is all there is. */
async function mainCheckout(checkout: string): Promise<string> {
  const [first = ""] = (await gitWorktree(checkout, "list", "--porcelain", "-z")).split("\0")
  return first.slice("worktree ".length) || checkout
}

/** The checkout in which work was done by hand, where it is one of this repository's; else the repository's own. */
export async function checkoutIn(repository: string, folder: string): Promise<string> {
  const listed = (await gitWorktree(repository, "list", "--porcelain", "-z")).split("\0")
  return listed.includes(`worktree ${folder}`) ? folder : repository
}

/** Refuses a repository that is surely not the one the work was done in; what nobody can tell is let through. */
export async function assertSameRepository(repository: string, work: Identity): Promise<void> {
  const here = await identityOf(repository)
  const isKnown = here.roots.length > 0 && work.roots.length > 0
  const isSame =
    here.roots.some((root) => work.roots.includes(root)) ||
    here.remotes.map(plainAddress).some((address) => work.remotes.map(plainAddress).includes(address))
  if (!isKnown || isSame) return
  throw new ChorusError(
    "other_repository",
    `${repository} is ${nameOf(here)}; the work was done in ${nameOf(work)}, another repository.`,
    { status: 409, next: "Do this in a checkout of that repository, or name one with --folder." },
  )
}

function nameOf({ remotes: [remote], roots: [root = ""] }: Identity): string {
  return remote ?? `the repository that begins with commit ${root.slice(0, 12)}`
}

/** The same for `git@host:shop.git`, `ssh://git@host/shop` and `https://host/shop.git`. */
function plainAddress(remote: string): string {
  return remote
    .replace(/^[a-z+]+:\/\//, "")
    .replace(/^[^/@]*@/, "")
    .replace(/^([^/:]+):(?!\d)/, "$1/")
    .replace(/(\.git)?\/*$/, "")
}
