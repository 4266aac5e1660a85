import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { ChorusError, type RunnerPolicy, runs } from "@chorus/contracts"
import { ADAPTERS, changePolicy, policyFile, readPolicy, withFolder } from "@chorus/runs"
import { Command, Option } from "commander"
import { paint, printJson, type Target, withData, withTarget } from "../output.ts"
import { typedOptions } from "../typed-options.ts"
import { wholeNumber } from "../whole-number.ts"
import { adaptersIn, startRunnerService } from "./service.ts"

const PROGRAMS = runs.RunProgram.exclude(["command"])

export function runnerCommand(): Command {
  return withTarget(new Command("runner"))
    .addOption(new Option("--machine <name>", "what this machine is called on the board").default(hostname()))
    .action(async (options: Target & { machine: string }) => {
      if (readPolicy(options.data) === undefined)
        process.stdout.write(
          `nothing is allowed yet; ${paint("bold", "chorus runner allow DIR")} allows a repository\n`,
        )
      const runner = startRunnerService(options)
      process.stdout.write(`${paint("green", "runner")} of ${options.machine}\n`)
      void runner.begun.then(() => process.stdout.write("asks for work\n"))
      await new Promise<void>((stop) => {
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop())
      })
      await runner.close()
    })
    .enablePositionalOptions()
    .addCommand(allowCommand())
    .addCommand(policyCommand())
    .addCommand(setupCommand())
}

interface Allowed extends Target {
  readonly project?: string
  readonly program?: RunnerPolicy["programs"]
  readonly command?: string[]
  readonly mode?: runs.RunMode
  readonly slots?: number
  readonly minutes?: number
  readonly megabytes?: number
  readonly env?: string[]
  readonly network?: boolean
  readonly inPlace?: boolean
}

function allowCommand(): Command {
  return withData(
    new Command("allow").description("Let agents that Chorus starts work on a repository of this machine."),
  )
    .argument("<dir>", "a folder of the repository")
    .option("--project <name>", "only for this project")
    .addOption(new Option("--program <name...>", "only these programs").choices(PROGRAMS.options))
    .option("--command <text...>", "also this program that speaks ACP, as it is started")
    .addOption(new Option("--mode <mode>", "the most an agent may do without asking").choices(runs.RunMode.options))
    .option("--slots <number>", "how many at a time", wholeNumber("Give a number from 1 to 64.", 1, 64))
    .option("--minutes <number>", "how long a run may take", wholeNumber("Give a number of minutes.", 1))
    .option("--megabytes <number>", "how much memory a run may take", wholeNumber("Give a number of megabytes.", 100))
    .option("--env <name...>", "further variables that agents get")
    .option("--network", "begin at the remote's default branch, fetched first")
    .option("--in-place", "let a run work in the checkout itself")
    .action(async (dir: string, _options: object, command: Command) => {
      const options = typedOptions<Allowed>(command)
      const policy = await changePolicy(options.data, async (before) =>
        withFolder(widened(before, options), options.data, dir, options.project),
      )
      if (options.json) return printJson(policy)
      const folders = policy.folders.map(
        ({ path, project }) => `${path}${project === undefined ? "" : ` (${project})`}`,
      )
      process.stdout.write(`${paint("green", "allowed")} ${folders.join(", ")}\n`)
    })
}

function policyCommand(): Command {
  return withData(new Command("policy").description("Show what this machine allows.")).action(
    (_options: object, command: Command) => {
      const { data, json } = typedOptions<Target>(command)
      const policy = readPolicy(data)
      if (json) return printJson(policy ?? null)
      process.stdout.write(
        policy === undefined
          ? "nothing is allowed\n"
          : `${policyFile(data)}\n${JSON.stringify(policy, undefined, 2)}\n`,
      )
    },
  )
}

function setupCommand(): Command {
  return new Command("setup")
    .description("Fetch what lets Claude Code or Codex be run by Chorus, from npm.")
    .argument("<program...>", "claude, codex")
    .action(async (programs: string[]) => {
      const wanted = programs.map((program) => {
        const adapter = ADAPTERS[program as runs.RunProgram]
        if (adapter !== undefined) return adapter
        throw new ChorusError("nothing_to_fetch", `${program} needs nothing beside itself.`, {
          next: "Install it as its makers say.",
        })
      })
      const folder = adaptersIn()
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "package.json"), '{"private":true}\n')
      const options = ["--no-audit", "--no-fund", "--no-save", "--omit=optional", "--loglevel=error"]
      await promisify(execFile)("npm", ["install", "--prefix", folder, ...options, ...wanted], { cwd: folder })
      process.stdout.write(`${paint("green", "fetched")} ${wanted.join(", ")}\n`)
    })
}

function widened(policy: RunnerPolicy, options: Allowed): RunnerPolicy {
  const { program, command = [], mode, slots, minutes, megabytes, env = [], network, inPlace } = options
  return {
    ...policy,
    ...(program === undefined ? {} : { programs: program }),
    ...(mode === undefined ? {} : { mode }),
    ...(slots === undefined ? {} : { slots }),
    ...(minutes === undefined ? {} : { minutes }),
    ...(megabytes === undefined ? {} : { megabytes }),
    ...(network === undefined ? {} : { network }),
    ...(inPlace === undefined ? {} : { inPlace }),
    commands: [...new Set([...policy.commands, ...command])],
    environment: [...new Set([...policy.environment, ...env])],
  }
}
