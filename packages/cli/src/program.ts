import { VERSION } from "@chorus/server/version"
import { Command, CommanderError } from "commander"
import { NOUNS } from "./nouns.ts"
import { printError } from "./output.ts"
import { printFailure } from "./plugin/failure.ts"

/**
 * The `chorus` command with the noun that `argv` names; the other nouns are there by name only, for help and
 * suggestions.
 */
export async function program(argv: readonly string[]): Promise<Command> {
  const chorus = new Command("chorus")
    .description("The shared workplace of people and coding agents.")
    .version(VERSION)
    .enablePositionalOptions()
  const called = argv[0] === "help" ? argv[1] : argv[0]
  for (const [name, noun] of Object.entries(NOUNS)) {
    chorus.addCommand(
      called !== undefined && [name, noun.alias].includes(called)
        ? withKnownWord((await noun.load()).description(noun.does), argv[1])
        : new Command(name).description(noun.does),
    )
  }
  return asParts(chorus)
}

/**
 * A noun that does something alone takes the next word for too much of it, and the options behind that for its own.
 * Only its parts say which word was meant.
 */
function withKnownWord(noun: Command, word: string | undefined): Command {
  const isTaken =
    word === undefined ||
    word.startsWith("-") ||
    word === "help" ||
    noun.commands.length === 0 ||
    noun.registeredArguments.length > 0 ||
    noun.commands.some((part) => part.name() === word || part.aliases().includes(word))
  if (isTaken) return noun
  const parts = new Command(noun.name()).aliases(noun.aliases()).description(noun.description()).allowUnknownOption()
  for (const part of noun.commands) parts.addCommand(part)
  return parts
}

export async function runCli(argv: readonly string[]): Promise<void> {
  forgetEmptyVariables()
  for (const stream of [process.stdout, process.stderr]) stream.on("error", unlessClosed)
  try {
    const chorus = await program(argv)
    if (argv.length === 0) return chorus.outputHelp()
    if (!QUIET.has(argv[0] ?? "")) (await import("@chorus/status/hook-program")).settleFolders()
    await chorus.parseAsync(argv, { from: "user" })
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode
      return
    }
    if (isClosedPipe(error)) return
    const json = argv.includes("--json")
    if (json) printFailure(argv, error)
    printError(error, json)
  }
}

/** Commands that something else runs all the time, or that become another program, or that take everything away. */
const QUIET = new Set(["completion", "mcp", "resume", "run", "start", "status", "uninstall"])

/** Who reads may have read enough, as `head` does: what else is printed is then for nobody, and no fault. */
function unlessClosed(error: unknown): void {
  if (!isClosedPipe(error)) throw error
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE"
}

/** `CHORUS_DATA=` in a compose or unit file says nothing; as a path it would be the folder one happens to be in. */
function forgetEmptyVariables(): void {
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith("CHORUS_") && value === "") delete process.env[name]
}

/**
 * A command that is added keeps its own settings. Each lets the process end by itself, so that output still on its way
 * to a pipe is not cut off.
 */
function asParts(command: Command): Command {
  command.exitOverride().showHelpAfterError()
  for (const child of command.commands) asParts(child)
  return command
}
