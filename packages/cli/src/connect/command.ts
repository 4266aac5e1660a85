import { Command } from "commander"

/** Each agent program that can be connected brings a sub-command of its own. */
export function connectCommand(): Command {
  return new Command("connect").addHelpText("after", "\nAny MCP client: http://127.0.0.1:8637/api/mcp with the header `Authorization: Bearer KEY` (see `chorus agent add`).")
}
