import { ChorusError } from "@chorus/contracts"

const SAFE = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i
const LONGEST = 64

/** Returns the name unchanged when it is safe as a file name on every system, else says what is wrong with it. */
export function safeName(what: "team" | "agent" | "task", name: string): string {
  const fault = faultOf(name)
  if (fault === undefined) return name
  throw new ChorusError(
    "bad_name",
    `${JSON.stringify(name.slice(0, 80))} cannot be the name of ${what === "agent" ? "an" : "a"} ${what}: ${fault}.`,
    {
      next: "Use letters, digits, dots, dashes and underscores, beginning with a letter or digit.",
    },
  )
}

export function isSafeName(name: string): boolean {
  return faultOf(name) === undefined
}

/**
 * What Claude Code, in both eras, makes of a member's name for its files. Ours have to lie under the same name: anything else is
 * a message that was acknowledged and that nobody reads.
 */
export function fileNameOf(agent: string): string {
  return agent.replaceAll(/[^a-zA-Z0-9_-]/g, "-")
}

/** Two names that one file system may take for the same file. */
export function sameName(one: string, other: string): boolean {
  return fold(one) === fold(other)
}

function faultOf(name: string): string | undefined {
  if (name.length === 0) return "it is empty"
  if (name.length > LONGEST) return `it is longer than ${LONGEST} characters`
  if (!SAFE.test(name)) return "it holds a character that is not safe in a file name"
  if (name.includes("..") || name.endsWith(".")) return "it reads as a path"
  if (DEVICE.test(name)) return "it is reserved for a device"
  return undefined
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase()
}
