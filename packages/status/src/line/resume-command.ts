import type { StatusAgent } from "@chorus/contracts"

/** Letters, digits, `_` and `-`, never a leading dash: nothing a shell or an option parser could read as more than an id. */
const SESSION_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/

const RESUME: Record<StatusAgent, readonly [program: string, option: string]> = {
  claude: ["claude", "--resume"],
  codex: ["codex", "resume"],
  opencode: ["opencode", "--session"],
}

/** The command that brings a session back; nothing when the id is not on the white list. */
export function resumeCommandFor(agent: StatusAgent, sessionId: unknown): string | undefined {
  if (typeof sessionId !== "string" || !SESSION_ID.test(sessionId)) return undefined
  return [...RESUME[agent], sessionId].join(" ")
}

/** The words of a resume command somebody else wrote, or nothing unless it is exactly one we would write for that agent. */
export function readResumeCommand(agent: StatusAgent, command: unknown): readonly string[] | undefined {
  if (typeof command !== "string") return undefined
  const words = command.split(" ")
  return resumeCommandFor(agent, words[2]) === command ? words : undefined
}
