import { ChorusError, TEAM_LEAD } from "@chorus/contracts"

const SAFE = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u
/** A member's files are never called as it is, so it may also be called by several words. */
const SAFE_WORDS = /^[\p{L}\p{N}][\p{L}\p{N}._-]*( [\p{L}\p{N}._-]+)*$/u
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i
const LONGEST = 64

/**
 * Returns the name unchanged when it is safe as a file name on every system, but for the spaces of a member's, else
 * says what is wrong with it.
 */
export function safeName(what: "team" | "agent" | "task", name: string): string {
  const fault = faultOf(name, what === "agent" ? SAFE_WORDS : SAFE)
  if (fault === undefined) return name
  throw new ChorusError(
    "bad_name",
    `${JSON.stringify(name.slice(0, 80))} cannot be the name of ${what === "agent" ? "an" : "a"} ${what}: ${fault}.`,
    {
      next: `Use letters, digits, dots, dashes and underscores, beginning with a letter or digit${what === "agent" ? ", with single spaces between words" : ""}.`,
    },
  )
}

export function isSafeName(name: string): boolean {
  return faultOf(name) === undefined
}

/**
 * What Claude Code, in both eras, makes of a member's name for its files. Ours have to lie under the same name:
 * anything else is a message that was acknowledged and that nobody reads.
 */
export function fileNameOf(agent: string): string {
  return agent.replaceAll(/[^a-zA-Z0-9_-]/g, "-")
}

/** Two members that would read one inbox. */
export function sameInbox(one: string, other: string): boolean {
  return sameName(fileNameOf(one), fileNameOf(other))
}

/** Two names that one file system may take for the same file. */
export function sameName(one: string, other: string): boolean {
  return fold(one) === fold(other)
}

/** The person's name as a sender. It must be safe, and must not be taken for a member. */
export function personName(by: string, members: readonly string[]): string {
  const letters = by
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, "-")
    .replaceAll(/^[-_]+|-+$/g, "")
  const plain = [...letters].slice(0, 24).join("") || "person"
  const free = (name: string) => isSafeName(name) && ![TEAM_LEAD, ...members].some((member) => sameInbox(member, name))
  for (let nth = 0; ; nth++) {
    const name = nth === 0 ? plain : `person-${plain}${nth === 1 ? "" : `-${nth}`}`
    if (free(name)) return name
  }
}

function faultOf(name: string, safe = SAFE): string | undefined {
  if (name.length === 0) return "it is empty"
  if (name.length > LONGEST) return `it is longer than ${LONGEST} characters`
  if (!safe.test(name)) return "it holds a character that is not safe in a file name"
  if (name.includes("..") || name.endsWith(".")) return "it reads as a path"
  if (DEVICE.test(name)) return "it is reserved for a device"
  return undefined
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase()
}

/** Whether a member's files may be called so. */
export function isFileName(name: string): boolean {
  return fileNameOf(name) === name
}
