/** Programs that `chorus connect` sets up, in the order people are likely to have them. */
export const PROGRAMS = ["claude", "codex", "opencode"] as const
export type Program = (typeof PROGRAMS)[number]

/**
 * The server's own command, for any machine with npm; nothing has to be installed before. npm 12 fetches from an address only
 * when it is told to, and npx never asks again for an address it knows, so the server's page names one for each build.
 */
export function servedCommand(origin: string): string {
  const named = globalThis.document?.querySelector<HTMLMetaElement>("meta[name=chorus-package]")
  return `npx -y --allow-remote=root ${origin}${named?.content ?? "/chorus.tgz"}`
}

/** What a person types to connect a program and to start it; one line each, safe to paste into any POSIX shell. */
export function connectCommands(program: Program, origin: string, key: string): readonly [string, string] {
  const connect = `${servedCommand(origin)} connect ${program} --url ${origin} --key ${key}`
  // Claude Code keeps the key itself; the others read it from their environment.
  return program === "claude" ? [connect, "claude"] : [connect, `CHORUS_API_KEY=${key} ${program}`]
}

export function mcpAddress(origin: string): string {
  return `${origin}/api/mcp?tools=lean`
}
