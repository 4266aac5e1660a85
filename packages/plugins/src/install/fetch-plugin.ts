import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError, type PluginPin } from "@chorus/contracts"
import { maxSatisfying, satisfies, valid } from "semver"
import { downloadsFolder, type PluginContext } from "../context.ts"
import {
  copyTree,
  downloadFile,
  entryNameFault,
  expectDigest,
  gitClone,
  gitHead,
  githubUrl,
  gitRefs,
  liftSingleFolder,
  npmFetch,
  repoFault,
  stripUnhashed,
  unpack,
  vetTree,
} from "../fetch/index.ts"
import type { Catalogue, CatalogueEntry } from "../marketplace/catalogue.ts"
import { isInPlace } from "../marketplace/registry.ts"
import { isObject, isStringMap, type JsonObject, kindInside, own, sourceFolder } from "../read/index.ts"
import { readKnown } from "../state/index.ts"
import { runProducer } from "./command-source.ts"

const MAX_ARCHIVE = 256 * 1024 * 1024
const STEERING = /^(host|cookie|x-forwarded-.*)$/i

export type FetchFrom = NonNullable<PluginPin["fetchFrom"]>

/** What a fetch tells beyond the files. */
export interface Fetched {
  readonly commit?: string | undefined
  readonly archiveDigest?: string | undefined
  readonly producer?: string | undefined
  /** Where exactly these bytes can be had again; undefined for what only this machine has. */
  readonly from?: FetchFrom | undefined
  /** Where the plugin is run from instead of the cache: it lies in a folder on this machine. */
  readonly inPlace?: string | undefined
}

/** Brings a plugin into `to`, which does not exist yet. Whatever it came from, it is vetted before anybody reads it. */
export async function fetchPlugin(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  to: string,
  tag?: TagChoice,
  locked?: FetchFrom,
): Promise<Fetched> {
  const fetched = await bring(context, catalogue, entry, to, tag, locked)
  stripUnhashed(to)
  vetTree(to)
  return fetched
}

async function bring(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  to: string,
  tag: TagChoice | undefined,
  locked: FetchFrom | undefined,
): Promise<Fetched> {
  const source = locked ?? entry.source
  if (typeof source === "string") return relative(context, catalogue, entry, source, to, tag)
  if (!isObject(source))
    throw new ChorusError("error_validation", `The entry "${entry.name}" has no source.`, {
      next: "Tell the marketplace's owner.",
    })
  const git = { policy: context.network, progress: context.progress }
  const ref = tag?.ref ?? text(source, "ref")
  const sha = tag === undefined ? text(source, "sha") : undefined
  if (source["source"] === "github" || source["source"] === "url") {
    const url = source["source"] === "github" ? repositoryUrl(String(source["repo"])) : String(source["url"])
    const commit = await gitClone({ url, ref, sha }, to, git)
    return { commit, from: { source: "url", url, sha: commit } }
  }
  if (source["source"] === "git-subdir") return subdirectory(context, source, to, ref, sha)
  if (source["source"] === "marketplace") return fromMarketplace(context, source, to, sha)
  if (source["source"] === "archive") return archive(context, entry, source, to)
  if (source["source"] === "command") {
    const producer = await runProducer(source, catalogue.root)
    copyTree(producer, to)
    return { producer }
  }
  const request = {
    package: String(source["package"]),
    version: text(source, "version"),
    registry: text(source, "registry"),
    integrity: text(source, "integrity"),
  }
  const { version, integrity } = await npmFetch(request, to, {
    policy: context.network,
    downloads: downloadsFolder(context),
    env: context.env,
    progress: context.progress,
  })
  const { package: name, registry } = request
  return { from: { source: "npm", package: name, ...given({ version, registry }), integrity } }
}

