import { Command } from "commander"
import { createCommand, deleteCommand } from "./create.ts"
import { decideCommand } from "./decide.ts"
import { joinCommand, leaveCommand, respawnCommand, resumeCommand, spawnCommand } from "./life.ts"
import { landCommand } from "./land.ts"
import { attachCommand, logsCommand } from "./logs.ts"
import { doctorCommand, observeCommand, statusCommand, watchCommand } from "./look.ts"
import { mcpCommand, memberCommand, teammateCommand } from "./program.ts"
import { shutdownCommand } from "./shutdown.ts"
import { broadcastCommand, inboxCommand, sendCommand } from "./talk.ts"
import { claimCommand, tasksCommand } from "./tasks.ts"

/** `chorus team`: teams of agents on this machine, beside Claude Code's own. */
export function teamCommand(): Command {
  const team = new Command("team").enablePositionalOptions()
  const commands = [
    createCommand(),
    spawnCommand(),
    joinCommand(),
    leaveCommand(),
    sendCommand(),
    broadcastCommand(),
    inboxCommand(),
    tasksCommand(),
    claimCommand(),
    statusCommand(),
    watchCommand(),
    decideCommand(),
    logsCommand(),
    attachCommand(),
    respawnCommand(),
    resumeCommand(),
    landCommand(),
    shutdownCommand(),
    deleteCommand(),
    doctorCommand(),
    observeCommand(),
    mcpCommand(),
    teammateCommand(),
  ]
  for (const command of commands) team.addCommand(command)
  return team.addCommand(memberCommand(), { hidden: true })
}
