import { createReadStream, mkdirSync, statSync } from "node:fs"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { ChorusError } from "@chorus/contracts"
import { LIMITS, refused } from "./tree.ts"
import { entryNameFault } from "./zip.ts"

/** Unpacks a .tar or .tar.gz. It is read through once to vet every entry and once more to write; links and devices are refused. */
export async function untar(archive: string, to: string, options: { strip: number; gzip: boolean }): Promise<void> {
  const tar = await import("tar")
  const vetting = new tar.Parser({ strict: true })
  let entries = 0
  let fault: ChorusError | undefined
  vetting.on("entry", (entry: { path: string; type: string; size: number; resume: () => void }) => {
    entries += 1
    const name = entryNameFault(entry.path)
    if (name !== undefined) fault ??= refused(name)
    if (!["File", "OldFile", "ContiguousFile", "Directory"].includes(entry.type))
      fault ??= refused(`the entry ${entry.path} is a link or device`)
    if (entries > LIMITS.entries || entry.size > LIMITS.fileBytes)
      fault ??= refused("it unpacks to more than a plugin may be")
    entry.resume()
  })
  await through(archive, options.gzip, vetting)
  if (fault !== undefined) throw fault
  mkdirSync(to, { recursive: true })
  await through(
    archive,
    options.gzip,
    tar.x({
      cwd: to,
      strip: options.strip,
      strict: true,
      preserveOwner: false,
      noMtime: true,
    }) as unknown as NodeJS.WritableStream,
  )
}

async function through(archive: string, gzip: boolean, into: NodeJS.WritableStream): Promise<void> {
  const most = Math.min(LIMITS.totalBytes, Math.max(statSync(archive).size * LIMITS.ratio, 16 * 1024 * 1024))
  let seen = 0
  // What follows the end of an archive is part of nothing, and tar would pile it up.
  let ended = false
  into.on("eof", () => (ended = true))
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      done(seen > most ? refused("it unpacks to more than a plugin may be") : null, ended ? undefined : chunk)
    },
  })
  try {
    if (gzip) await pipeline(createReadStream(archive), createGunzip(), counted, into)
    else await pipeline(createReadStream(archive), counted, into)
  } catch (error) {
    if (error instanceof ChorusError) throw error
    throw new ChorusError(
      "content_refused",
      `The archive is damaged: ${error instanceof Error ? error.message : String(error)}. Nothing was installed.`,
      { next: "Download it again, or tell its author.", cause: error },
    )
  }
}
