import { createHash } from "node:crypto"
import { join } from "node:path"
import { ChorusError, ExecutableSurface, type SurfaceItem } from "@chorus/contracts"
import { isObject, isStringArray, isStringMap } from "../read/index.ts"
import { changeJsonFile, type ClaudeHome, type MutableJson, readJsonFile } from "../state/index.ts"
import { changedFiles, type FileChange, type FileHashes, flagsOf, hashFiles, shownScripts } from "./file-change.ts"
import { loadableFiles, startsPrograms } from "./loadable.ts"
import { scriptsOf } from "./script-hash.ts"
import { surfaceChange, surfaceOf } from "./surface.ts"

/** What a person is asked before a plugin may do anything on their machine. */
export interface ConsentQuestion {
  readonly plugins: readonly ConsentSubject[]
  /** Names exactly what is shown: accepting this digest accepts this and nothing else. */
  readonly sha256: string
}

export interface ConsentSubject {
  readonly id: string
  readonly version: string
  readonly why: "new" | "changed" | "install-command"
  readonly surface: ExecutableSurface
  readonly added: readonly SurfaceItem[]
  readonly removed: readonly SurfaceItem[]
  /**
   * The files that are not what they were when the person agreed, whatever loads them, and the scripts behind what is
   * new. Where nobody agreed to the files before, also those that hold what is to be looked at, or cannot be.
   */
  readonly files: readonly FileChange[]
  /** How many files there are beside those. */
  readonly otherFiles?: number
  /** A hash over every file, where the plugin runs any. */
  readonly tree: string | undefined
  /** A folder that Claude Code reads it from as it is: what changes there runs, whatever the answer. */
  readonly runsFrom?: string | undefined
}

export type AskConsent = (question: ConsentQuestion) => Promise<boolean> | boolean

/** Accepts what these digests name, and nothing else. */
export function acceptDigests(digests: readonly string[]): AskConsent {
  const accepted = new Set(digests.map((digest) => digest.toLowerCase()))
  return (question) => accepted.has(question.sha256)
}

/** What the person accepted for a plugin on this machine. */
export interface Accepted {
  readonly surface: ExecutableSurface
  /** Every file as it was then, and where those files lay. */
  readonly files: FileHashes | undefined
  readonly folder: string
}

export function acceptedBefore(home: ClaudeHome, id: string): Accepted | undefined {
  const record = readJsonFile(consentPath(home))[id]
  if (!isObject(record)) return undefined
  const { surface, files, folder } = record
  const parsed = ExecutableSurface.safeParse(surface)
  if (!parsed.success) return undefined
  return {
    surface: parsed.data,
    files: isStringMap(files) ? files : undefined,
    folder: typeof folder === "string" ? folder : "",
  }
}

/** How many builds of a plugin somebody may go back and forth between, as projects lock them, and is asked once about each. */
const MOST_AGREED = 20

function agreedTo(home: ClaudeHome, id: string): readonly string[] {
  return agreedIn(readJsonFile(consentPath(home))[id])
}

function agreedIn(record: unknown): readonly string[] {
  const agreed = isObject(record) ? record["agreed"] : undefined
  return isStringArray(agreed) ? agreed : []
}

/** Names what a build does and every file of it. */
function markOf({ sha256 }: ExecutableSurface, tree: string | undefined): string {
  return digestOf([sha256, tree])
}

/** A plugin as it would run: what it does, and the folder it does it from. */
export interface Subject {
  readonly id: string
  readonly version: string
  readonly surface: ExecutableSurface
  readonly folder: string
  readonly foreign?: string | undefined
  readonly runsFrom?: string | undefined
}

/**
 * Asks about what is new or changed; what was accepted before is not asked again. Throws `consent_required` when the
 * answer is no.
 */
export async function askConsent(home: ClaudeHome, subjects: readonly Subject[], ask: AskConsent): Promise<void> {
  const open = subjects.flatMap(({ id, version, surface: own, foreign, folder, runsFrom }): ConsentSubject[] => {
    const before = acceptedBefore(home, id)
    const surface = foreign === undefined ? own : surfaceOf([...own.items, fetched(foreign)])
    const { added, removed } = surfaceChange(before?.surface, surface, before?.files !== undefined)
    const hashes = filesOf(own, folder)
    const changed =
      before?.files === undefined || hashes === undefined
        ? []
        : flagged(changedFiles({ files: before.files, folder: before.folder }, { files: hashes, folder }), folder, own)
    const run = [...changed, ...newlyRun(added, folder, hashes ?? {}, changed)]
    const files = before?.files === undefined ? [...run, ...brought(folder, own, run)] : run
    const otherFiles = Object.keys(hashes ?? {}).length - files.filter(({ change }) => change !== "removed").length
    if (added.length === 0 && files.length === 0) return []
    const tree = hashes === undefined ? undefined : digestOf(hashes)
    if (agreedTo(home, id).includes(markOf(surface, tree))) return []
    const why = before === undefined ? "new" : "changed"
    const asked = { id, version, why, surface, added, removed, files, otherFiles, tree } as const
    return [{ ...asked, ...(runsFrom === undefined ? {} : { runsFrom }) }]
  })
  if (open.length === 0) return
  const question = questionOf(open)
  if (await ask(question)) return
  throw consentRequired(question)
}

