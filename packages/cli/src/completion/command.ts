import { signatures } from "@chorus/contracts"
import { Argument, Command } from "commander"
import { NOUNS } from "../nouns.ts"
import { bashScript, type Completions, fishScript, zshScript } from "./script.ts"

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }

export function completionCommand(): Command {
  return new Command("completion")
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      '\nbash: eval "$(chorus completion bash)"   zsh: eval "$(chorus completion zsh)"   fish: chorus completion fish | source',
    )
    .action(async (shell: keyof typeof SCRIPTS) => {
      process.stdout.write(SCRIPTS[shell](await allCompletions()))
    })
}

/** What may follow each command line so far: sub-commands, options, their values, and the operations after `call`. */
export async function allCompletions(): Promise<Completions> {
  const loaded = await Promise.all(
    Object.entries(NOUNS).map(async ([name, noun]) => ({
      name,
      command: name === "completion" ? completionCommand() : await noun.load(),
    })),
  )
  const words: Completions = new Map([["", [...Object.keys(NOUNS), "help", "--help", "--version"]]])
  for (const { name, command } of loaded) addWords(words, name, command)
  words.set("call", [...(words.get("call") ?? []), ...signatures.map((signature) => signature.name)])
  return words
}

function addWords(words: Completions, path: string, command: Command): void {
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? [])
  words.set(path, [
    ...command.commands.map((child) => child.name()),
    ...choices,
    ...command.options.flatMap((option) => option.long ?? []),
    "--help",
  ])
  for (const { long, argChoices } of command.options)
    if (long !== undefined && argChoices !== undefined) words.set(`${path} ${long}`, argChoices)
  for (const child of command.commands) addWords(words, `${path} ${child.name()}`, child)
}
