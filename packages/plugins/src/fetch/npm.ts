import { execFileSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { maxSatisfying, valid, validRange } from "semver"
import { isObject, type JsonObject, own, parseJson } from "../read/files.ts"
import { fileDigest } from "./archive.ts"
import { downloadFile, fetchText, type Progress } from "./download.ts"
import { trusting, type NetworkPolicy } from "./network.ts"
import { untar } from "./tarball.ts"

export const MAX_TARBALL = 256 * 1024 * 1024
const MAX_PACKUMENT = 64 * 1024 * 1024
const NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i

export interface NpmRequest {
  readonly package: string
  readonly version?: string | undefined
  readonly registry?: string | undefined
  /** The digest a lock holds; nothing else is accepted. */
  readonly integrity?: string | undefined
}

export interface NpmOptions {
  readonly policy: NetworkPolicy
  readonly downloads: string
  readonly env?: NodeJS.ProcessEnv
  readonly progress?: Progress | undefined
}

interface Promised {
  readonly tarball: string
  readonly integrity: string | undefined
  readonly shasum?: string | undefined
}

export interface NpmVersion extends Promised {
  readonly version: string
}

/** Fetches a package into `to` and says which. The tarball is only unpacked: no script of it runs, no dependency of it is installed. */
export async function npmFetch(
  request: NpmRequest,
  to: string,
  options: NpmOptions,
): Promise<{ version: string | undefined; integrity: string }> {
  const link = /^https?:\/\//.test(request.package) ? request.package : undefined
  const found = link === undefined ? await npmResolve(request, options) : undefined
  const tarball = link ?? found?.tarball ?? ""
  const policy = found === undefined ? options.policy : policyFor(request, options)
  const file = await downloadFile(tarball, options.downloads, {
    policy,
    maxBytes: MAX_TARBALL,
    progress: options.progress,
  })
  try {
    if (found !== undefined) await expectIntegrity(file, found)
    const integrity = `sha512-${await fileDigest(file, "sha512", "base64")}`
    if (request.integrity !== undefined) await expectIntegrity(file, { tarball, integrity: request.integrity })
    await untar(file, to, { strip: 1, gzip: true })
    return { version: found?.version, integrity }
  } finally {
    rmSync(file, { force: true })
  }
}

/** Which version a request means today. */
export async function npmResolve(request: NpmRequest, options: NpmOptions): Promise<NpmVersion> {
  const { name, range } = splitSpec(request)
  const registry = registryOf(request, options.env)
  const url = `${registry}/${name.replace("/", "%2f")}`
  const text = await fetchText(url, {
    policy: policyFor(request, options),
    maxBytes: MAX_PACKUMENT,
    timeoutMs: 30_000,
    headers: { accept: "application/vnd.npm.install-v1+json, application/json" },
  })
  const packument = parseJson(text).value
  const versions = isObject(packument) ? own(packument, "versions") : undefined
  if (!isObject(packument) || !isObject(versions))
    throw new ChorusError("error_network", `${url} is not a package of an npm registry.`, {
      status: 502,
      next: "Check the registry.",
    })
  const version = choose(packument, versions, range)
  const entry = version === undefined ? undefined : own(versions, version)
  const dist = isObject(entry) ? own(entry, "dist") : undefined
  if (version === undefined || !isObject(dist) || typeof dist["tarball"] !== "string")
    throw new ChorusError("error_not_found", `${name} has no version ${range ?? "latest"}.`, {
      status: 404,
      next: "Check the version in the marketplace.",
    })
  return {
    version,
    tarball: dist["tarball"],
    integrity: textOrNone(dist["integrity"]),
    shasum: textOrNone(dist["shasum"]),
  }
}

function choose(packument: JsonObject, versions: JsonObject, range: string | undefined): string | undefined {
  const tags = own(packument, "dist-tags")
  const tag = isObject(tags) ? own(tags, range ?? "latest") : undefined
  if (typeof tag === "string") return tag
  if (range === undefined || validRange(range) === null) return undefined
  if (valid(range) !== null && Object.hasOwn(versions, range)) return range
  return maxSatisfying(Object.keys(versions), range) ?? undefined
}

/** The name and range of a request; everything npm itself would read as git, a folder or an alias is refused. */
function splitSpec(request: NpmRequest): { name: string; range: string | undefined } {
  const at = request.package.indexOf("@", 1)
  const name = at === -1 ? request.package : request.package.slice(0, at)
  const range = request.version ?? (at === -1 ? undefined : request.package.slice(at + 1))
  if (NAME.test(name) && (range === undefined || /^[\w.^~<>=|*+ -]*$/.test(range)))
    return { name, range: range === "" ? undefined : range }
  throw new ChorusError(
    "error_policy",
    `"${request.package}" was not installed: an npm source names a package of a registry (name or name@version) or links to a tarball.`,
    { next: 'For a git repository use a "github", "url" or "git-subdir" source.' },
  )
}

/** Refuses a tarball that is not what its registry or lockfile promised. */
export async function expectIntegrity(file: string, found: Promised): Promise<void> {
  const strongest =
    found.integrity?.split(/\s+/).find((part) => part.startsWith("sha512-")) ?? found.integrity?.split(/\s+/)[0]
  const [algorithm, expected] =
    strongest === undefined
      ? ["sha1", found.shasum]
      : [strongest.slice(0, strongest.indexOf("-")), strongest.slice(strongest.indexOf("-") + 1)]
  if (expected === undefined || !["sha512", "sha384", "sha256", "sha1"].includes(algorithm ?? ""))
    throw new ChorusError("digest_missing", `There is no digest for ${found.tarball}.`, {
      next: "Do not install it; ask the registry's owner.",
    })
  const actual = await fileDigest(file, algorithm ?? "sha512", strongest === undefined ? "hex" : "base64")
  if (actual !== expected.split("?")[0])
    throw new ChorusError("digest_mismatch", `${found.tarball} is not what its digest promised.`, {
      next: "Do not install it; try again later.",
    })
}

/** A registry the person configured is trusted, wherever it is; one that a marketplace names is not. */
function policyFor(request: NpmRequest, options: NpmOptions): NetworkPolicy {
  return request.registry === undefined ? trusting(options.policy, registryOf(request, options.env)) : options.policy
}

export function registryOf(request: NpmRequest, env: NodeJS.ProcessEnv = process.env): string {
  return (request.registry ?? ownRegistry(env) ?? npmsOwn(env)).replace(/\/+$/, "")
}

/** The registry a person configured, or undefined when they left it at npm's. */
export function ownRegistry(env: NodeJS.ProcessEnv): string | undefined {
  return (env["npm_config_registry"] ?? env["NPM_CONFIG_REGISTRY"] ?? fromNpmrc(env))?.replace(/\/+$/, "")
}

function fromNpmrc(env: NodeJS.ProcessEnv): string | undefined {
  try {
    const text = readFileSync(env["npm_config_userconfig"] ?? join(env["HOME"] ?? "/", ".npmrc"), "utf8")
    return /^\s*registry\s*=\s*"?(https?:\/\/[^\s"]+)/m.exec(text)?.[1]
  } catch {
    return undefined
  }
}

/** Where npm itself would look, by its own word. */
function npmsOwn(env: NodeJS.ProcessEnv): string {
  try {
    return execFileSync("npm", ["config", "get", "registry"], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim()
  } catch (error) {
    throw new ChorusError("registry_unknown", "npm does not say which registry it uses.", {
      next: "Install npm, or name one: npm_config_registry=ADDRESS.",
      cause: error,
    })
  }
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}
