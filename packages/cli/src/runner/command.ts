import { hostname } from "node:os"
import { readPolicy } from "@chorus/runs"
import { Command, Option } from "commander"
import { giveBackMemory } from "../start/start-memory.ts"
import { paint, type Target, withTarget } from "../output.ts"
import { cleanCommand } from "./clean-command.ts"
import { allowCommand, disallowCommand, policyCommand } from "./policy-command.ts"
import { startRunnerService } from "./service.ts"
import { setupCommand } from "./setup-command.ts"

export function runnerCommand(): Command {
  return withTarget(new Command("runner"))
    .addOption(new Option("--machine <name>", "what this machine is called on the board").default(hostname()))
    .action(async (options: Target & { machine: string }) => {
      if (readPolicy(options.data) === undefined)
        process.stdout.write(
          `nothing is allowed yet; ${paint("bold", "chorus runner allow DIR")} allows a repository\n`,
        )
      const runner = startRunnerService({ ...options, atRest: giveBackMemory })
      process.stdout.write(`${paint("green", "runner")} of ${options.machine}\n`)
      void runner.begun.then(() => process.stdout.write("asks for work\n"))
      giveBackMemory()
      await new Promise<void>((stop) => {
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop())
      })
      await runner.close()
    })
    .enablePositionalOptions()
    .addCommand(allowCommand())
    .addCommand(disallowCommand())
    .addCommand(policyCommand())
    .addCommand(cleanCommand())
    .addCommand(setupCommand())
}
