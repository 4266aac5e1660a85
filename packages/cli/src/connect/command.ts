import { Command } from "commander"
import { connectProgramCommand, disconnectProgramCommand } from "./agent-program.ts"
import { connectClaudeCommand, disconnectClaudeCommand } from "./claude-command.ts"

/** Each agent program that can be connected brings a sub-command of its own. */
export function connectCommand(): Command {
  return new Command("connect")
    .addCommand(connectClaudeCommand())
    .addCommand(connectProgramCommand("codex"))
    .addCommand(connectProgramCommand("opencode"))
    .addHelpText(
      "after",
      "\nAny MCP client: http://127.0.0.1:8637/api/mcp with the header `Authorization: Bearer KEY` (see `chorus agent add`).",
    )
}

export function disconnectCommand(): Command {
  return new Command("disconnect")
    .addCommand(disconnectClaudeCommand())
    .addCommand(disconnectProgramCommand("codex"))
    .addCommand(disconnectProgramCommand("opencode"))
}
