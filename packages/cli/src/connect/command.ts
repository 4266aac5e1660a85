import { Command } from "commander"
import { connectProgramCommand, disconnectProgramCommand } from "./agent-program.ts"
import { dataDirectory, type Target } from "../output.ts"
import { mcpAddress, serverAddress } from "../server-address.ts"
import { connectClaudeCommand, disconnectClaudeCommand } from "./claude-command.ts"
import { continueInLastingCopy } from "./lasting-copy.ts"

/** Each agent program that can be connected brings a sub-command of its own. */
export function connectCommand(): Command {
  return new Command("connect")
    .addCommand(connectClaudeCommand())
    .addCommand(connectProgramCommand("codex"))
    .addCommand(connectProgramCommand("opencode"))
    .hook("preAction", (_connect, called) => continueInLastingCopy(called.opts<Target>().data))
    .addHelpText(
      "after",
      () =>
        `\nAny MCP client: ${mcpAddress(serverAddress(dataDirectory()))} with the header \`Authorization: Bearer KEY\` (see \`chorus agent add\`).`,
    )
}

export function disconnectCommand(): Command {
  return new Command("disconnect")
    .addCommand(disconnectClaudeCommand())
    .addCommand(disconnectProgramCommand("codex"))
    .addCommand(disconnectProgramCommand("opencode"))
}
