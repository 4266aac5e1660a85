import { Command } from "commander"
import { describe, expect, it } from "vitest"
import { typedOptions } from "./typed-options.ts"

/** What `add` is given, when both it and the command above know --team and --json. */
function given(argv: readonly string[]): object {
  let options: object = {}
  const known = (command: Command) => command.option("--team <name>", "", "home").option("--json")
  const add = known(new Command("add"))
    .option("--after <id>")
    .action((_options: object, command: Command) => void (options = typedOptions(command)))
  known(new Command("tasks"))
    .option("--other <x>")
    .enablePositionalOptions()
    .action(() => undefined)
    .addCommand(add)
    .parse(argv, { from: "user" })
  return options
}

describe("the options of a sub-command", () => {
  it.each([
    ["its own defaults", ["add"], { team: "home" }],
    ["its own words", ["add", "--team", "a", "--json", "--after", "1"], { team: "a", json: true, after: "1" }],
    ["words before its name", ["--team", "b", "--json", "add"], { team: "b", json: true }],
    ["its own words rather than those before its name", ["--team", "b", "add", "--team", "a"], { team: "a" }],
    ["not words that are not for it", ["--other", "x", "add"], { team: "home" }],
  ])("are %s", (_, argv, options) => {
    expect(given(argv)).toEqual(options)
  })
})
