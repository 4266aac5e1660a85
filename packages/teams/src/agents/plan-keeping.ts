import { execFileSync } from "node:child_process"
import { ChorusError } from "@chorus/contracts"
import { requireProgram } from "./program.ts"

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** The first versions of Claude Code that are known to write nothing before their plan is approved, whatever settings allow. */
const KEEPS_TO_PLAN = {
  headless: { least: [2, 1, 197], next: "Start it in another mode, or use 2.1.197 or newer." },
  pane: { least: [2, 1, 325], next: "Leave --native out, or use 2.1.325 or newer." },
} as const

/** Before these, what settings allow comes before the rules of plan mode, and nothing that we could pass along changes that. */
export function requireKeepsToPlan(program: string, place: Place, where: keyof typeof KEEPS_TO_PLAN): void {
  requireProgram(program, place)
  const said = versionOf(program, place)
  const version = /^(\d+)\.(\d+)\.(\d+)/.exec(said)?.slice(1).map(Number)
  const { least, next } = KEEPS_TO_PLAN[where]
  if (version !== undefined && isAtLeast(version, least)) return
  throw new ChorusError(
    "plan_not_kept",
    `Claude Code ${said || "of this version"} writes what your settings allow before its plan is approved${where === "pane" ? ", in a pane of its own" : ""}.`,
    { next },
  )
}

function versionOf(program: string, place: Place): string {
  try {
    return execFileSync(program, ["--version"], { ...place, encoding: "utf8", timeout: 30_000 }).trim()
  } catch {
    // Of a program that does not say it nothing is known.
    return ""
  }
}

function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  const [differs = -1] = least.flatMap((part, at) => (part === version[at] ? [] : [at]))
  return differs === -1 || (version[differs] ?? 0) > (least[differs] ?? 0)
}
