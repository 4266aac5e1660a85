import { execFile } from "node:child_process"
import { ChorusError } from "@chorus/contracts"
import { git, gitEnd } from "./git.ts"
import { type LandOptions, sourceOf, workMessage } from "./land.ts"
import { targetBranch } from "./target.ts"

const TIMEOUT_MS = 120_000
const GOOD = new Set(["SUCCESS", "NEUTRAL", "SKIPPED"])
const UNENDED = new Set([
  "",
  "PENDING",
  "EXPECTED",
  "created",
  "pending",
  "preparing",
  "running",
  "waiting_for_resource",
])

/** A pull request, or merge request, as the forge tells of it. */
export interface PullRequest {
  readonly url: string
  readonly state: "open" | "merged" | "closed"
  /** What CI says of it; null where there is none. */
  readonly checks: "passed" | "failed" | "running" | null
}

export interface ProposeOptions extends LandOptions {
  readonly environment: NodeJS.ProcessEnv
}

type Asking = Pick<ProposeOptions, "repository" | "environment"> & { readonly signal?: AbortSignal | undefined }

interface Wanted {
  readonly head: string
  readonly base: string
  readonly title: string
  readonly body: string
}

interface Forge {
  readonly program: "gh" | "glab"
  view(head: string): string[]
  create(wanted: Wanted): string[]
  read(answer: string): PullRequest
}

const GITHUB: Forge = {
  program: "gh",
  view: (head) => ["pr", "view", head, "--json", "url,state,statusCheckRollup"],
  create: ({ head, base, title, body }) => ["pr", "create", ...flags({ head, base, title, body })],
  read(answer) {
    const { url, state, statusCheckRollup } = JSON.parse(answer) as {
      url: string
      state: string
      statusCheckRollup: { conclusion?: string; state?: string }[] | null
    }
    const ends = (statusCheckRollup ?? []).map(({ conclusion, state: said }) => conclusion ?? said ?? "")
    const checks = ends.some((end) => !GOOD.has(end) && !UNENDED.has(end))
      ? "failed"
      : ends.some((end) => UNENDED.has(end))
        ? "running"
        : "passed"
    return { url, state: stateOf(state.toLowerCase()), checks: ends.length === 0 ? null : checks }
  },
}

const GITLAB: Forge = {
  program: "glab",
  view: (head) => ["mr", "view", head, "--output", "json"],
  create: ({ head, base, title, body }) => [
    "mr",
    "create",
    "--yes",
    ...flags({ "source-branch": head, "target-branch": base, title, description: body }),
  ],
  read(answer) {
    const said = JSON.parse(answer) as { web_url: string; state: string; head_pipeline?: { status: string } | null }
    const end = said.head_pipeline?.status
    const checks = end === undefined ? null : end === "success" ? "passed" : UNENDED.has(end) ? "running" : "failed"
    return { url: said.web_url, state: stateOf(said.state), checks }
  },
}

/**
 * Pushes exactly what was reviewed to the remote, never by force, and asks its forge to take it into the branch it is
 * for; where that was asked before, tells how it stands. The forge's own program does it, as whoever is signed in there.
 */
export async function proposeWork(options: ProposeOptions): Promise<PullRequest> {
  const { repository, work, environment } = options
  const base = await targetBranch(repository, work)
  const { remote, address, forge } = await forgeOf(repository, base)
  const head = work.workBranch
  // An agent may have named the branch: a word that begins so would be an option of the forge's program.
  if (address === "" || head === null || head === base || head.startsWith("-")) throw nowhere(repository, remote, head)
  const commit = await commitFor(options, remote, head)
  if (commit !== undefined) await push(repository, remote, commit, head)
  const seen = await ask(forge, forge.view(head), options).catch((error: unknown) => {
    if (error instanceof ChorusError && error.code === "no_forge_program") throw error
    return undefined
  })
  if (seen !== undefined) return forge.read(seen)
  const [title = "", ...rest] = workMessage(work).split("\n")
  await ask(forge, forge.create({ head, base, title, body: rest.join("\n").trim() }), { repository, environment })
  return forge.read(await ask(forge, forge.view(head), options))
}

