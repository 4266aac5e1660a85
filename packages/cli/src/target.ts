import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { type Command, InvalidArgumentError, Option } from "commander"

/** Which Chorus a command works on, and for whom it prints. */
export interface Target {
  readonly data: string
  readonly database?: string
  readonly url?: string
  readonly key?: string
  readonly json?: boolean
}

/** For commands that call operations: the data of this machine, or a server elsewhere. */
export function withTarget(command: Command): Command {
  return withData(command)
    .addOption(
      new Option("--url <address>", "a server elsewhere, instead of the data on this machine")
        .env("CHORUS_URL")
        .argParser(address),
    )
    .addOption(new Option("--key <key>", "the API key for that server").env("CHORUS_KEY"))
}

/** For commands that work on the data itself. */
export function withData(command: Command): Command {
  return withJson(command)
    .addOption(
      new Option("--data <dir>", "the data directory")
        .env("CHORUS_DATA")
        .default(join(homedir(), ".chorus"), "~/.chorus")
        .argParser(directory),
    )
    .addOption(
      new Option("--database <url>", "a postgres:// address; the embedded store when left out").env("CHORUS_DATABASE"),
    )
}

export function withJson(command: Command): Command {
  return command.option("--json", "print JSON for programs")
}

/** An empty text, as an unset variable leaves it, would be the folder one happens to be in. */
function directory(text: string): string {
  if (text.trim() !== "") return resolve(text)
  throw new InvalidArgumentError("Name a directory.")
}

function address(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError("Give an address like http://127.0.0.1:8637.")
}
