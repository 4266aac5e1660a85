import { createHash } from "node:crypto"
import { isObject } from "../read/index.ts"

interface VersionFacts {
  readonly source: unknown
  readonly manifestVersion: string | undefined
  readonly commit?: string | undefined
  readonly archiveDigest?: string | undefined
  readonly contentHash: string
  /** The version of the tag a dependency was resolved to. */
  readonly tagVersion?: string | undefined
}

/** The version a plugin is installed as; an update happens when this text changes. */
export function versionOf(facts: VersionFacts): string {
  const kind = isObject(facts.source) ? facts.source["source"] : "relative"
  const commit = facts.commit?.slice(0, 12)
  if (facts.tagVersion !== undefined && commit !== undefined) return `${facts.tagVersion}-${commit}`
  if (kind === "command") {
    const hash = facts.contentHash.replace("sha256-", "").slice(0, 12)
    return facts.manifestVersion === undefined ? hash : `${facts.manifestVersion}-${hash}`
  }
  if (facts.manifestVersion !== undefined) return facts.manifestVersion
  if (kind === "git-subdir" && commit !== undefined && isObject(facts.source))
    return `${commit}-${pathHash(String(facts.source["path"]))}`
  if (kind === "archive" && facts.archiveDigest !== undefined) return facts.archiveDigest.slice(0, 12)
  return commit ?? "unknown"
}

/** Tells apart two plugins from one commit of one repository. */
export function pathHash(path: string): string {
  return createHash("sha256").update(path.replace(/^\.\//, "").replace(/\/+$/, "")).digest("hex").slice(0, 8)
}
