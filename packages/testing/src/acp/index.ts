import { fileURLToPath } from "node:url"

/** How the scripted agent that speaks the Agent Client Protocol is started; see `agent.ts` for what it can be told to do. */
export function scriptedAgent(...flags: string[]): string {
  return [process.execPath, fileURLToPath(new URL("./agent.ts", import.meta.url)), ...flags].join(" ")
}

/** The words that make the scripted agent do this. */
export function script(...steps: object[]): string {
  return `ACP: ${JSON.stringify(steps)}`
}
