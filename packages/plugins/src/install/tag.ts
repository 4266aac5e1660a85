import { ChorusError } from "@chorus/contracts"
import { maxSatisfying, satisfies, valid } from "semver"
import type { PluginContext } from "../context.ts"
import { gitHead, gitRefs } from "../fetch/git.ts"
import { githubUrl } from "../fetch/git-url.ts"
import type { Catalogue, CatalogueEntry } from "../marketplace/catalogue.ts"
import { readKnown } from "../state/records.ts"
import { isObject } from "../read/json.ts"

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
