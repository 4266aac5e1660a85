import type { TeamPermissionMode } from "@chorus/contracts"
import { claudePaneFlags } from "./permission-table.ts"

export interface MemberFlags {
  readonly name: string
  readonly team: string
  readonly color: string
  readonly parentSessionId: string
  readonly agentType: string
  readonly model?: string | undefined
  readonly mode?: TeamPermissionMode | undefined
  /** The lead runs without permission checks; its members then do too. */
  readonly leadSkipsPermissions?: boolean | undefined
  readonly allowedTools?: readonly string[] | undefined
  readonly disallowedTools?: readonly string[] | undefined
}

/** The arguments with which Claude Code is started as a member in a terminal of its own. */
export function memberFlags(member: MemberFlags): string[] {
  return [
    "--agent-id",
    `${member.name}@${member.team}`,
    "--agent-name",
    member.name,
    "--team-name",
    member.team,
    "--agent-color",
    member.color,
    "--parent-session-id",
    member.parentSessionId,
    "--agent-type",
    member.agentType,
    ...claudePaneFlags(member.mode, member.leadSkipsPermissions === true),
    ...toolFlags(member),
    ...(member.model === undefined ? [] : ["--model", member.model]),
  ]
}

export function toolFlags(tools: {
  allowedTools?: readonly string[] | undefined
  disallowedTools?: readonly string[] | undefined
}): string[] {
  return [
    ...(tools.allowedTools === undefined || tools.allowedTools.length === 0
      ? []
      : ["--allowedTools", tools.allowedTools.join(",")]),
    ...(tools.disallowedTools === undefined || tools.disallowedTools.length === 0
      ? []
      : ["--disallowedTools", tools.disallowedTools.join(",")]),
  ]
}
