import { spawn } from "node:child_process"
import { ChorusError } from "@chorus/contracts"
import type { Progress } from "./download.ts"
import { gitUrlFault, isScpForm, refFault } from "./git-url.ts"
import { checkHost, httpGet, unreachable, type NetworkPolicy } from "./network.ts"

export interface GitOptions {
  readonly policy: NetworkPolicy
  readonly progress?: Progress | undefined
}

export interface CloneRequest {
  readonly url: string
  readonly ref?: string | undefined
  readonly sha?: string | undefined
  /** Only these folders are checked out, and with a filter only what they need is fetched. */
  readonly sparse?: readonly string[] | undefined
}

/**
 * What a repository may do to us: nothing. No hooks, no submodules, no helpers, no prompts, no redirects we did not
 * check.
 */
const SAFE_CONFIG = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.http.allow=always",
  "protocol.ssh.allow=always",
  "protocol.file.allow=always",
  "http.followRedirects=false",
  "submodule.recurse=false",
  "advice.detachedHead=false",
  "gc.auto=0",
].flatMap((pair) => ["-c", pair])

/** Clones into `to` and returns the commit that is checked out. */
export async function gitClone(request: CloneRequest, to: string, options: GitOptions): Promise<string> {
  const url = await vetted(request, options.policy)
  const sparse = request.sparse ?? []
  const wanted = request.sha ?? request.ref
  const shallow = request.sha === undefined ? ["--depth", "1"] : []
  const partial = sparse.length > 0 ? ["--filter=blob:none", "--sparse"] : []
  const branch =
    request.sha === undefined && request.ref !== undefined && !isCommit(request.ref) ? ["--branch", request.ref] : []
  await git(
    [
      "clone",
      "--progress",
      "--no-tags",
      "--template=",
      ...(isCommit(wanted) ? ["--no-checkout"] : shallow),
      ...partial,
      ...branch,
      "--",
      url,
      to,
    ],
    options,
    `Cloning ${label(request.url)}`,
  )
  if (sparse.length > 0)
    await git(["-C", to, "sparse-checkout", "set", "--no-cone", "--", ...sparse.map((path) => `/${path}/`)], options)
  if (isCommit(wanted)) await checkOutCommit(to, wanted, options)
  const commit = await gitHead(to, options)
  if (commit === undefined)
    throw new ChorusError("error_not_found", `${label(request.url)} has no commit on its default branch.`, {
      status: 404,
      next: "Name a branch that has one by #branch behind the address, or tell its owner.",
    })
  if (request.sha !== undefined && commit !== request.sha)
    throw new ChorusError("commit_mismatch", `${request.url} gave commit ${commit}, but ${request.sha} is pinned.`, {
      next: "Ask the marketplace's owner.",
    })
  return commit
}

/** Tags and branches of a repository, without cloning it: full ref name → commit. */
export async function gitRefs(url: string, options: GitOptions, pattern?: string): Promise<Map<string, string>> {
  const safe = await vetted({ url }, options.policy)
  const text = await git(["ls-remote", "--", safe, ...(pattern === undefined ? [] : [pattern])], options)
  const refs = new Map<string, string>()
  for (const line of text.split("\n")) {
    const [commit, name] = line.split("\t")
    if (commit === undefined || name === undefined) continue
    refs.set(name.replace(/\^\{\}$/, ""), commit)
  }
  return refs
}

/** The commit a folder stands at, or undefined when it is not in a repository. */
export async function gitHead(folder: string, options: GitOptions): Promise<string | undefined> {
  try {
    return (await git(["-C", folder, "rev-parse", "HEAD"], options)).trim()
  } catch (error) {
    if (error instanceof ChorusError && error.code !== "git_missing") return undefined
    throw error
  }
}

async function checkOutCommit(folder: string, commit: string, options: GitOptions): Promise<void> {
  try {
    await git(["-C", folder, "checkout", "--quiet", "--detach", commit], options)
  } catch {
    await git(["-C", folder, "fetch", "--quiet", "--no-tags", "origin", commit], options)
    await git(["-C", folder, "checkout", "--quiet", "--detach", commit], options)
  }
}