async function relative(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  source: string,
  to: string,
  tag: TagChoice | undefined,
): Promise<Fetched> {
  const folder = sourceFolder(source, catalogue.pluginRoot)
  if (tag !== undefined)
    return subdirectory(context, { url: tag.repository, path: join(folder) }, to, tag.ref, undefined)
  if (folder.includes("\\"))
    throw new ChorusError("error_validation", `The source of "${entry.name}" contains a backslash.`, {
      next: "Tell the marketplace's owner.",
    })
  const kind = kindInside(catalogue.root, folder)
  if (kind !== "directory")
    throw new ChorusError(
      "error_not_found",
      kind === "escapes"
        ? `The source of "${entry.name}" leads out of its marketplace.`
        : `The folder ${folder} of "${entry.name}" is not in the marketplace, whose folders start at ${catalogue.root}.`,
      { status: 404, next: "Tell the marketplace's owner." },
    )
  copyTree(join(catalogue.root, folder), to, catalogue.root)
  const known = readKnown(context.home).get(catalogue.name)?.source
  if (known !== undefined && isInPlace(known)) return { inPlace: join(catalogue.root, folder) }
  const commit = await gitHead(catalogue.root, { policy: context.network })
  const url = known?.source === "github" ? githubUrl(known.repo) : known?.source === "git" ? known.url : undefined
  const from =
    commit === undefined || url === undefined ? undefined : { source: "marketplace", url, path: folder, sha: commit }
  return { commit, from }
}

/** A plugin out of its marketplace as it was at a commit; it may share folders of the marketplace by links. */
async function fromMarketplace(
  context: PluginContext,
  source: JsonObject,
  to: string,
  sha: string | undefined,
): Promise<Fetched> {
  const whole = `${to}.clone`
  const [url, path] = [String(source["url"]), String(source["path"])]
  try {
    const commit = await gitClone({ url, sha }, whole, { policy: context.network, progress: context.progress })
    if (kindInside(whole, path) !== "directory") throw noFolder(path, url)
    copyTree(join(whole, path), to, whole)
    return { commit, from: { source: "marketplace", url, path, sha: commit } }
  } finally {
    rmSync(whole, { recursive: true, force: true })
  }
}

async function subdirectory(
  context: PluginContext,
  source: JsonObject,
  to: string,
  ref: string | undefined,
  sha: string | undefined,
): Promise<Fetched> {
  const path = join(String(source["path"])).replace(/\/$/, "")
  const url = /^[\w.-]+\/[\w.-]+$/.test(String(source["url"]))
    ? repositoryUrl(String(source["url"]))
    : String(source["url"])
  const fault = path.startsWith("-") ? "it reads as an option" : entryNameFault(path)
  if (fault !== undefined)
    throw new ChorusError("error_validation", `"${path}" is not a folder of the repository: ${fault}.`, {
      next: "Tell the marketplace's owner.",
    })
  const whole = `${to}.clone`
  try {
    const commit = await gitClone({ url, ref, sha, ...(path === "." ? {} : { sparse: [path] }) }, whole, {
      policy: context.network,
      progress: context.progress,
    })
    const kind = kindInside(whole, path)
    if (kind !== "directory") throw noFolder(path, url, kind === "escapes" ? " (it leads out of the repository)" : "")
    renameSync(join(whole, path), to)
    return { commit, from: { source: "git-subdir", url, path, sha: commit } }
  } finally {
    rmSync(whole, { recursive: true, force: true })
  }
}

async function archive(
  context: PluginContext,
  entry: CatalogueEntry,
  source: JsonObject,
  to: string,
): Promise<Fetched> {
  if (own(entry.data, "headersHelper") !== undefined)
    throw new ChorusError(
      "command_source_refused",
      `"${entry.name}" wants to run a command to sign in to its download; Chorus does not run it.`,
      { status: 403, next: 'Ask the marketplace\'s owner for plain "headers".' },
    )
  const url = String(source["url"])
  const given = own(entry.data, "headers")
  const headers = isStringMap(given)
    ? Object.fromEntries(Object.entries(given).filter(([name]) => !STEERING.test(name)))
    : undefined
  const file = await downloadFile(url, downloadsFolder(context), {
    policy: context.network,
    maxBytes: MAX_ARCHIVE,
    headers,
    progress: context.progress,
  })
  try {
    const archiveDigest = await expectDigest(file, text(source, "sha256"), url)
    await unpack(file, to)
    liftSingleFolder(to)
    return { archiveDigest, from: { source: "archive", url, sha256: archiveDigest } }
  } finally {
    rmSync(file, { force: true })
  }
}

