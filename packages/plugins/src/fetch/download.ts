import { createHash, randomUUID } from "node:crypto"
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import type { IncomingMessage } from "node:http"
import { join } from "node:path"
import { ChorusError } from "@chorus/contracts"
import { claim } from "@chorus/disk"
import { entriesOf, isMissing } from "../read/files.ts"
import { httpGet, unreachable, type NetworkPolicy } from "./network.ts"

const DAY_MS = 24 * 60 * 60 * 1000

/** Told while something is fetched: what, how far, of how much. */
export type Progress = (step: { what: string; done: number; total?: number | undefined }) => void

export interface DownloadOptions {
  readonly policy: NetworkPolicy
  readonly maxBytes: number
  readonly timeoutMs?: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly progress?: Progress | undefined
}

/** Reads a small document whole. */
export async function fetchText(url: string, options: DownloadOptions): Promise<string> {
  const signal = AbortSignal.timeout(options.timeoutMs ?? 10_000)
  const { response } = await httpGet(url, options.policy, {
    ...(options.headers === undefined ? {} : { headers: options.headers }),
    signal,
  })
  expectSuccess(url, response)
  const chunks: Buffer[] = []
  await eachChunk(url, response, options.maxBytes, 0, (chunk) => chunks.push(chunk))
  return Buffer.concat(chunks).toString("utf8")
}

/**
 * Downloads to a file of the caller's own in `folder`. A download that broke off is continued where it stopped if the
 * server still has the same version; of several at once, one continues and the others start anew.
 */
export async function downloadFile(url: string, folder: string, options: DownloadOptions): Promise<string> {
  mkdirSync(folder, { recursive: true })
  sweep(folder)
  const key = createHash("sha256").update(url).digest("hex").slice(0, 24)
  const part = join(folder, `${key}.part`)
  const whole = join(folder, `${key}.${randomUUID()}`)
  // One process at a time continues the shared part; a dead one does not keep it.
  const claimed = claim(`${part}.claim`)
  try {
    await receive(url, claimed === undefined ? whole : part, options)
    // Whoever claims the part next writes to it while this one is still being read.
    if (claimed !== undefined) renameSync(part, whole)
    return whole
  } catch (error) {
    for (const left of [whole, `${whole}.tag`]) rmSync(left, { force: true })
    throw error
  } finally {
    claimed?.discard()
  }
}

/** Removes what was left behind a day ago. */
function sweep(folder: string): void {
  for (const entry of entriesOf(folder)) {
    if (entry.name.endsWith(".claim")) continue
    const path = join(folder, entry.name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat !== undefined && Date.now() - stat.mtimeMs > DAY_MS) rmSync(path, { force: true })
  }
}

async function receive(url: string, target: string, options: DownloadOptions): Promise<void> {
  const have = sizeOf(target)
  const tag = have > 0 ? readTag(target) : undefined
  const range = tag === undefined ? {} : { range: `bytes=${have}-`, "if-range": tag }
  const signal = AbortSignal.timeout(options.timeoutMs ?? 120_000)
  const { response } = await httpGet(url, options.policy, { headers: { ...options.headers, ...range }, signal })
  if (response.statusCode === 416 && tag !== undefined) {
    // Everything was there already, and whoever fetched it died before they could use it.
    response.destroy()
    rmSync(`${target}.tag`, { force: true })
    return receive(url, target, options)
  }
  expectSuccess(url, response)
  const resumed = response.statusCode === 206
  const start = resumed ? have : 0
  writeFileSync(`${target}.tag`, response.headers.etag ?? "")
  const length = Number(response.headers["content-length"])
  const total = Number.isFinite(length) ? start + length : undefined
  if (total !== undefined && total > options.maxBytes) {
    response.destroy()
    throw tooLarge(url, options.maxBytes)
  }
  const handle = openSync(target, resumed ? "a" : "w", 0o600)
  let done = start
  try {
    await eachChunk(url, response, options.maxBytes, start, (chunk) => {
      writeSync(handle, chunk)
      done += chunk.length
      options.progress?.({ what: `Downloading ${new URL(url).pathname.split("/").at(-1) ?? url}`, done, total })
    })
  } finally {
    closeSync(handle)
  }
  rmSync(`${target}.tag`, { force: true })
}

async function eachChunk(
  url: string,
  response: IncomingMessage,
  maxBytes: number,
  start: number,
  use: (chunk: Buffer) => void,
): Promise<void> {
  let seen = start
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      seen += chunk.length
      if (seen > maxBytes) throw tooLarge(url, maxBytes)
      use(chunk)
    }
  } catch (error) {
    if (error instanceof ChorusError) throw error
    throw unreachable(url, error)
  }
}

function expectSuccess(url: string, response: IncomingMessage): void {
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return
  response.destroy()
  const missing = status === 404 || status === 410
  throw new ChorusError(missing ? "error_not_found" : "error_network", `${url} answered ${status}.`, {
    status: missing ? 404 : 502,
    next: missing ? "Check the address; it may have moved." : "Try again later.",
  })
}

function readTag(target: string): string | undefined {
  const tag = readTextOr(`${target}.tag`, "")
  return tag === "" ? undefined : tag
}

function readTextOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return otherwise
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

function tooLarge(url: string, maxBytes: number): ChorusError {
  return new ChorusError("download_too_large", `${url} is larger than ${Math.round(maxBytes / 1024 / 1024)} MiB.`, {
    next: "A plugin or catalogue of this size is refused; tell its author.",
  })
}
