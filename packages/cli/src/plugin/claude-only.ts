import { ChorusError } from "@chorus/contracts"
import { Command } from "commander"

const NAMES: readonly (readonly [name: string, does: string])[] = [
  ["eval", "Runs a plugin's evaluations with a model."],
  ["test", "Runs the tests of a plugin's modules inside Claude Code."],
  ["restore-set-aside", "Brings back options that Claude Code set aside for an organisation's marketplace."],
]

/** What only Claude Code can do: it has the model, the sandbox and the records for it. The names are known, and say so. */
export function claudeOnlyCommands(): Command[] {
  return NAMES.map(([name, does]) =>
    new Command(name)
      .description(`${does} Only Claude Code does this: claude plugin ${name}.`)
      .argument("[words...]")
      .allowUnknownOption()
      .action((words: readonly string[]) => {
        throw new ChorusError("claude_code_only", `Chorus does not do "plugin ${name}": only Claude Code can.`, {
          status: 501,
          next: `Run ${["claude plugin", name, ...words].join(" ")}.`,
        })
      }),
  )
}
