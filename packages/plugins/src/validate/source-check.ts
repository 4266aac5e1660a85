import { gitUrlFault, isLocalHost, refFault, repoFault } from "../fetch/index.ts"
import { isObject, type JsonObject, type JsonPath, own, typeName } from "../read/files.ts"
import type { FindingFile, Report } from "./report.ts"

export interface SourceFault {
  readonly path: JsonPath
  readonly message: string
  readonly fix?: string | undefined
}

export interface SourceRules {
  readonly pluginRoot?: unknown
  /** Hosts (with port) the person trusts although they are local. */
  readonly trustedHosts?: ReadonlySet<string>
}

/** Why a plugin source cannot be used, judged as the real program judges an entry. */
export function sourceFault(source: unknown, rules: SourceRules = {}): SourceFault | undefined {
  if (typeof source === "string") return relativeFault(source, rules.pluginRoot)
  if (!isObject(source)) return { path: [], message: `A source is a path or an object; got ${typeName(source)}.` }
  const kind = own(source, "source")
  if (kind === "pip")
    return {
      path: [],
      message: "pip is not a source of plugins: Python packages are not installed as plugins.",
      fix: "Publish the plugin in a git repository, to npm, or as an archive.",
    }
  if (kind === "github") return shaFault(source) ?? textFault(source, "repo")
  if (kind === "url") return shaFault(source) ?? textFault(source, "url")
  if (kind === "git-subdir") return shaFault(source) ?? textFault(source, "url") ?? subdirFault(source)
  if (kind === "npm") return npmFault(source)
  if (kind === "archive") return archiveFault(source, rules.trustedHosts)
  if (kind === "command") return commandFault(source)
  return {
    path: [],
    message: `Unknown kind of source: ${JSON.stringify(kind ?? source["type"] ?? null)}.`,
    fix: "Use a path, github, url, git-subdir, npm, archive or command.",
  }
}

export function isUnknownKind(source: unknown): boolean {
  return (
    isObject(source) &&
    !["github", "url", "git-subdir", "npm", "archive", "command", "pip"].includes(String(own(source, "source")))
  )
}

/** What the real validator passes and the install then refuses. */
export function checkSourceBeyond(report: Report, file: FindingFile, path: JsonPath, source: unknown): void {
  if (!isObject(source)) return
  const url = own(source, "url")
  const kind = source["source"]
  const gitUrl = kind === "url" || (kind === "git-subdir" && !/^[\w.-]+\/[\w.-]+$/.test(String(url))) ? url : undefined
  const urlFault = typeof gitUrl === "string" ? gitUrlFault(gitUrl) : undefined
  if (urlFault !== undefined)
    report.warning(file, {
      code: "source_url_refused",
      path: [...path, "url"],
      message: `Nothing can be installed from this address: ${urlFault}.`,
      fix: "Use https, ssh or user@host:path.",
    })
  const ref = own(source, "ref")
  const badRef = typeof ref === "string" ? refFault(ref) : undefined
  if (badRef !== undefined)
    report.warning(file, {
      code: "source_ref_refused",
      path: [...path, "ref"],
      message: `Nothing can be installed from this ref: ${badRef}.`,
    })
  if (own(source, "package") === "")
    report.warning(file, {
      code: "source_package_empty",
      path: [...path, "package"],
      message: "Nothing can be installed from a package without a name.",
    })
  const repo = own(source, "repo")
  const badRepo = kind === "github" && typeof repo === "string" ? repoFault(repo) : undefined
  if (badRepo !== undefined)
    report.note(file, {
      code: "source_repo_refused",
      path: [...path, "repo"],
      message: `Nothing can be installed from "${String(repo)}": ${badRepo}.`,
      fix: "Write owner/repo.",
    })
  for (const key of ["branch", "commit", "tag"])
    if (Object.hasOwn(source, key))
      report.note(file, {
        code: "source_key_unread",
        path: [...path, key],
        message: `"${key}" is not read.`,
        fix: key === "commit" ? 'Use "sha".' : 'Use "ref".',
      })
}

