import { createHash } from "node:crypto"
import { join } from "node:path"
import { ChorusError, ExecutableSurface, PluginPin, type PluginScope, type SurfaceItem } from "@chorus/contracts"
import { isObject, isStringMap } from "../read/index.ts"
import { changeJsonFile, type ClaudeHome, readJsonFile, section } from "../state/index.ts"
import { changedFiles, type FileChange, type FileHashes, hashFiles, shownScripts } from "./file-change.ts"
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
  /** The files that are not what they were when the person agreed, whatever loads them, and the scripts behind what is new. */
  readonly files: readonly FileChange[]
  /** A hash over every file, where the plugin runs any. */
  readonly tree: string | undefined
  /** A folder that Claude Code reads it from as it is: what changes there runs, whatever the answer. */
  readonly runsFrom?: string | undefined
}

export type AskConsent = (question: ConsentQuestion) => Promise<boolean> | boolean

/** Accepts the surface with this digest, and nothing else. */
export function acceptDigest(digest: string): AskConsent {
  return (question) => question.sha256 === digest.toLowerCase()
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

/** A plugin as it would run: what it does, and the folder it does it from. */
export interface Subject {
  readonly id: string
  readonly version: string
  readonly surface: ExecutableSurface
  readonly folder: string
  readonly foreign?: string | undefined
  readonly runsFrom?: string | undefined
}

/** Asks about what is new or changed; what was accepted before is not asked again. Throws `consent_required` when the answer is no. */
export async function askConsent(home: ClaudeHome, subjects: readonly Subject[], ask: AskConsent): Promise<void> {
  const open = subjects.flatMap(({ id, version, surface: own, foreign, folder, runsFrom }): ConsentSubject[] => {
    const before = acceptedBefore(home, id)
    const surface = foreign === undefined ? own : surfaceOf([...own.items, fetched(foreign)])
    const { added, removed } = surfaceChange(before?.surface, surface, before?.files !== undefined)
    const hashes = filesOf(own, folder)
    const changed =
      before?.files === undefined || hashes === undefined
        ? []
        : changedFiles({ files: before.files, folder: before.folder }, { files: hashes, folder })
    const files = [...changed, ...newlyRun(added, folder, hashes ?? {}, changed)]
    if (added.length === 0 && files.length === 0) return []
    const tree = hashes === undefined ? undefined : digestOf(hashes)
    const why = before === undefined ? "new" : "changed"
    return [{ id, version, why, surface, added, removed, files, tree, ...(runsFrom === undefined ? {} : { runsFrom }) }]
  })
  if (open.length === 0) return
  const question = questionOf(open)
  if (await ask(question)) return
  throw consentRequired(question)
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

/** The files a plugin can load; of one that starts nothing, none. */
function filesOf(surface: ExecutableSurface, folder: string): FileHashes | undefined {
  return surface.items.some(({ kind }) => !["connect", "setting", "download"].includes(kind))
    ? hashFiles(folder)
    : undefined
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
  await changeJsonFile(home, consentPath(home), (content) => {
    if (accepted === undefined) delete content[id]
    else content[id] = { ...accepted, acceptedAt: now.toISOString() }
  })
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

/** The lock of a project belongs to its repository, so that everybody gets the same bytes; the others stay on this machine. */
export function lockPath(home: ClaudeHome, scope: PluginScope): string {
  return scope === "project" ? join(home.project, ".claude", "plugin-lock.json") : join(home.chorus, "lock.json")
}

export function readPins(home: ClaudeHome, scope: PluginScope): Map<string, PluginPin> {
  const plugins = readJsonFile(lockPath(home, scope))["plugins"]
  const pins = new Map<string, PluginPin>()
  for (const [id, value] of Object.entries(isObject(plugins) ? plugins : {})) {
    const parsed = PluginPin.safeParse(value)
    if (!parsed.success)
      throw new ChorusError(
        "lock_unreadable",
        `The pin of ${id} in ${lockPath(home, scope)} cannot be read, so it cannot be kept.`,
        { next: "Repair or remove that entry." },
      )
    pins.set(id, parsed.data)
  }
  return pins
}

export async function setPin(
  home: ClaudeHome,
  scope: PluginScope,
  id: string,
  pin: PluginPin | undefined,
): Promise<void> {
  const there = readJsonFile(lockPath(home, scope))["plugins"]
  if (pin === undefined && !(isObject(there) && Object.hasOwn(there, id))) return
  await changeJsonFile(
    home,
    lockPath(home, scope),
    (content) => {
      content["version"] = 1
      const plugins = section(content, "plugins")
      if (pin === undefined) delete plugins[id]
      else plugins[id] = { ...aboutOthers(plugins[id]), ...pin }
    },
    { mode: 0o644 },
  )
}

/** What a pin holds besides where its bytes came from, which is not true of the next ones. */
function aboutOthers(pin: unknown): Record<string, unknown> {
  if (!isObject(pin)) return {}
  const { fetchFrom: _from, gitCommitSha: _commit, resolvedVersion: _version, ...kept } = pin
  return kept
}

/** Refuses bytes other than the locked ones. */
export function expectPin(
  pin: { contentHash: string; version: string; pinned?: boolean | undefined } | undefined,
  found: { id: string; contentHash: string; version: string },
): void {
  if (pin === undefined || pin.contentHash === found.contentHash) return
  const { id } = found
  const what =
    pin.version === found.version
      ? `version ${found.version} now has other content than when it was locked`
      : `version ${pin.version} is locked, and ${found.version} is offered`
  throw new ChorusError("pin_mismatch", `${id} was not installed: ${what}.`, {
    status: 409,
    next:
      `Either take what is offered now, which changes the lock (chorus plugin install ${id} --newest), or ask its ` +
      "publisher for what is locked.",
    details: { expected: pin.contentHash, found: found.contentHash },
  })
}