/** The pull request that a branch has at its forge, as far as the forge's program is there and tells of one. */
export async function proposedOf({
  repository,
  branch,
  ...options
}: Asking & { readonly branch: string }): Promise<PullRequest | undefined> {
  const { address, forge } = await forgeOf(repository, branch)
  if (address === "" || branch.startsWith("-")) return undefined
  return ask(forge, forge.view(branch), { repository, ...options }).then(
    (said) => forge.read(said),
    () => undefined,
  )
}

/** Where a branch goes to, by the name of its remote or the usual one. */
async function forgeOf(repository: string, branch: string) {
  const remote = (await git(repository, ["config", `branch.${branch}.remote`]).catch(() => "")) || "origin"
  const address = await git(repository, ["remote", "get-url", remote]).catch(() => "")
  return { remote, address, forge: /gitlab/i.test(address) ? GITLAB : GITHUB }
}

/**
 * The reviewed tree as a commit that the branch on the remote can be moved on to: what nobody has committed goes on top
 * of what somebody has, and of what was proposed before. Nothing where the remote has it.
 */
async function commitFor({ repository, folder, work }: LandOptions, remote: string, head: string) {
  const source = await sourceOf({ repository, folder, work })
  const [tip = ""] = (await git(repository, ["ls-remote", remote, `refs/heads/${head}`])).split("\t")
  const said = tip === "" ? "" : await git(repository, ["log", "-1", "--format=%T %B", tip]).catch(() => "")
  if (work.tree !== null && said.startsWith(work.tree)) return undefined
  const isOurs = said.includes(`\nChorus-Task: ${work.shortId}`)
  if (tip !== "" && tip !== source && !isOurs) throw taken(remote, head)
  if (source === work.headCommit && !isOurs) return source
  const parents = [...(isOurs ? [tip] : []), work.headCommit ?? source].flatMap((parent) => ["-p", parent])
  return git(repository, ["commit-tree", `${source}^{tree}`, ...parents, "-m", workMessage(work)])
}

async function push(repository: string, remote: string, commit: string, head: string): Promise<void> {
  const words = ["push", "--quiet", remote, `${commit}:refs/heads/${head}`]
  const { code, stderr } = await gitEnd(repository, words, { asOwner: true, timeoutMs: TIMEOUT_MS })
  if (code === 0) return
  throw new ChorusError("push_refused", `${head} was not pushed to ${remote}: ${stderr.trim().slice(-500)}`, {
    status: 409,
    next: "See what is there; nothing is pushed by force.",
  })
}

function ask(
  { program }: Forge,
  words: readonly string[],
  { repository, environment, signal }: Asking,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const settings = { cwd: repository, env: environment, timeout: TIMEOUT_MS, signal }
    execFile(program, words, settings, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      reject(error.code === "ENOENT" ? missing(program) : refused(program, stderr.trim() || error.message))
    })
  })
}

function flags(given: Readonly<Record<string, string>>): string[] {
  return Object.entries(given).flatMap(([name, value]) => [`--${name}`, value])
}

function stateOf(said: string): PullRequest["state"] {
  return said === "merged" || said === "closed" ? said : "open"
}

function nowhere(repository: string, remote: string, head: string | null): ChorusError {
  const what =
    head === null
      ? "the work is on no branch"
      : `${repository} has no remote ${remote}, or ${head} is the branch itself`
  return new ChorusError("nowhere_to_propose", `Nothing can be proposed: ${what}.`, {
    status: 409,
    next: "Land it with `chorus change land`, or name the branch it is for with --into.",
  })
}

/** The name of the branch may be an agent's word: what it happens to name on the remote is not moved by it. */
function taken(remote: string, head: string): ChorusError {
  return new ChorusError("push_refused", `${remote} has a branch ${head} that does not come from this task.`, {
    status: 409,
    next: "Push it yourself if that is where the work belongs, or have the work on a branch of another name.",
  })
}

function missing(program: string): ChorusError {
  return new ChorusError("no_forge_program", `${program} is not installed, so no pull request can be opened.`, {
    status: 409,
    next: `Install ${program} and sign in with it, or land the work with \`chorus change land\`.`,
  })
}

function refused(program: string, said: string): ChorusError {
  return new ChorusError("forge_refused", `${program} says: ${said.slice(-500)}`, {
    status: 409,
    next: `Mend that, then propose it again; \`${program} auth status\` tells as whom you are signed in.`,
  })
}