/** Changes with the lines to look at in them, also where those are not among the lines shown. */
function flagged(changed: readonly FileChange[], folder: string, surface: ExecutableSurface): FileChange[] {
  if (changed.length === 0) return []
  const lines = Map.groupBy(loadableFiles(folder, surface).lines, ({ path }) => path)
  return changed.map((file) => ({ ...file, ...flagsOf(lines.get(file.path) ?? []) }))
}

/** The scripts behind what is new; those that changed are shown by their change. */
function newlyRun(
  added: readonly SurfaceItem[],
  folder: string,
  files: FileHashes,
  changed: readonly FileChange[],
): FileChange[] {
  const shown = new Set(changed.map(({ path }) => path))
  const paths = Object.keys(files).filter((path) => !shown.has(path))
  return shownScripts(folder, files, [...new Set(added.flatMap(({ does }) => scriptsOf(does, paths)))])
}

/** What the scripts may load, as far as there is something to look at in it. */
function brought(folder: string, surface: ExecutableSurface, run: readonly FileChange[]): FileChange[] {
  const { lines, unread } = loadableFiles(folder, surface, new Set(run.map(({ path }) => path)))
  return [
    ...[...Map.groupBy(lines, ({ path }) => path)].map(([path, found]): FileChange => ({
      path,
      change: "brings",
      ...flagsOf(found),
    })),
    ...unread.map((path): FileChange => ({ path, change: "brings" })),
  ]
}

/** The files a plugin can load; of one that starts nothing, none. */
function filesOf(surface: ExecutableSurface, folder: string): FileHashes | undefined {
  return startsPrograms(surface) ? hashFiles(folder) : undefined
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex")
}

function fetched(foreign: string): SurfaceItem {
  return {
    kind: "download",
    where: "when it is installed",
    does: `comes from ${foreign}, which the lock names and its marketplace does not`,
  }
}

export function questionOf(plugins: readonly ConsentSubject[]): ConsentQuestion {
  return { plugins, sha256: digestOf(plugins.map(({ id, surface, tree }) => [id, surface.sha256, tree])) }
}

/** Remembers what was agreed to; the files of `folder` are what the next change is compared with. */
export async function recordConsent(
  home: ClaudeHome,
  id: string,
  accepted: { surface: ExecutableSurface; folder: string },
  now: Date,
): Promise<void> {
  const { surface, folder } = accepted
  await keepConsent(home, id, { surface, files: filesOf(surface, folder), folder }, now)
}

/** Keeps what was agreed to for an id; undefined forgets it. */
export async function keepConsent(
  home: ClaudeHome,
  id: string,
  accepted: Accepted | undefined,
  now: Date,
): Promise<void> {
  if (accepted === undefined && !Object.hasOwn(readJsonFile(consentPath(home)), id)) return
  const change = (content: MutableJson) => {
    if (accepted === undefined) {
      delete content[id]
      return
    }
    const { surface, files } = accepted
    const mark = markOf(surface, files === undefined ? undefined : digestOf(files))
    const agreed = [...agreedIn(content[id]).filter((one) => one !== mark), mark].slice(-MOST_AGREED)
    content[id] = { ...accepted, agreed, acceptedAt: now.toISOString() }
  }
  await changeJsonFile(home, consentPath(home), change, { dropEmpty: true })
}

export function consentRequired(question: ConsentQuestion): ChorusError {
  const names = question.plugins.map((plugin) => plugin.id).join(", ")
  const changed = question.plugins.some((plugin) => plugin.why === "changed")
  return new ChorusError(
    "consent_required",
    changed
      ? `${names} would now do something on this machine you did not agree to.`
      : `${names} would run programs on this machine; nothing was installed.`,
    {
      status: 403,
      next: `Read what it does, then run the command again with --accept ${question.sha256}, or with --yes.`,
      details: { sha256: question.sha256, plugins: question.plugins },
    },
  )
}

function consentPath(home: ClaudeHome): string {
  return join(home.chorus, "consents.json")
}
