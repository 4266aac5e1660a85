import { readFileSync } from "node:fs"
import type { StatusAgent, StatusRow } from "@chorus/contracts"

export type Outcome = "finished" | "failed" | "idle" | "ended" | "running" | "needs input" | "unknown"

/** The table of docs/outcomes.md: what each program in each of its vintages comes to, by what happened. */
export const VINTAGES = [
  ["claude", "2.1.41"],
  ["claude", "2.1.197"],
  ["claude", "2.1.325"],
  ["claude", "2.1.327"],
  ["codex", "0.166.0"],
  ["codex", "0.169.0"],
  ["opencode", "1.18.33"],
] as const satisfies readonly (readonly [StatusAgent, string])[]

const NAMES: Record<StatusAgent, string> = { claude: "Claude Code", codex: "Codex", opencode: "OpenCode" }

/** What the table of a page says for one vintage, by what happened. */
export function tableOf(page: string, agent: StatusAgent, version: string): Map<string, string> {
  const [head = [], ...rows] = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    )
  const column = head.indexOf(`${NAMES[agent]} ${version}`)
  return new Map(rows.map((row) => [row[0] ?? "", row[column] ?? ""]))
}

export function outcomeOf({ state, exitCode, ended }: Pick<StatusRow, "state" | "exitCode" | "ended">): Outcome {
  if (state === "finished" && exitCode !== 0) return "failed"
  if (ended) return "ended"
  return state === "needsInput" ? "needs input" : state
}
