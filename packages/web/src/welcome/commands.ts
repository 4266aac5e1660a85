/** What a person types to connect Claude Code; one line each, safe to paste into any shell. */
export function claudeCommands(origin: string, key: string): readonly [string, string] {
  return [`chorus connect claude --url ${origin} --key ${key}`, "claude"]
}

export function mcpAddress(origin: string): string {
  return `${origin}/api/mcp`
}
