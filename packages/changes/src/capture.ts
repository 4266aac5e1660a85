import { createHash } from "node:crypto"
import { changes } from "@chorus/contracts"
import { withoutSecrets } from "@chorus/core"
import { baseOf } from "./base.ts"
import { contentsOf } from "./contents.ts"
import { type Between, patches, type RawFile, rawFiles, writtenOut } from "./diff.ts"
import { git, repositoryOf } from "./git.ts"
import { hiddenPlaces } from "./hidden.ts"
import { identityOf } from "./identity.ts"
import { withScratchObjects, writeTree } from "./tree.ts"

const MOST_TEXT = 512 * 1024
const MOST_IMAGE = 2 * 1024 * 1024
const MOST_IN_ALL = 32 * 1024 * 1024
const MOST_ROWS = 5000
const NAMED = 5
const LONGEST_WARNING = 2000
const IMAGE = /\.(png|jpe?g|gif|webp|avif|bmp|ico)$/i
const GENERATED =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock|Cargo\.lock|poetry\.lock|uv\.lock|go\.sum|Gemfile\.lock|composer\.lock)$|\.min\.(js|css)$|\.(map|snap)$/

/** A change, and what its hashes stand for. */
export interface Captured {
  readonly change: changes.CapturedChange
  readonly parts: ReadonlyMap<string, Buffer>
}

export interface CaptureOptions {
  /** A branch, commit or tree; found where it is left out. */
  readonly base?: string | undefined
}

/** What the work in a checkout did to its repository since its base, as it lies there now. Nothing in the checkout changes. */
export async function captureChange(folder: string, { base: named }: CaptureOptions = {}): Promise<Captured> {
  const repository = await repositoryOf(folder)
  const base = await baseOf(repository, named)
  return withScratchObjects(repository, async (env) => {
    const { tree, embedded } = await writeTree(repository, { env, withoutEmbedded: true })
    const hidden = await hiddenPlaces(repository, base.tree)
    const { all, files, kept } = await filesBetween({ folder: repository, before: base.tree, after: tree, env })
    const change: changes.CapturedChange = {
      ...(await whereabouts(repository)),
      baseRef: base.ref,
      baseCommit: base.commit,
      tree,
      files,
      warnings: [
        ...base.said,
        ...kept.warnings(),
        ...(all > files.length ? [`${all - files.length} more files changed and are not shown.`] : []),
        ...(hidden.length > 0
          ? [
              `Not shown, as it is ignored by rules that the repository did not have before the work: ${someOf(hidden)}.`,
            ]
          : []),
        ...embedded.slice(0, NAMED).map((path) => `${path} is a repository of its own and was left out.`),
        // What an agent calls its files and commits must not keep its change from being shown.
      ].map((warning) => writtenOut(warning).slice(0, LONGEST_WARNING)),
    }
    return { change, parts: kept.parts }
  })
}

/** What differs between two trees, as it is shown. */
export async function filesBetween(between: Between) {
  const all = await rawFiles(between)
  const kept = new Keeping()
  const shown = all.slice(0, changes.MOST_FILES)
  const contents = await contentsOf(between.folder, shown.flatMap(wantedOf), between.env)
  const read = patches(between, changes.MOST_PATCH_BYTES)
  const files: changes.ChangeFile[] = []
  for (const file of shown) {
    const patch = await patchOf(file, read)
    files.push(kept.file(file, patch, contents))
  }
  await read.return(undefined)
  return { all: all.length, files, kept }
}

/** A file that became something of another kind has two patches: one takes it away, one puts it there. */
async function patchOf(file: RawFile, read: AsyncGenerator<Buffer | undefined>): Promise<Buffer | undefined> {
  const first = (await read.next()).value as Buffer | undefined
  if (file.status !== "type_changed") return first
  const second = (await read.next()).value as Buffer | undefined
  return first === undefined || second === undefined ? undefined : Buffer.concat([first, second])
}

/** Gathers what goes to the server, within its limits and without secrets. */
class Keeping {
  readonly parts = new Map<string, Buffer>()
  #room = MOST_IN_ALL
  #omitted: string[] = []
  #redacted: string[] = []

  file(file: RawFile, patch: Buffer | undefined, contents: Awaited<ReturnType<typeof contentsOf>>): changes.ChangeFile {
    const { oldId, newId, ...facts } = file
    const rows = patch === undefined ? file.additions + file.deletions : linesIn(patch)
    const patchSha = patch === undefined ? null : this.#keep(file.path, patch)
    if (patchSha === null) this.#omitted.push(file.path)
    const content = (id: string) => {
      const bytes = contents.get(id)?.bytes
      return bytes === undefined || patchSha === null ? null : this.#keep(file.path, bytes)
    }
    return {
      ...facts,
      size: contents.get(newId)?.size ?? null,
      patchSha,
      beforeSha: content(oldId),
      afterSha: content(newId),
      rows,
      folded: rows > MOST_ROWS || GENERATED.test(file.path),
      omitted: patchSha === null ? "too_large" : null,
    }
  }

  warnings(): string[] {
    const redacted = [...new Set(this.#redacted)]
    return [
      ...(redacted.length > 0 ? [`What looks like a secret was left out: ${someOf(redacted)}.`] : []),
      ...(this.#omitted.length > 0 ? [`Too large to be shown: ${someOf(this.#omitted)}.`] : []),
    ]
  }

  #keep(path: string, given: Buffer): string | null {
    const text = given.toString("latin1")
    const clean = withoutSecrets(path, text)
    const found = clean !== text
    // Bytes that are no secret stay as they are.
    const bytes = found ? Buffer.from(clean, "latin1") : given
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    if (!this.parts.has(sha256)) {
      if (bytes.length > this.#room) return null
      this.#room -= bytes.length
      this.parts.set(sha256, bytes)
    }
    if (found) this.#redacted.push(path)
    return sha256
  }
}

function someOf(paths: readonly string[]): string {
  return `${paths.slice(0, NAMED).join(", ")}${paths.length > NAMED ? ` and ${paths.length - NAMED} more` : ""}`
}

function wantedOf({ path, oldId, newId, binary, oldMode, newMode }: RawFile) {
  const most = !binary ? MOST_TEXT : IMAGE.test(path) ? MOST_IMAGE : 0
  const sides = [
    { id: oldId, mode: oldMode },
    { id: newId, mode: newMode },
  ]
  return sides.flatMap(({ id, mode }) => (mode === null || mode === "160000" ? [] : [{ id, most }]))
}

function linesIn(patch: Buffer): number {
  let lines = 0
  for (let at = patch.indexOf(10); at !== -1; at = patch.indexOf(10, at + 1)) lines++
  return lines
}

async function whereabouts(repository: string) {
  const words = ["status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z"]
  const lines = (await git(repository, words).catch(() => "")).split("\0").filter(Boolean)
  const told = (what: string, none: string) => {
    const value = lines.find((line) => line.startsWith(`# branch.${what} `))?.split(" ", 3)[2]
    return value === undefined || value === none ? null : value
  }
  return {
    repository: await identityOf(repository),
    branch: told("head", "(detached)"),
    headCommit: told("oid", "(initial)"),
    uncommitted: lines.filter((line) => !line.startsWith("# ")).length,
  }
}