/** Refuses addresses git must not see, and follows redirects ourselves so that each hop is checked. */
async function vetted(request: CloneRequest, policy: NetworkPolicy): Promise<string> {
  const fault = gitUrlFault(request.url)
  if (fault !== undefined)
    throw new ChorusError("error_validation", `"${request.url}" is not an address git may be given: ${fault}.`, {
      next: "Use https, ssh, user@host:path or file:///….",
    })
  for (const ref of [request.ref, request.sha]) {
    const bad = ref === undefined ? undefined : refFault(ref)
    if (bad !== undefined)
      throw new ChorusError("error_validation", `"${String(ref)}" is not a branch, tag or commit: ${bad}.`, {
        next: "Correct the ref.",
      })
  }
  if (isScpForm(request.url)) return request.url
  const url = new URL(request.url)
  if (url.protocol === "file:") return request.url
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    if (policy.offline) throw unreachable(url, new Error("offline"))
    return request.url
  }
  await checkHost(url, policy)
  return afterRedirects(url, policy)
}

/** Where a renamed repository went. A server that wants a sign-in answers git itself; then the address stays. */
async function afterRedirects(url: URL, policy: NetworkPolicy): Promise<string> {
  const probe = new URL(url)
  probe.pathname = `${url.pathname.replace(/\/$/, "")}/info/refs`
  probe.search = "?service=git-upload-pack"
  const { response, url: final } = await httpGet(probe.href, policy)
  response.destroy()
  if (final.href === probe.href || !final.pathname.endsWith("/info/refs")) return url.href
  final.pathname = final.pathname.slice(0, -"/info/refs".length)
  final.search = ""
  return final.href
}

/** Runs git with nothing of a repository believed. */
export function git(args: readonly string[], options: GitOptions, what?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...SAFE_CONFIG, ...args], { env: gitEnv(), stdio: ["ignore", "pipe", "pipe"] })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")))
    child.stderr.on("data", (chunk: Buffer) => {
      const text = chunk.toString("utf8")
      err = (err + text).slice(-8_000)
      const percent = /(?:Receiving objects|Resolving deltas):\s+(\d+)%/.exec(text)?.[1]
      if (what !== undefined && percent !== undefined) options.progress?.({ what, done: Number(percent), total: 100 })
    })
    child.on("error", (error) =>
      reject(
        new ChorusError("git_missing", `git could not be started: ${error.message}.`, {
          status: 500,
          next: "Install git.",
          cause: error,
        }),
      ),
    )
    child.on("close", (code) => (code === 0 ? resolve(out) : reject(gitFault(args, err))))
  })
}

function gitEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("GIT_") || /^GIT_(SSH|SSH_COMMAND|ASKPASS|SSL_CAINFO)$/.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_OPTIONAL_LOCKS: "0",
    LC_ALL: "C",
  }
}

function gitFault(args: readonly string[], stderr: string): ChorusError {
  const lines = stderr.split(/[\r\n]+/).filter((line) => /fatal|error|remote:/i.test(line))
  const why = (lines.at(-1) ?? stderr.trim()).replace(/^(fatal|error): /, "").replace(/\.$/, "")
  if (
    /not found|does not exist|does not appear to be a git repository|couldn't find remote ref|Remote branch .* not found|unknown revision|not our ref|reference is not a tree|bad object/i.test(
      stderr,
    )
  ) {
    return new ChorusError("error_not_found", `git found nothing: ${why}.`, {
      status: 404,
      next: "Check the address and the ref.",
    })
  }
  if (/could not resolve host|unable to access|connection|timed out|could not read from remote/i.test(stderr))
    return new ChorusError("error_network", `git could not reach the repository: ${why}.`, {
      status: 503,
      next: "Check the connection and your access, and try again.",
    })
  const verb = args.find((arg, index) => !arg.startsWith("-") && !["-C", "-c"].includes(args[index - 1] ?? ""))
  const isNobody = /auto-detect email|empty ident|who you are|no email was given/i.test(stderr)
  return new ChorusError("git_failed", `git ${verb ?? ""} failed: ${why}.`, {
    status: 502,
    next: isNobody
      ? "Tell git who you are: git config --global user.name <name>, and the same for user.email."
      : "Try the same with git to see more.",
  })
}

function isCommit(ref: string | undefined): ref is string {
  return ref !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)
}

function label(url: string): string {
  return url
    .replace(/\/\/[^@/]*@/, "//")
    .replace(/\.git$/, "")
    .split("/")
    .slice(-2)
    .join("/")
}
