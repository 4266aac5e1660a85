import type { Command, Option } from "commander"
import { NOUNS } from "../../packages/cli/src/nouns.ts"
import { anchorOf, GENERATED, table, words } from "./tables.ts"

/** Every command with its arguments and options, from the program itself. */
export async function commandsPage(): Promise<string> {
  const nouns = await Promise.all(
    Object.entries(NOUNS).map(async ([name, noun]) => ({ name, does: noun.does, command: await noun.load() })),
  )
  const rows = nouns.map(({ name, does }) => [`[\`chorus ${name}\`](#${anchorOf(`chorus ${name}`)})`, words(does)])
  return `${GENERATED}# Commands

In a clone the command is \`npx chorus\`. Every command has \`--help\`; options can be given by the variable in the last column as well.

${table(["command", "what it does"], rows)}

${nouns.flatMap(({ name, does, command }) => sections(`chorus ${name}`, command, does)).join("\n\n")}
`
}

function sections(path: string, command: Command, does: string): string[] {
  const own = `## ${path}\n\n${words(does)}\n\n${usage(path, command)}${argumentText(command)}${optionTable(command.options.filter(({ hidden }) => !hidden))}`
  const children = command.commands.filter((child) => !isHidden(child))
  return [own, ...children.flatMap((child) => sections(`${path} ${child.name()}`, child, child.description()))]
}

/** Commander keeps this to itself. */
function isHidden(command: Command): boolean {
  return (command as unknown as { _hidden?: boolean })._hidden === true
}

function usage(path: string, command: Command): string {
  return `\`\`\`text\n${path} ${command.usage()}\n\`\`\``
}

function argumentText(command: Command): string {
  const rows = command.registeredArguments
    .filter(({ description }) => description !== "")
    .map((argument) => [`\`${argument.name()}\``, words(argument.description)])
  return rows.length === 0 ? "" : `\n\n${table(["argument", ""], rows)}`
}

function optionTable(options: readonly Option[]): string {
  if (options.length === 0) return ""
  return `\n\n${table(
    ["option", "", "default", "variable"],
    options.map((option) => [
      `\`${option.flags}\``,
      words(meaning(option)),
      defaultOf(option),
      option.envVar === undefined ? "" : `\`${option.envVar}\``,
    ]),
  )}`
}

function meaning({ description, argChoices }: Option): string {
  const choices =
    argChoices === undefined
      ? ""
      : `${description === "" ? "" : ": "}${argChoices.map((choice) => `\`${choice}\``).join(", ")}`
  return `${description}${choices}`
}

function defaultOf({ defaultValue, defaultValueDescription }: Option): string {
  if (defaultValueDescription !== undefined) return defaultValueDescription
  if (defaultValue === undefined || (Array.isArray(defaultValue) && defaultValue.length === 0)) return ""
  return `\`${String(defaultValue)}\``
}
