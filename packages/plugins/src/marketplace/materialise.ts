import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { ChorusError, type MarketplaceSource } from "@chorus/contracts"
import { downloadsFolder, type PluginContext } from "../context.ts"
import {
  downloadFile,
  entryNameFault,
  expectDigest,
  fetchText,
  gitClone,
  gitHead,
  githubUrl,
  liftSingleFolder,
  listTree,
  npmFetch,
  repoFault,
  trusting,
  unpack,
  vetTree,
} from "../fetch/index.ts"
import { isObject, kindInside, parseJson, stringField } from "../read/index.ts"
import { readJsonFile } from "../state/index.ts"
import { CATALOGUE_FILE, catalogueOf, readCatalogue, withoutFolders, type Catalogue } from "./catalogue.ts"
import { describeSource } from "./source.ts"

const MAX_CATALOGUE = 5 * 1024 * 1024
const MAX_ARCHIVE = 256 * 1024 * 1024

/**
 * Brings a marketplace, or the version of it that is named, into `stage` and reads its catalogue there. Local ones are
 * read where they lie.
 */
export async function materialise(
  context: PluginContext,
  source: MarketplaceSource,
  stage: string,
  version?: string,
): Promise<Catalogue> {
  if (source.source === "directory" || source.source === "file")
    return readCatalogue(source.path, context.network.trusted)
  if (source.source === "settings") return inlineCatalogue(context, source)
  await bring(context, source, stage, version)
  // Plugins of a repository are copied before anything reads them, and a copy refuses links that lead out.
  if (source.source === "git" || source.source === "github") listTree(stage)
  else vetTree(stage)
  return readFetched(context, source, stage)
}

/**
 * The state of a marketplace that was fetched into `root`, by which it can be fetched again: a commit or an npm
 * version.
 */
export async function fetchedVersion(
  context: PluginContext,
  source: MarketplaceSource,
  root: string,
): Promise<string | undefined> {
  if (source.source === "npm") return stringField(readJsonFile(join(root, "package.json")), "version")
  return source.source === "git" || source.source === "github" ? gitHead(root, { policy: context.network }) : undefined
}

/** The catalogue of a marketplace that was fetched into `root`; no link may lead it elsewhere. */
export function readFetched(context: PluginContext, source: MarketplaceSource, root: string): Catalogue {
  const location = catalogueLocation(source, root)
  for (const path of [location, join(location, CATALOGUE_FILE)])
    if (existsSync(path) && kindInside(root, relative(root, path)) === "escapes")
      throw new ChorusError(
        "content_refused",
        `The catalogue of ${describeSource(source)} is a link that leads out of it.`,
        {
          next: "Tell its owner; do not add it.",
        },
      )
  return readCatalogue(location, context.network.trusted, describeSource(source))
}

/** Where the catalogue lies in a fetched marketplace; `path` names another place than the usual one. */
export function catalogueLocation(source: MarketplaceSource, root: string): string {
  if ((source.source !== "git" && source.source !== "github") || source.path === undefined) return root
  if (entryNameFault(source.path) !== undefined)
    throw new ChorusError("invalid_source", `"${source.path}" leads out of the repository.`, {
      next: "Correct the path.",
    })
  return join(root, source.path)
}

async function bring(
  context: PluginContext,
  source: MarketplaceSource,
  stage: string,
  version: string | undefined,
): Promise<void> {
  if (source.source === "github" || source.source === "git") {
    const fault = source.source === "github" ? repoFault(source.repo) : undefined
    if (fault !== undefined)
      throw new ChorusError("invalid_source", `"${source.source === "github" ? source.repo : ""}": ${fault}.`, {
        next: "Write owner/repo.",
      })
    const url = source.source === "github" ? githubUrl(source.repo) : source.url
    const policy = trusting(context.network, url)
    const request = { url, ref: source.ref, sha: version, sparse: sparsePaths(source) }
    await gitClone(request, stage, { policy, progress: context.progress })
    return
  }
  if (source.source === "npm") {
    await npmFetch(version === undefined ? source : { ...source, version }, stage, {
      policy: context.network,
      downloads: downloadsFolder(context),
      env: context.env,
      progress: context.progress,
    })
    return
  }
  if (source.source === "url") {
    const text = await fetchText(source.url, {
      policy: trusting(context.network, source.url),
      maxBytes: MAX_CATALOGUE,
      headers: source.headers,
    })
    const file = join(stage, CATALOGUE_FILE)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return
  }
  if (source.source !== "archive") return
  const file = await downloadFile(source.url, downloadsFolder(context), {
    policy: trusting(context.network, source.url),
    maxBytes: MAX_ARCHIVE,
    progress: context.progress,
  })
  try {
    await expectDigest(file, source.sha256, source.url)
    await unpack(file, stage)
    liftSingleFolder(stage)
  } finally {
    rmSync(file, { force: true })
  }
}

function sparsePaths(source: { readonly sparsePaths?: string[] | undefined }): string[] | undefined {
  for (const path of source.sparsePaths ?? [])
    if (entryNameFault(path) !== undefined || path.startsWith("-"))
      throw new ChorusError("invalid_source", `"${path}" is not a folder of the repository.`, {
        next: "Correct the sparse paths.",
      })
  return source.sparsePaths
}

/** The catalogue of a marketplace that is written out in settings. */
export function inlineCatalogue(
  context: PluginContext,
  source: Extract<MarketplaceSource, { source: "settings" }>,
): Catalogue {
  const value = parseJson(
    JSON.stringify({
      name: source.name ?? "inline-marketplace",
      owner: isObject(source.owner) ? source.owner : { name: "settings" },
      plugins: source.plugins,
    }),
  ).value
  return withoutFolders(
    catalogueOf(isObject(value) ? value : {}, context.home.config, "settings", context.network.trusted),
    "a marketplace inside settings has no folders",
  )
}
