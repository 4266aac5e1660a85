import { VERSION } from "@chorus/server/version"
import { Command, CommanderError } from "commander"
import { NOUNS } from "./nouns.ts"
import { printError } from "./output.ts"

/** The `chorus` command with the noun that `argv` names; the other nouns are there by name only, for help and suggestions. */
export async function program(argv: readonly string[]): Promise<Command> {
  const chorus = new Command("chorus").description("The shared workplace of people and coding agents.").version(VERSION).enablePositionalOptions().showHelpAfterError()
  const called = argv[0] === "help" ? argv[1] : argv[0]
  for (const [name, noun] of Object.entries(NOUNS)) {
    chorus.addCommand(name === called ? (await noun.load()).description(noun.does) : new Command(name).description(noun.does))
  }
  return withExits(chorus)
}

export async function runCli(argv: readonly string[]): Promise<void> {
  try {
    const chorus = await program(argv)
    if (argv.length === 0) return chorus.outputHelp()
    await chorus.parseAsync(argv, { from: "user" })
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode
      return
    }
    printError(error, argv.includes("--json"))
  }
}

/** Lets the process end by itself, so that output still on its way to a pipe is not cut off. */
function withExits(command: Command): Command {
  command.exitOverride()
  for (const child of command.commands) withExits(child)
  return command
}
