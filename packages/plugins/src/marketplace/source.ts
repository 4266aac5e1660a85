import { statSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { ChorusError, type MarketplaceSource } from "@chorus/contracts"
import { gitUrlFault, isScpForm, refFault, repoFault } from "../fetch/index.ts"

/** Reads what a person typed after `marketplace add`: a folder, a file, owner/repo, a git address, an npm package or a link. */
export function parseMarketplaceSource(text: string, cwd: string = process.cwd()): MarketplaceSource {
  const local = localSource(text, cwd)
  if (local !== undefined) return local
  const [address, ref] = splitRef(text)
  if (ref !== undefined && refFault(ref) !== undefined)
    throw invalidSource(text, `"${ref}" is not a branch, tag or commit: ${refFault(ref)}`)
  const extra = ref === undefined ? {} : { ref }
  if (text.startsWith("npm:")) return npmSource(text.slice(4))
  if (/^https?:\/\//.test(address)) return linkSource(address, extra)
  if (isScpForm(address) || /^(ssh|git\+ssh|ssh\+git|file):\/\//.test(address)) {
    const fault = gitUrlFault(address)
    if (fault !== undefined) throw invalidSource(text, fault)
    return { source: "git", url: address, ...extra }
  }
  if (/^[\w.-]+\/[\w.-]+$/.test(address)) {
    const fault = repoFault(address)
    if (fault !== undefined) throw invalidSource(text, fault)
    return { source: "github", repo: address, ...extra }
  }
  throw invalidSource(text, gitUrlFault(address) ?? "nothing like it is known")
}

function localSource(text: string, cwd: string): MarketplaceSource | undefined {
  const typed = text === "~" || text.startsWith("~/") ? join(homedir(), text.slice(1)) : text
  if (!/^(\.{1,2}(\/|$)|\/|[A-Za-z]:\\)/.test(typed)) return undefined
  const path = resolve(cwd, typed)
  try {
    if (statSync(path).isDirectory()) return { source: "directory", path }
  } catch {
    throw new ChorusError("invalid_source", `There is nothing at ${path}.`, { status: 404, next: "Check the path." })
  }
  if (!path.endsWith(".json")) throw invalidSource(text, "a file must be a marketplace.json")
  return { source: "file", path }
}

function linkSource(address: string, extra: { ref?: string }): MarketplaceSource {
  if (!URL.canParse(address)) throw invalidSource(address, "it is not a URL")
  const { hostname, pathname } = new URL(address)
  const isForge = /^(www\.)?(github|gitlab)\.com$/.test(hostname) && /^\/[^/]+\/[^/]+\/?$/.test(pathname)
  if (pathname.endsWith(".git") || pathname.includes("/_git/") || isForge)
    return { source: "git", url: address, ...extra }
  if (/\.(zip|tar|tar\.gz|tgz)$/.test(pathname)) return { source: "archive", url: address }
  return { source: "url", url: address }
}

function npmSource(spec: string): MarketplaceSource {
  const at = spec.indexOf("@", 1)
  return at === -1
    ? { source: "npm", package: spec }
    : { source: "npm", package: spec.slice(0, at), version: spec.slice(at + 1) }
}

/** `#ref` for every address, `@ref` for owner/repo. */
function splitRef(text: string): [string, string | undefined] {
  const hash = text.indexOf("#")
  if (hash > 0) return [text.slice(0, hash), text.slice(hash + 1)]
  const short = /^([\w.-]+\/[\w.-]+)@([^@]+)$/.exec(text)
  return short?.[1] === undefined ? [text, undefined] : [short[1], short[2]]
}

/** How a source is shown to people. */
export function describeSource(source: MarketplaceSource): string {
  if (source.source === "directory" || source.source === "file") return source.path
  if (source.source === "github" || source.source === "git")
    return (source.source === "github" ? source.repo : source.url) + (source.ref === undefined ? "" : `#${source.ref}`)
  if (source.source === "npm") return `npm:${source.package}${source.version === undefined ? "" : `@${source.version}`}`
  if (source.source === "settings") return "inline in settings"
  return source.url
}

function invalidSource(text: string, why: string): ChorusError {
  return new ChorusError("invalid_source", `"${text}" is not a marketplace: ${why}.`, {
    next: "Give owner/repo, a git address, a link to a marketplace.json or archive, npm:<package>, or a path starting with ./ or /.",
  })
}
