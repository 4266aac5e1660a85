import { createHash } from "node:crypto"
import { closeSync, createReadStream, existsSync, openSync, readSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { ChorusError } from "@chorus/contracts"
import { entriesOf } from "../read/files.ts"
import { refused } from "./tree.ts"
import { untar } from "./tarball.ts"
import { unzip } from "./zip.ts"

const MARKS = [
  ".claude-plugin",
  "skills",
  "commands",
  "agents",
  "hooks",
  ".mcp.json",
  ".lsp.json",
  "SKILL.md",
  "output-styles",
]

/** Unpacks a zip, tar or tar.gz by what it is, not by what it is called. */
export async function unpack(archive: string, to: string): Promise<void> {
  const head = headOf(archive)
  if (head.subarray(0, 2).toString("latin1") === "PK") return unzip(archive, to)
  if (head[0] === 0x1f && head[1] === 0x8b) return untar(archive, to, { strip: 0, gzip: true })
  if (head.subarray(257, 262).toString("latin1") === "ustar") return untar(archive, to, { strip: 0, gzip: false })
  throw refused("it is neither a zip nor a tar archive")
}

/** Lifts the plugin to the top when the archive holds it in one folder. */
export function liftSingleFolder(folder: string): void {
  if (MARKS.some((mark) => existsSync(join(folder, mark)))) return
  const entries = entriesOf(folder).filter((entry) => entry.name !== "__MACOSX" && entry.name !== ".DS_Store")
  const only = entries[0]
  if (entries.length !== 1 || only?.isDirectory() !== true) return
  const aside = `${folder}.lifted`
  renameSync(join(folder, only.name), aside)
  rmSync(folder, { recursive: true, force: true })
  renameSync(aside, folder)
}

export async function fileDigest(path: string, algorithm: string, encoding: "hex" | "base64" = "hex"): Promise<string> {
  const hash = createHash(algorithm)
  await pipeline(createReadStream(path), hash)
  return hash.digest(encoding)
}

export async function expectDigest(path: string, sha256: string | undefined, url: string): Promise<string> {
  const actual = await fileDigest(path, "sha256")
  if (sha256 === undefined || sha256.toLowerCase() === actual) return actual
  throw new ChorusError(
    "digest_mismatch",
    `${url} is not what was promised: sha256 ${actual}, expected ${sha256.toLowerCase()}.`,
    { next: "Do not install it; ask the marketplace's owner." },
  )
}

function headOf(path: string): Buffer {
  const handle = openSync(path, "r")
  try {
    const head = Buffer.alloc(512)
    readSync(handle, head, 0, 512, 0)
    return head
  } finally {
    closeSync(handle)
  }
}
