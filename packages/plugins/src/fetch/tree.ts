import { createHash } from "node:crypto"
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { hasNodeLockfile } from "../install/node-lockfile.ts"
import { errorCode, isInside, isMissing } from "../read/files.ts"

/** What a plugin may weigh, whatever it came from. */
export const LIMITS = { entries: 100_000, fileBytes: 512 * 1024 * 1024, totalBytes: 1024 * 1024 * 1024, ratio: 50 }
/** Never part of a plugin: version control anywhere, and at its top the marks other programs leave in a cached version. */
const ANYWHERE = ".git"
const AT_TOP: ReadonlySet<string> = new Set([".orphaned_at", ".in_use"])
/** How often a shared folder may lead on to another; folders that share each other would never end. */
const LINKED = 3

interface TreeEntry {
  readonly path: string
  readonly kind: "file" | "link"
  readonly executable: boolean
  readonly bytes: number
}

/** All files and links of a folder, sorted by path. Devices, sockets and pipes are refused. */
export function listTree(root: string): TreeEntry[] {
  const without = foreignAtTop(root)
  const found: TreeEntry[] = []
  let total = 0
  const walk = (at: string, prefix: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (entry.name === ANYWHERE || (prefix === "" && without.has(entry.name))) continue
      const path = prefix + entry.name
      if (entry.isDirectory()) {
        walk(join(at, entry.name), `${path}/`)
        continue
      }
      if (!entry.isFile() && !entry.isSymbolicLink()) throw refused(`${path} is neither a file nor a folder`)
      const stat = lstatSync(join(at, entry.name))
      total += stat.size
      if (stat.size > LIMITS.fileBytes || total > LIMITS.totalBytes || found.length >= LIMITS.entries)
        throw refused("it is larger than a plugin may be")
      found.push({
        path,
        kind: entry.isSymbolicLink() ? "link" : "file",
        executable: (stat.mode & 0o111) !== 0,
        bytes: stat.size,
      })
    }
  }
  walk(root, "")
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * The hash that pins a plugin: every path, its kind, whether it may be executed, and its bytes. Folders without files and
 * times do not count, and a link out of the folder counts as what it leads to, so a copy has the hash of its original.
 * With a `border`, no link may lead out of that.
 */
export function contentHash(root: string, border?: string): string {
  const hash = createHash("sha256")
  for (const { kind, executable, path, from } of hashed(realpathSync(root), "", 0, border)) {
    const bytes = kind === "link" ? Buffer.from(from) : readFileSync(from)
    hash.update(`${kind} ${executable && kind === "file" ? "x" : "-"} ${path}\0${bytes.length}\0`)
    hash.update(bytes)
  }
  return `sha256-${hash.digest("hex")}`
}

/** The hash of a folder, or undefined when there is none or it cannot be read. */
export function hashOrNone(root: string): string | undefined {
  try {
    return contentHash(root)
  } catch {
    return undefined
  }
}

interface Hashed {
  readonly path: string
  readonly kind: "file" | "link"
  readonly executable: boolean
  /** The file to read; for a link, what it says. */
  readonly from: string
}

