import { join } from "node:path"
import { ChorusError, ExecutableSurface, type SurfaceItem } from "@chorus/contracts"
import { createHash } from "node:crypto"
import type { ClaudeHome } from "../state/claude-home.ts"
import { changeJsonFile, readJsonFile } from "../state/json-file.ts"
import { isObject } from "../read/json.ts"
import { surfaceChange } from "./surface.ts"

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
  subjects: readonly { id: string; version: string; surface: ExecutableSurface }[],
  ask: AskConsent,
): Promise<void> {
  const open = subjects.flatMap(({ id, version, surface }): ConsentSubject[] => {
    const before = acceptedSurface(home, id)
    const { added, removed } = surfaceChange(before, surface)
    if (added.length === 0) return []
    return [{ id, version, why: before === undefined ? "new" : "changed", surface, added, removed }]
  })
  if (open.length === 0) return
  const question = questionOf(open)
  if (await ask(question)) return
  throw consentRequired(question)
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
