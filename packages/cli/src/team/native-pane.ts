import {
  agentType,
  memberFlags,
  type Placement,
  reachOf,
  requireKeepsToPlan,
  type SpawnNote,
  toolsBeyond,
} from "@chorus/teams"

/** Claude Code in a pane, in its own team mode. */
export function nativeArgv(
  placement: Placement,
  { argv: [program = "claude"] = [], allowedTools }: SpawnNote,
  parentSessionId = "",
): string[] {
  const { team, member, mode, cwd, env } = placement
  if (mode === "plan") requireKeepsToPlan(program, { cwd, env }, "pane")
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
