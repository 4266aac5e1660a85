import { Command } from "commander"
import { printError } from "./output.ts"

/** The `chorus` command. Each noun brings its own sub-command from its own folder. */
export function program(): Command {
  return new Command("chorus").description("The shared workplace of people and coding agents.").showHelpAfterError()
}

export async function runCli(argv: readonly string[]): Promise<void> {
  try {
    await program().parseAsync(argv, { from: "user" })
  } catch (error) {
    printError(error, argv.includes("--json"))
  }
}