function hashed(root: string, prefix: string, depth: number, border: string | undefined): Hashed[] {
  const found = listTree(root).flatMap((entry): Hashed[] => {
    const path = prefix + entry.path
    const full = join(root, entry.path)
    if (entry.kind === "file") return [{ path, kind: "file", executable: entry.executable, from: full }]
    const leads = realPathOrNone(full)
    if (leads === undefined || depth > LINKED)
      return [{ path, kind: "link", executable: false, from: readlinkSync(full) }]
    if (isInside(root, leads)) return [{ path, kind: "link", executable: false, from: relative(dirname(full), leads) }]
    if (border !== undefined && !isInside(realpathSync(border), leads))
      throw refused(`the link ${path} leads out of it`)
    const stat = statSync(leads)
    return stat.isDirectory()
      ? hashed(leads, `${path}/`, depth + 1, border)
      : [{ path, kind: "file", executable: (stat.mode & 0o111) !== 0, from: leads }]
  })
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Packages that a lockfile names are fetched by that lockfile and checked by its digests; the lockfile itself is hashed. */
function foreignAtTop(root: string): ReadonlySet<string> {
  return hasNodeLockfile(root) ? new Set([...AT_TOP, "node_modules"]) : AT_TOP
}

/** Removes what the hash does not cover, so that nothing unseen can ride along. */
export function stripUnhashed(root: string): void {
  for (const name of foreignAtTop(root)) rmSync(join(root, name), { recursive: true, force: true })
  const walk = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      if (entry.name === ANYWHERE) rmSync(join(at, entry.name), { recursive: true, force: true })
      else if (entry.isDirectory()) walk(join(at, entry.name))
    }
  }
  walk(root)
}

/** The links that an install refuses: those that lead nowhere or out of `border`. */
export function strayLinks(root: string, border: string): string[] {
  const real = realpathSync(border)
  return listTree(root).flatMap(({ kind, path }) => {
    const leads = kind === "link" ? realPathOrNone(join(root, path)) : real
    return leads !== undefined && isInside(real, leads) ? [] : [path]
  })
}

/** Refuses a tree with a link that leads out of it. */
export function vetTree(root: string): void {
  const real = realpathSync(root)
  for (const entry of listTree(root)) {
    if (entry.kind !== "link") continue
    const target = readlinkSync(join(root, entry.path))
    const leads = resolve(dirname(join(real, entry.path)), target)
    if (target.startsWith("/") || !isInside(real, leads) || !staysInside(real, leads))
      throw refused(`the link ${entry.path} leads out of it`)
  }
}

/**
 * Copies a plugin's folder. A link inside the plugin stays a link; one to elsewhere in the same marketplace becomes
 * what it points to; any other is refused.
 */
export function copyTree(from: string, to: string, marketplaceRoot: string = from): void {
  copyBelow(from, to, realpathSync(marketplaceRoot), 0)
}

function copyBelow(from: string, to: string, border: string, depth: number): void {
  const root = realpathSync(from)
  const entries = listTree(root)
  mkdirSync(to, { recursive: true })
  for (const entry of entries) {
    const source = join(root, entry.path)
    const target = join(to, entry.path)
    mkdirSync(dirname(target), { recursive: true })
    if (entry.kind === "file") copyFile(source, target, entry.executable)
    else copyLink(source, target, root, border, depth)
  }
}

function copyLink(source: string, target: string, root: string, border: string, depth: number): void {
  const leads = realPathOrNone(source)
  if (leads === undefined) throw refused(`the link ${relative(root, source)} leads nowhere`)
  if (isInside(root, leads)) return symlinkSync(relative(dirname(source), leads), target)
  if (!isInside(border, leads)) throw refused(`the link ${relative(root, source)} leads out of it`)
  if (depth > LINKED) throw refused(`the link ${relative(root, source)} leads to a folder that leads back to it`)
  const stat = statSync(leads)
  if (stat.isDirectory()) copyBelow(leads, target, border, depth + 1)
  else copyFile(leads, target, (stat.mode & 0o111) !== 0)
}

function copyFile(source: string, target: string, executable: boolean): void {
  copyFileSync(source, target, constants.COPYFILE_FICLONE)
  chmodSync(target, executable ? 0o755 : 0o644)
}

function staysInside(root: string, path: string): boolean {
  const leads = realPathOrNone(path)
  return leads === undefined || isInside(root, leads)
}

function realPathOrNone(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isMissing(error) || errorCode(error) === "ELOOP") return undefined
    throw error
  }
}

export function refused(why: string): ChorusError {
  return new ChorusError("content_refused", `The plugin was refused: ${why}. Nothing was installed.`, {
    next: "Tell its author; do not install it.",
  })
}
