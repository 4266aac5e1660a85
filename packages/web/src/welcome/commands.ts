/** Programs that `chorus connect` sets up, in the order people are likely to have them. */
export const PROGRAMS = ["claude", "codex", "opencode"] as const
export type Program = (typeof PROGRAMS)[number]

/** What a person types to connect a program and to start it; one line each, safe to paste into any POSIX shell. */
export function connectCommands(program: Program, origin: string, key: string): readonly [string, string] {
  const connect = `chorus connect ${program} --url ${origin} --key ${key}`
  // Claude Code keeps the key itself; the others read it from their environment.
  return program === "claude" ? [connect, "claude"] : [connect, `CHORUS_API_KEY=${key} ${program}`]
}

export function mcpAddress(origin: string): string {
  return `${origin}/api/mcp`
}
