import { ChorusError, TEAM_LEAD, type TeamConfig, type TeamMember } from "@chorus/contracts"
import { refuseAnothersInbox, type TeamPaths } from "./files/index.ts"
import { awayOn, hostMachine } from "./relay/host-machine.ts"
import { hostOf, memberLiveness } from "./runtime/host-note.ts"

/** Refuses a name under which one would take what somebody else is to read. */
export function refuseOtherReader(paths: TeamPaths, config: TeamConfig, name: string, ledByChorus: boolean): void {
  refuseAnothersInbox(config, name)
  const member = config.members.find((other) => other.name === name)
  if (member !== undefined && awayOn(member, hostMachine(paths)) !== undefined)
    throw kept("lives_elsewhere", `${name} lives on another machine, which would not get these messages.`)
  if (member !== undefined && isRunByClaude(paths, member, config))
    throw kept("anothers_inbox", `${name} is a member in Claude Code, which would not get these messages.`)
  if (name === TEAM_LEAD && !ledByChorus)
    throw kept("not_the_lead", "These messages are for a Claude Code session, which would not get them.")
}

/** In a pane or a process of Claude Code, where nothing of ours reads for it. */
function isRunByClaude(paths: TeamPaths, member: TeamMember, config: TeamConfig): boolean {
  const itself = /^(%\d+|in-process)$/.test(member.tmuxPaneId ?? "") && hostOf(paths, member.name) === undefined
  return itself && memberLiveness(paths, member, config) !== "dead"
}

function kept(code: string, message: string): ChorusError {
  return new ChorusError(code, message, { status: 403, next: "Look at them with `chorus team inbox --peek`." })
}
