import { execFileSync } from "node:child_process"
import { ChorusError } from "@chorus/contracts"
import { agentType, memberFlags, type Placement, reachOf, type SpawnNote, toolsBeyond } from "@chorus/teams"

/** The first that is known to write nothing while it plans in a pane, whatever settings allow. */
const KEEPS_TO_PLAN = [2, 1, 325] as const

/** Claude Code in a pane, in its own team mode. */
export function nativeArgv(
  placement: Placement,
  { argv: [program = "claude"] = [], allowedTools }: SpawnNote,
  parentSessionId = "",
): string[] {
  const { team, member, mode, cwd, env } = placement
  if (mode === "plan") requireKeepsToPlan(program, { cwd, env })
  const type = agentType(member.agentType ?? "general-purpose", { root: team.paths.root, project: cwd })
  const beyond = toolsBeyond(reachOf({ onlyTools: type.tools, disallowedTools: type.disallowedTools }))
  return [
    program,
    ...memberFlags({
      name: member.name,
      team: team.name,
      color: member.color ?? "blue",
      parentSessionId,
      agentType: type.name,
      model: member.model,
      mode,
      allowedTools,
      disallowedTools: [...new Set([...beyond, ...(type.disallowedTools ?? [])])],
    }),
  ]
}

function requireKeepsToPlan(program: string, place: Pick<Placement, "cwd" | "env">): void {
  const said = execFileSync(program, ["--version"], { ...place, encoding: "utf8", timeout: 30_000 }).trim()
  const version = /^(\d+)\.(\d+)\.(\d+)/.exec(said)?.slice(1).map(Number)
  if (version !== undefined && isAtLeast(version, KEEPS_TO_PLAN)) return
  throw new ChorusError(
    "plan_not_kept",
    `Claude Code ${said || "of this version"} writes what your settings allow before its plan is approved, in a pane of its own.`,
    { next: `Leave --native out, or use ${KEEPS_TO_PLAN.join(".")} or newer.` },
  )
}

function isAtLeast(version: readonly number[], least: readonly number[]): boolean {
  const [differs = -1] = least.flatMap((part, at) => (part === version[at] ? [] : [at]))
  return differs === -1 || (version[differs] ?? 0) > (least[differs] ?? 0)
}
