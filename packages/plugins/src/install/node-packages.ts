import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { valid } from "semver"
import { downloadsFolder, type PluginContext } from "../context.ts"
import {
  downloadFile,
  expectIntegrity,
  isLocalHost,
  listTree,
  MAX_TARBALL,
  ownRegistry,
  registryOf,
  trusting,
  untar,
} from "../fetch/index.ts"
import {
  isObject,
  isStringArray,
  isStringMap,
  type JsonObject,
  kindInside,
  own,
  parseJson,
  readText,
} from "../read/index.ts"
import { hasNodeLockfile, LOCKFILES } from "./node-lockfile.ts"

const MAX_LOCKFILE = 32 * 1024 * 1024
const MAX_PACKAGES = 5_000
const TIMEOUT_MS = 120_000
const AT_ONCE = 8
const NAME = "(?:@[\\w.~-]+/)?[\\w~-][\\w.~-]*"
const WHOLE_NAME = new RegExp(`^${NAME}$`)
const PLACE = new RegExp(`^(?:.+/)?node_modules/(${NAME})$`)
const PLACES = new RegExp(`^node_modules/${NAME}(?:/node_modules/${NAME})*$`)
/** Programs that scripts start by name: no package may stand in for one. */
const NEVER_LINKED =
  /^(node|npm|npx|corepack|git|ssh|sh|bash|dash|zsh|fish|env|sudo|python\d*|curl|wget|claude|chorus)$/

interface LockedPackage {
  /** Where it goes below the plugin's folder. */
  readonly path: string
  readonly name: string
  /** Undefined where the lockfile leaves that to the registry, as npm can be told to write it. */
  readonly url: string | undefined
  readonly integrity: string
  readonly entry: JsonObject
}

/** What a lockfile brings, or why it cannot be honoured. */
interface PackagePlan {
  readonly fault?: string
  readonly packages: readonly LockedPackage[]
  /** Folders of the plugin itself that its packages are linked to: place → folder. */
  readonly links: ReadonlyMap<string, string>
}

/** What happens with a plugin's packages, for whoever agrees to it or writes it; undefined when it names none. */
export function describePackages(
  folder: string,
): { installs: string; local: readonly string[] } | { fault: string } | undefined {
  if (!hasNodeLockfile(folder)) return undefined
  const { fault, packages } = planPackages(folder)
  if (fault !== undefined) return { fault }
  if (packages.length === 0) return undefined
  const hosts = [
    ...new Set(packages.map(({ url }) => (url === undefined ? "your npm registry" : new URL(url).host))),
  ].sort()
  const scripted = packages.filter(({ entry }) => entry["hasInstallScript"] === true).map(({ name }) => name)
  return {
    local: hosts.filter((host) => isLocalHost(host.replace(/:\d+$/, ""))),
    installs:
      `installs ${packages.length} npm ${packages.length === 1 ? "package" : "packages"} of its lockfile from ${hosts.join(", ")}, by their digests and ` +
      `without their scripts${scripted.length === 0 ? "" : ` (not run: those of ${scripted.join(", ")})`}`,
  }
}

/**
 * Installs what the lockfile names, all of it or nothing. No package manager runs, so nothing the plugin brings
 * (.npmrc, .yarnrc, bunfig, scripts) is read or run: each package is fetched past the address guard, compared with its
 * digest and unpacked. Returns a note when that did not work; the plugin stays.
 */
