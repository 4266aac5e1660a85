import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { crc32, inflateRawSync } from "node:zlib"
import { LIMITS, refused } from "./tree.ts"

const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50

interface ZipEntry {
  readonly name: string
  readonly method: number
  readonly sum: number
  readonly packed: number
  readonly size: number
  readonly offset: number
  readonly mode: number
}

/** Unpacks a zip file. Every name, kind and size is vetted before the first byte is written; no entry grows beyond what it declared. */
export function unzip(archive: string, to: string): void {
  const handle = openSync(archive, "r")
  try {
    const entries = readDirectory(handle)
    vet(entries, fstatSync(handle).size)
    mkdirSync(to, { recursive: true })
    for (const entry of entries)
      if (!entry.name.endsWith("/")) writeEntry(join(to, entry.name), contentOf(handle, entry), entry)
  } finally {
    closeSync(handle)
  }
}

const CLASHES = new Set(["EEXIST", "ENOTDIR", "EISDIR", "ENAMETOOLONG", "EINVAL", "EILSEQ"])

function writeEntry(path: string, content: Buffer, { name, mode }: ZipEntry): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode: (mode & 0o111) === 0 ? 0o644 : 0o755, flag: "wx" })
  } catch (error) {
    if (CLASHES.has(String((error as NodeJS.ErrnoException).code)))
      throw refused(`the entry ${JSON.stringify(name)} cannot be written beside the others`)
    throw error
  }
}

/** One file of a zip, without unpacking the rest. Undefined when it is not in there. */
export function readFromZip(archive: string, name: string, limit: number): Buffer | undefined {
  const handle = openSync(archive, "r")
  try {
    const entry = readDirectory(handle).find((each) => each.name === name)
    if (entry === undefined) return undefined
    if (entry.size > limit || entry.packed > limit) throw refused(`${name} in it is larger than it may be`)
    return contentOf(handle, entry)
  } finally {
    closeSync(handle)
  }
}

/** Why a name in an archive may not be written. */
export function entryNameFault(name: string): string | undefined {
  if (name === "" || name.includes("\0")) return "an entry has no usable name"
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name) || name.includes("\\"))
    return `the entry ${JSON.stringify(name)} has an absolute or foreign path`
  if (name.split("/").includes("..")) return `the entry ${JSON.stringify(name)} leads out of the archive`
  return undefined
}

function vet(entries: readonly ZipEntry[], archiveBytes: number): void {
  let total = 0
  const seen = new Set<string>()
  for (const entry of entries) {
    const fault = entryNameFault(entry.name)
    if (fault !== undefined) throw refused(fault)
    const kind = entry.mode & 0o170000
    if (kind !== 0 && kind !== 0o100000 && kind !== 0o040000)
      throw refused(`the entry ${entry.name} is a link or device`)
    const path = normalize(entry.name)
    if (seen.has(path)) throw refused(`the entry ${entry.name} is there twice`)
    seen.add(path)
    // What is read is made room for first, so it may not be more than there is.
    if (entry.packed > archiveBytes) throw refused(`the entry ${entry.name} says that it is longer than the archive`)
    total += entry.size
    const bomb = entry.size > 1_000_000 && entry.size > entry.packed * LIMITS.ratio
    if (entry.size > LIMITS.fileBytes || total > LIMITS.totalBytes || bomb)
      throw refused("it unpacks to more than a plugin may be")
  }
}

function readDirectory(handle: number): ZipEntry[] {
  const size = fstatSync(handle).size
  const tail = readAt(handle, Math.max(0, size - 65_557), Math.min(size, 65_557))
  let end = tail.length - 22
  while (end >= 0 && tail.readUInt32LE(end) !== END) end -= 1
  if (end < 0) throw refused("it is not a zip archive")
  const count = tail.readUInt16LE(end + 10)
  const bytes = tail.readUInt32LE(end + 12)
  const start = tail.readUInt32LE(end + 16)
  if (
    count === 0xffff ||
    bytes === 0xffffffff ||
    start === 0xffffffff ||
    count > LIMITS.entries ||
    bytes > 64 * 1024 * 1024
  )
    throw refused("its directory is larger than a plugin's may be")
  const directory = readAt(handle, start, bytes)
  const entries: ZipEntry[] = []
  let at = 0
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL) throw refused("its directory is damaged")
    const nameLength = directory.readUInt16LE(at + 28)
    if ((directory.readUInt16LE(at + 8) & 1) !== 0) throw refused("it is encrypted")
    entries.push({
      method: directory.readUInt16LE(at + 10),
      sum: directory.readUInt32LE(at + 16),
      packed: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      mode: directory.readUInt32LE(at + 38) >>> 16,
      offset: directory.readUInt32LE(at + 42),
      name: directory.toString("utf8", at + 46, at + 46 + nameLength),
    })
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return entries
}

function contentOf(handle: number, entry: ZipEntry): Buffer {
  const header = readAt(handle, entry.offset, 30)
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) throw refused("an entry is damaged")
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const packed = readAt(handle, start, entry.packed)
  if (entry.method !== 0 && entry.method !== 8) throw refused(`the entry ${entry.name} is packed in an unknown way`)
  const content = entry.method === 0 ? packed : inflated(packed, entry.size)
  if (content?.length !== entry.size || crc32(content) !== entry.sum)
    throw refused(`the entry ${entry.name} is not what the archive says`)
  return content
}

/** Undefined for what does not unpack, or to more than it may. */
function inflated(packed: Buffer, size: number): Buffer | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) })
  } catch {
    return undefined
  }
}

function readAt(handle: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  const read = readSync(handle, buffer, 0, length, position)
  return buffer.subarray(0, read)
}
