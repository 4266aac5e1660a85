import { createHash } from "node:crypto"
import { join } from "node:path"
import { ChorusError, ExecutableSurface, PluginPin, type PluginScope, type SurfaceItem } from "@chorus/contracts"
import { isObject } from "../read/files.ts"
import type { ClaudeHome } from "../state/claude-home.ts"
import { changeJsonFile, readJsonFile, section } from "../state/json-file.ts"
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
}

export type AskConsent = (question: ConsentQuestion) => Promise<boolean> | boolean

/** Accepts the surface with this digest, and nothing else. */
export function acceptDigest(digest: string): AskConsent {
  return (question) => question.sha256 === digest.toLowerCase()
}

/** The surface the person accepted for a plugin on this machine. */
export function acceptedSurface(home: ClaudeHome, id: string): ExecutableSurface | undefined {
  const record = readJsonFile(consentPath(home))[id]
  const parsed = ExecutableSurface.safeParse(isObject(record) ? record["surface"] : undefined)
  return parsed.success ? parsed.data : undefined
}

/** Asks about what is new or changed; what was accepted before is not asked again. Throws `consent_required` when the answer is no. */
export async function askConsent(
  home: ClaudeHome,
  subjects: readonly { id: string; version: string; surface: ExecutableSurface; foreign?: string | undefined }[],
  ask: AskConsent,
): Promise<void> {
  const open = subjects.flatMap(({ id, version, surface: own, foreign }): ConsentSubject[] => {
    const before = acceptedSurface(home, id)
    const surface = foreign === undefined ? own : surfaceOf([...own.items, fetched(foreign)])
    const { added, removed } = surfaceChange(before, surface)
    if (added.length === 0) return []
    return [{ id, version, why: before === undefined ? "new" : "changed", surface, added, removed }]
  })
  if (open.length === 0) return
  const question = questionOf(open)
  if (await ask(question)) return
  throw consentRequired(question)
}

function fetched(foreign: string): SurfaceItem {
  return {
    kind: "download",
    where: "when it is installed",
    does: `comes from ${foreign}, which the lock names and its marketplace does not`,
  }
}

export function questionOf(plugins: readonly ConsentSubject[]): ConsentQuestion {
  const sha256 = createHash("sha256")
    .update(JSON.stringify(plugins.map(({ id, surface }) => [id, surface.sha256])))
    .digest("hex")
  return { plugins, sha256 }
}

export async function recordConsent(
  home: ClaudeHome,
  id: string,
  surface: ExecutableSurface | undefined,
  now: Date,
): Promise<void> {
  await changeJsonFile(home, consentPath(home), (content) => {
    if (surface === undefined) delete content[id]
    else content[id] = { surface, acceptedAt: now.toISOString() }
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
