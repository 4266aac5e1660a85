import { spawn } from "node:child_process"
import { ChorusError } from "@chorus/contracts"
import { Command } from "commander"

const NAMES: readonly (readonly [name: string, does: string])[] = [
  ["eval", "Run a plugin's evaluations with a model"],
  ["test", "Run the tests of a plugin's modules"],
  ["restore-set-aside", "Give a plugin back the options set aside when an organisation's marketplace replaced its own"],
]

/** What needs Claude Code's model, sandbox or records is handed to it, word for word, and its exit code is ours. */
export function claudeOnlyCommands(): Command[] {
  return NAMES.map(([name, does]) =>
    new Command(name)
      .description(`${does}, by claude plugin ${name}.`)
      .argument("[words...]", "as claude takes them; --help shows them")
      .helpOption(false)
      .allowUnknownOption()
      .action(async (words: readonly string[]) => {
        process.exitCode = await runClaude(["plugin", name, ...words])
      }),
  )
}

function runClaude(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("claude", args, { stdio: "inherit" })
    child.once("close", (code) => resolve(code ?? 1))
    child.once("error", (cause) =>
      reject(
        new ChorusError("claude_code_only", `Only Claude Code can do this, and \`claude\` does not start here.`, {
          status: 501,
          next: `Install Claude Code, or put it on the PATH, then run claude ${args.join(" ")}.`,
          cause,
        }),
      ),
    )
  })
}