export async function installNodePackages(context: PluginContext, folder: string): Promise<string | undefined> {
  if (!hasNodeLockfile(folder) || existsSync(join(folder, "node_modules"))) return undefined
  const plan = planPackages(folder)
  const stage = `${folder}.packages`
  try {
    if (plan.fault !== undefined) return `Its Node packages were not installed: ${plan.fault}.`
    if (plan.packages.length === 0 && plan.links.size === 0) return undefined
    mkdirSync(join(stage, "node_modules"), { recursive: true })
    await fetchAll(context, plan.packages, stage)
    for (const [place, target] of plan.links) {
      mkdirSync(dirname(join(stage, place)), { recursive: true })
      symlinkSync(relative(dirname(place), target), join(stage, place))
    }
    for (const one of plan.packages) linkPrograms(one, stage)
    listTree(stage)
    renameSync(join(stage, "node_modules"), join(folder, "node_modules"))
    return undefined
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    return `Its Node packages were not installed: ${error.message} ${error.next ?? ""}`.trim()
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

function planPackages(folder: string): PackagePlan {
  try {
    return readPlan(folder)
  } catch (error) {
    if (!(error instanceof ChorusError)) throw error
    return { fault: error.message.replace(/\.$/, ""), packages: [], links: new Map() }
  }
}

function readPlan(folder: string): PackagePlan {
  const lock = jsonIn(folder, LOCKFILES.find((name) => existsSync(join(folder, name))) ?? "")
  const listed = own(lock, "packages")
  if (!isObject(listed)) throw cannot("its lockfile is of a version before npm 7")
  const entries = Object.entries(listed).filter(([path]) => path !== "")
  if (entries.length > MAX_PACKAGES) throw cannot(`its lockfile names more than ${MAX_PACKAGES} packages`)
  const packages: LockedPackage[] = []
  const links = new Map<string, string>()
  for (const [path, entry] of entries) {
    if (!isObject(entry)) throw cannot(`its lockfile says nothing of ${path}`)
    if (entry["dev"] === true || entry["inBundle"] === true) continue
    if (entry["link"] === true) links.set(checkedPlace(path), checkedFolder(folder, path, entry))
    else if (path.includes("node_modules") || own(entry, "resolved") !== undefined)
      packages.push(lockedPackage(checkedPlace(path), entry))
  }
  const wanted = own(jsonIn(folder, "package.json"), "dependencies")
  const missing = Object.keys(isObject(wanted) ? wanted : {}).find(
    (name) => !Object.hasOwn(listed, `node_modules/${name}`),
  )
  if (missing !== undefined) throw cannot(`its lockfile does not name ${missing}, which its package.json needs`)
  return { packages, links }
}

function lockedPackage(path: string, entry: JsonObject): LockedPackage {
  const name = typeof entry["name"] === "string" ? entry["name"] : (PLACE.exec(path)?.[1] ?? path)
  const { resolved, integrity, version } = entry
  const isAddress = typeof resolved === "string" && /^https?:\/\/[^/@\s]+\//.test(resolved) && URL.canParse(resolved)
  if (resolved !== undefined && !isAddress)
    throw cannot(
      `${name} comes from ${String(resolved)}, and only packages with a web address and a digest are installed`,
    )
  if (typeof integrity !== "string") throw cannot(`its lockfile gives no digest for ${name}`)
  if (isAddress) return { path, name, url: resolved, integrity, entry }
  if (typeof version === "string" && valid(version) !== null && WHOLE_NAME.test(name))
    return { path, name, url: undefined, integrity, entry }
  throw cannot(`its lockfile does not say where ${name} comes from`)
}

function checkedPlace(path: string): string {
  if (PLACES.test(path)) return path
  throw cannot(`its lockfile puts a package at ${path}, outside of its node_modules`)
}

/** A link may lead to a folder of the plugin, which is hashed and shown with it, and to nothing else. */
function checkedFolder(folder: string, path: string, entry: JsonObject): string {
  const target = String(entry["resolved"])
  if (kindInside(folder, target) === "directory" && !/(^|\/)(\.\.|node_modules)(\/|$)/.test(target)) return target
  throw cannot(`${path} is a link to ${target}, which is not a folder of the plugin`)
}

async function fetchAll(context: PluginContext, packages: readonly LockedPackage[], stage: string): Promise<void> {
  const isUnaddressed = packages.some(({ url }) => url === undefined)
  const registry = isUnaddressed ? registryOf({ package: "" }, context.env) : ownRegistry(context.env)
  const policy = registry === undefined ? context.network : trusting(context.network, registry)
  const until = Date.now() + TIMEOUT_MS
  const queue = packages.filter(fitsHere).values()
  const work = async () => {
    for (const { path, name, url, integrity, entry } of queue) {
      const tarball =
        url === undefined
          ? `${registry ?? ""}/${name}/-/${name.split("/").at(-1) ?? name}-${String(entry["version"])}.tgz`
          : fromOwnRegistry(url, ownRegistry(context.env))
      const file = await downloadFile(tarball, downloadsFolder(context), {
        policy,
        maxBytes: MAX_TARBALL,
        timeoutMs: Math.max(1, until - Date.now()),
        progress: context.progress,
      })
      try {
        await expectIntegrity(file, { tarball, integrity })
        await untar(file, join(stage, path), { strip: 1, gzip: true })
      } finally {
        rmSync(file, { force: true })
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
  const failed = ended.find((one) => one.status === "rejected")
  if (failed !== undefined) throw failed.reason
}

/**
 * A person with a registry of their own gets the packages of every registry from it; the digest says that they are the
 * same.
 */
function fromOwnRegistry(url: string, registry: string | undefined): string {
  const file = new RegExp(`/(${NAME}/-/[^/]+)$`).exec(new URL(url).pathname.replace(/%2f/i, "/"))?.[1]
  return registry === undefined || file === undefined ? url : `${registry}/${file}`
}

function fitsHere({ name, entry }: LockedPackage): boolean {
  const misfit =
    !allowed(entry["os"], process.platform) || !allowed(entry["cpu"], process.arch) || !allowed(entry["libc"], libc())
  if (misfit && entry["optional"] !== true) throw cannot(`${name} is not made for this machine`)
  return !misfit
}

function allowed(list: unknown, here: string | undefined): boolean {
  if (!isStringArray(list) || here === undefined) return true
  if (list.includes(`!${here}`)) return false
  const named = list.filter((one) => !one.startsWith("!"))
  return named.length === 0 || named.includes(here) || named.includes("any")
}

function libc(): string | undefined {
  if (process.platform !== "linux") return undefined
  return existsSync("/etc/alpine-release") ? "musl" : "glibc"
}

/**
 * What `npx` finds. A name a script may mean something else by is left out, and so is a file that is not the package's
 * own.
 */
function linkPrograms({ path, entry }: LockedPackage, stage: string): void {
  const bin = own(entry, "bin")
  const at = join(stage, path)
  const folder = join(at.slice(0, at.lastIndexOf("node_modules/")), "node_modules", ".bin")
  for (const [name, target] of Object.entries(isStringMap(bin) && existsSync(at) ? bin : {})) {
    const link = join(folder, name)
    if (!/^\w[\w.-]*$/.test(name) || NEVER_LINKED.test(name) || existsSync(link)) continue
    if (kindInside(at, target) !== "file") continue
    mkdirSync(folder, { recursive: true })
    chmodSync(join(at, target), 0o755)
    symlinkSync(relative(folder, join(at, target)), link)
  }
}

function jsonIn(folder: string, name: string): JsonObject {
  const { value } = parseJson(readText(join(folder, name), MAX_LOCKFILE) ?? "")
  if (isObject(value)) return value
  throw cannot(`its ${name} is not valid JSON`)
}

function cannot(why: string): ChorusError {
  return new ChorusError("packages_refused", `${why}.`, { next: "Tell its author." })
}