function relativeFault(path: string, pluginRoot: unknown): SourceFault | undefined {
  if (path === ".") return undefined
  if (path.split(/[\\/]/).includes(".."))
    return {
      path: [],
      message: `"${path}" contains "..": sources are resolved from the marketplace's folder, the one that holds .claude-plugin/.`,
    }
  if (path.startsWith("./")) return undefined
  const isBare = /^[A-Za-z0-9][\w.-]*$/.test(path)
  if (
    isBare &&
    typeof pluginRoot === "string" &&
    !pluginRoot.startsWith("/") &&
    !pluginRoot.split(/[\\/]/).includes("..")
  )
    return undefined
  return {
    path: [],
    message: `"${path}" must start with "./".`,
    fix: isBare ? `Write "./${path}", or set metadata.pluginRoot.` : undefined,
  }
}

function textFault(source: JsonObject, key: string): SourceFault | undefined {
  const value = own(source, key)
  if (typeof value !== "string") return { path: [], message: `A ${String(source["source"])} source needs "${key}".` }
  const ref = own(source, "ref")
  return ref === undefined || typeof ref === "string" ? undefined : { path: ["ref"], message: "ref must be text." }
}

function shaFault(source: JsonObject): SourceFault | undefined {
  const sha = own(source, "sha")
  if (sha === undefined || (typeof sha === "string" && /^[0-9a-f]{40}$/.test(sha))) return undefined
  return { path: ["sha"], message: "sha must be the full commit: 40 lower-case hexadecimal digits." }
}

function subdirFault(source: JsonObject): SourceFault | undefined {
  const path = own(source, "path")
  if (typeof path !== "string") return { path: [], message: 'A git-subdir source needs "path".' }
  if (path === "") return { path: ["path"], message: "The path is empty." }
  return path.split(/[\\/]/).includes("..") ? { path: ["path"], message: `"${path}" contains "..".` } : undefined
}

function npmFault(source: JsonObject): SourceFault | undefined {
  const name = own(source, "package")
  if (typeof name !== "string") return { path: [], message: 'An npm source needs "package".' }
  if (name.split("/").includes("..")) return { path: [], message: `"${name}" contains "..".` }
  const version = own(source, "version")
  if (version !== undefined && typeof version !== "string")
    return { path: ["version"], message: "version must be text." }
  const registry = own(source, "registry")
  if (registry === undefined) return undefined
  return typeof registry === "string" && /^https?:\/\//.test(registry) && URL.canParse(registry)
    ? undefined
    : { path: ["registry"], message: "registry must be an http or https URL." }
}

function archiveFault(source: JsonObject, trusted: ReadonlySet<string> | undefined): SourceFault | undefined {
  const url = own(source, "url")
  if (typeof url !== "string") return { path: [], message: 'An archive source needs "url".' }
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isTrusted = parsed !== undefined && trusted?.has(parsed.host) === true && /^https?:$/.test(parsed.protocol)
  if (!isTrusted && (parsed?.protocol !== "https:" || isLocalHost(parsed.hostname)))
    return {
      path: ["url"],
      message: "An archive comes over https, and not from this machine, its link or a metadata service.",
    }
  const digest = own(source, "sha256")
  return digest === undefined || (typeof digest === "string" && /^[0-9a-fA-F]{64}$/.test(digest))
    ? undefined
    : { path: ["sha256"], message: "sha256 must be 64 hexadecimal digits." }
}

function commandFault(source: JsonObject): SourceFault | undefined {
  const command = own(source, "command")
  if (typeof command !== "string" || command === "") return { path: [], message: 'A command source needs "command".' }
  if (command.length > 500)
    return { path: ["command"], message: "The command is longer than can be shown when asking for consent (500)." }
  if (!/^[\x20-\x7E]+$/.test(command) || command.includes("    "))
    return {
      path: ["command"],
      message: "The command must be printable ASCII without runs of four spaces, so that it can be shown as it is.",
    }
  const timeout = own(source, "timeout")
  if (timeout !== undefined && !(Number.isInteger(timeout) && Number(timeout) >= 1 && Number(timeout) <= 600))
    return { path: ["timeout"], message: "timeout is a whole number of seconds, 1 to 600." }
  const mode = own(source, "mode")
  return mode === undefined || mode === "copy" || mode === "link"
    ? undefined
    : { path: ["mode"], message: 'mode is "copy" or "link".' }
}
