/** Agents that only look things up for their lead; they come onto the board only with a task. */
const HELPERS = new Set(["explore", "plan", "claude-code-guide", "statusline-setup", "output-style-setup"])

export function isHelper(agentType: string): boolean {
  return HELPERS.has(agentType.toLowerCase())
}