function noFolder(path: string, url: string, why = ""): ChorusError {
  return new ChorusError("error_not_found", `There is no folder "${path}" in ${url}${why}.`, {
    status: 404,
    next: "Tell the marketplace's owner.",
  })
}

function repositoryUrl(repo: string): string {
  const fault = repoFault(repo)
  if (fault !== undefined)
    throw new ChorusError("error_validation", `"${repo}" is not a GitHub repository: ${fault}.`, {
      next: "Tell the marketplace's owner.",
    })
  return githubUrl(repo)
}

function given(texts: Readonly<Record<string, string | undefined>>): FetchFrom {
  return Object.fromEntries(Object.entries(texts).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

function text(source: JsonObject, key: string): string | undefined {
  const value = own(source, key)
  return typeof value === "string" ? value : undefined
}

export interface TagChoice {
  readonly version: string
  readonly ref: string
  readonly commit: string
  readonly repository: string
}

/**
 * The highest released version of a dependency that satisfies every range, by the tags `<name>--v<version>` of its
 * repository. Undefined when its source knows no tags: then the version is compared when it loads.
 */
export async function chooseTag(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  ranges: readonly string[],
): Promise<TagChoice | undefined> {
  const repository = await repositoryOf(context, catalogue, entry)
  if (repository === undefined) return undefined
  const refs = await gitRefs(repository.url, { policy: context.network }, `refs/tags/${entry.name}--v*`)
  const versions = new Map(
    [...refs].flatMap(([name, commit]) => {
      const version = name.replace(`refs/tags/${entry.name}--v`, "")
      return valid(version) === null ? [] : [[version, { ref: name.replace("refs/tags/", ""), commit }] as const]
    }),
  )
  const fitting = [...versions.keys()].filter((version) => ranges.every((range) => satisfies(version, range)))
  const best = maxSatisfying(fitting, "*", { includePrerelease: true })
  const found = best === null ? undefined : versions.get(best)
  if (best !== null && found !== undefined) return { version: best, ...found, repository: repository.url }
  if (versions.size === 0 && !repository.own) return undefined
  throw conflict(`${entry.name}@${catalogue.name}`, ranges)
}

export function conflict(id: string, ranges: readonly string[]): ChorusError {
  const several = new Set(ranges).size > 1
  const message = several
    ? `"${id}" has conflicting version requirements (no version satisfies all of: ${[...new Set(ranges)].sort().join(", ")}).`
    : `No released version of "${id}" satisfies ${ranges.join(", ")}.`
  return new ChorusError("dependency_version_conflict", message, {
    status: 409,
    next: "Update or remove one of the plugins that need it.",
  })
}

async function repositoryOf(
  context: PluginContext,
  catalogue: Catalogue,
  entry: CatalogueEntry,
): Promise<{ url: string; own: boolean } | undefined> {
  const { source } = entry
  if (isObject(source)) {
    if (source["source"] === "github") return { url: githubUrl(String(source["repo"])), own: true }
    if (source["source"] === "url") return { url: String(source["url"]), own: true }
    if (source["source"] !== "git-subdir") return undefined
    const url = String(source["url"])
    return { url: /^[\w.-]+\/[\w.-]+$/.test(url) ? githubUrl(url) : url, own: true }
  }
  const known = readKnown(context.home).get(catalogue.name)?.source
  if (known?.source === "github") return { url: githubUrl(known.repo), own: false }
  if (known?.source === "git") return { url: known.url, own: false }
  const inRepository =
    known?.source === "directory" && (await gitHead(known.path, { policy: context.network })) !== undefined
  return inRepository ? { url: `file://${known.path}`, own: false } : undefined
}
